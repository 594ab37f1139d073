import type { OwnedMessage, OwnedThread, ReplyMail } from "../../../../../src/contract/console/feedback.ts";
import { Line } from "../../../kit/display/user-text.tsx";

type Sender = OwnedThread["sender"];

/** What a sender is called. */
export const senderName = (sender: Sender | undefined): string =>
  sender?.name ?? sender?.email ?? "Anonymous";

interface ReplyDeliveryProps {
  readonly message: OwnedMessage;
  /** The sender who gets the reply, if only one gets it. */
  readonly sender: Sender | undefined;
}

/** The receivers of a reply, and the states of its mails. */
export const ReplyDelivery = ({ message: { everyone, mails = [] }, sender }: ReplyDeliveryProps) => (
  <div class="small muted">
    {everyone && <p>To everyone who reported it before.</p>}
    {sender && (
      <p>
        To <Line text={senderName(sender)} />
      </p>
    )}
    {mails.length === 0 && <p>Not mailed.</p>}
    {mails.length > 0 && (
      <ul aria-label="Mails">
        {mails.map((mail) => (
          <li key={mail.to}>
            <MailState mail={mail} />
          </li>
        ))}
      </ul>
    )}
  </div>
);

const states: Readonly<Record<string, string>> = {
  waiting: "waits to be mailed",
  sent: "mailed",
  bounced: "bounced: the address does not exist",
  failed: "could not be mailed",
};

const MailState = ({ mail: { to, status, reason } }: { readonly mail: ReplyMail }) => (
  <>
    <Line text={to} />: {states[status] ?? status}
    {reason !== null && (
      <>
        {" "}
        (<Line text={reason} />)
      </>
    )}
  </>
);
