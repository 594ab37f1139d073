import type { OwnedThread } from "../../../../../src/contract/console/feedback.ts";
import { ExternalLink } from "../../../kit/display/external-link.tsx";
import { Line } from "../../../kit/display/user-text.tsx";
import { type Filled, TextArea } from "../../../kit/form/field.tsx";
import { Refused } from "../../../kit/layout/notice.tsx";
import type { ThreadForms } from "./form-parts.ts";

export interface MessageComposerProps {
  readonly forms: ThreadForms;
  readonly sender: OwnedThread["sender"];
  readonly address: string;
}

/** Two fields with a button each, so that an internal note is not recorded as a reply by mistake. */
export const MessageComposer = ({ forms, sender, address }: MessageComposerProps) => (
  <section class="card composer" aria-labelledby="add">
    <h2 id="add">Add to this thread</h2>
    <MessageField form={forms.note} direction="note" action={`${address}/messages`} />
    <hr />
    <details class="reveal" open={isOpen(forms.reply)}>
      <summary>Record a reply to the sender</summary>
      <div class="stack">
        <SenderHint sender={sender} />
        <MessageField form={forms.reply} direction="outbound" action={`${address}/messages`} />
      </div>
    </details>
  </section>
);

const isOpen = (form: Filled): boolean => form.refusal !== undefined || form.value("replyBody") !== "";

interface MessageFieldProps {
  readonly form: Filled;
  readonly direction: "note" | "outbound";
  readonly action: string;
}

const MessageField = ({ form, direction, action }: MessageFieldProps) => {
  const note = direction === "note";
  return (
    <div class="stack">
      <Refused refusal={form.refusal} />
      <TextArea
        form={form}
        name={note ? "noteBody" : "replyBody"}
        label={note ? "Internal note" : "Reply"}
        hint={note ? "Seen by you and your agents, never by the sender." : undefined}
        size={note ? "short" : undefined}
      />
      <div class="actions">
        <button type="submit" name="direction" value={direction} formaction={action} formnovalidate>
          {note ? "Add note" : "Record reply"}
        </button>
      </div>
    </div>
  );
};

const notSent = "Innkeep sends no mail: a reply is recorded on this thread, not sent.";

const SenderHint = ({ sender: { name, email } }: { readonly sender: OwnedThread["sender"] }) => {
  if (email === null) {
    return (
      <p class="hint">
        <b>{notSent}</b> The sender left no address.
      </p>
    );
  }
  const mail = mailAddress(email);
  return (
    <p class="hint">
      <b>{notSent}</b> To reach the sender, write to {name !== null && <Line text={name} />}{" "}
      {mail ? (
        <ExternalLink to={mail}>
          <Line text={email} />
        </ExternalLink>
      ) : (
        <Line text={email} />
      )}
    </p>
  );
};

/** The mailto address of a contact; undefined for a contact that is not an e-mail address. */
function mailAddress(contact: string): string | undefined {
  const [, name, host] = /^([^\s@<>"]+)@([^\s@<>"]+)$/.exec(contact) ?? [];
  return name && host ? `mailto:${encodeURIComponent(name)}@${encodeURIComponent(host)}` : undefined;
}
