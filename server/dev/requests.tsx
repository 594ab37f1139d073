import { visibleLine } from "../../src/words/hidden.ts";
import { scrolledByKeys } from "../console/scrolled-by-keys.ts";
import { TimestampUtc } from "../console/timestamp.tsx";
import type { RecordedRequest } from "./recorder.ts";

/** The newest requests, each with what came and what was answered. */
export const Requests = ({ requests }: { readonly requests: readonly RecordedRequest[] }) => (
  <section class="stack tight operations" aria-labelledby="requests-title">
    <div class="row spread">
      <h2 id="requests-title">Requests</h2>
      <form method="post" action="/dev/forms/forget">
        <button type="submit">Forget these requests</button>
      </form>
    </div>
    <p class="muted small">The newest 200, without secrets. Long bodies are cut off.</p>
    <div class="stack tight" id="requests" data-part="list">
      {requests.map((request) => (
        <Request key={request.id} {...request} />
      ))}
    </div>
  </section>
);

const Request = ({ id, method, path, status, at, milliseconds, ...request }: RecordedRequest) => (
  <details class="operation" id={`request-${id}`}>
    <summary>
      <span class={`method ${method.toLowerCase()}`}>{method}</span>
      <code>{visibleLine(path)}</code>
      <span class={status < 400 ? "badge good" : "badge bad"}>{status}</span>
      <span class="muted small">
        {`${milliseconds} ms, `}
        <TimestampUtc at={at} />
      </span>
    </summary>
    <div class="inside stack tight">
      <Block title="Request headers" text={linesOf(request.headers)} />
      <Block title="Request body" text={request.body} />
      <Block title="Answer headers" text={linesOf(request.answerHeaders)} />
      <Block title="Answer body" text={request.answerBody} />
    </div>
  </details>
);

const linesOf = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");

export const Block = ({ title, text }: { readonly title: string; readonly text: string }) =>
  text === "" ? null : (
    <div>
      <h3>{title}</h3>
      <pre class="code" {...scrolledByKeys}>
        {text}
      </pre>
    </div>
  );
