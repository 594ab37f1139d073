import { redactText } from "../../src/client/redact.ts";
import { TimestampUtc } from "../console/timestamp.tsx";
import { Block } from "./requests.tsx";

/** A captured message. */
export interface ShownMessage {
  readonly id: string;
  readonly kind: string;
  readonly target: string;
  readonly payload: unknown;
  readonly createdAt: string;
}

/** The messages that would have left the machine, newest first. */
export const Messages = ({ messages }: { readonly messages: readonly ShownMessage[] }) => (
  <section class="stack tight operations" aria-labelledby="messages-title">
    <h2 id="messages-title">Messages that were not sent</h2>
    {messages.length === 0 && <p class="muted">The server has had nothing to send.</p>}
    {messages.map(({ id, kind, target, payload, createdAt }) => (
      <details class="operation" key={id} id={`message-${id}`}>
        <summary>
          <span class="badge">{kind}</span>
          <span>to {hostOf(target)}</span>
          <span class="muted small">
            <TimestampUtc at={createdAt} />
          </span>
        </summary>
        <div class="inside stack tight">
          <Block title="Content" text={redactText(JSON.stringify(payload, undefined, 2))} />
        </div>
      </details>
    ))}
  </section>
);

/** The path of a chat address is its secret. */
const hostOf = (target: string): string => (URL.canParse(target) ? new URL(target).host : target);
