import type { OwnedThread } from "../../../src/contract/console/feedback.ts";
import { filledWith } from "../filled.ts";
import type { ThreadForms } from "../pages/thread.tsx";
import { Elsewhere } from "./elsewhere.tsx";
import { type Filled, TextArea } from "./field.tsx";
import { Refused } from "./notice.tsx";
import { Once } from "./once.tsx";
import { Line } from "./written.tsx";

export interface ComposerProps {
  readonly forms: ThreadForms;
  readonly sender: OwnedThread["sender"];
  readonly address: string;
}

/** Two forms, so that what is meant for the house does not go to the sender by a slip. */
export const Composer = ({ forms, sender, address }: ComposerProps) => (
  <section class="card composer" aria-labelledby="add">
    <h2 id="add">Add to this thread</h2>
    <MessageForm form={forms.note} direction="note" action={`${address}/messages`} />
    <hr />
    <details class="reveal" open={forms.reply !== undefined}>
      <summary>Reply to the sender</summary>
      <div class="stack">
        <SenderHint sender={sender} />
        <MessageForm form={forms.reply} direction="outbound" action={`${address}/messages`} />
      </div>
    </details>
  </section>
);

interface MessageFormProps {
  readonly form: Filled | undefined;
  readonly direction: "note" | "outbound";
  readonly action: string;
}

const MessageForm = ({ form = filledWith(), direction, action }: MessageFormProps) => {
  const note = direction === "note";
  return (
    <form class="stack" method="post" action={action} data-guards>
      <Refused refusal={form.refusal} />
      <Once />
      <input type="hidden" name="direction" value={direction} />
      <TextArea
        form={form}
        name="body"
        part={direction}
        label={note ? "Internal note" : "Reply"}
        hint={note ? "Seen by you and your agents, never by the sender." : undefined}
        size={note ? "short" : undefined}
        required
      />
      <div class="actions">
        <button type="submit">{note ? "Add note" : "Add reply"}</button>
      </div>
    </form>
  );
};

const SenderHint = ({ sender: { name, email } }: { readonly sender: OwnedThread["sender"] }) => {
  if (email === null) {
    return <p class="hint">The sender left no address. The reply stands on the thread.</p>;
  }
  const mail = mailAddress(email);
  return (
    <p class="hint">
      The reply stands on the thread. {name !== null && <Line text={name} />}{" "}
      {mail ? (
        <Elsewhere to={mail}>
          <Line text={email} />
        </Elsewhere>
      ) : (
        <Line text={email} />
      )}
    </p>
  );
};

/** A contact may be any text; this is the link to write to it, where it is an e-mail address. */
function mailAddress(contact: string): string | undefined {
  const [, name, host] = /^([^\s@<>"]+)@([^\s@<>"]+)$/.exec(contact) ?? [];
  return name && host ? `mailto:${encodeURIComponent(name)}@${encodeURIComponent(host)}` : undefined;
}
