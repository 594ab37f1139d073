import { Can } from "../../../console/can.tsx";
import { Line } from "../../../console/text.tsx";

interface BlockSenderProps {
  /** The contact of the sender, as the report has it. */
  readonly contact: string;
  readonly action: string;
  readonly manage: string;
}

/** Hides what the sender of a thread sends from now on. The thread stays. */
export const BlockSender = ({ contact, action, manage }: BlockSenderProps) => (
  <details class="reveal danger">
    <summary>Block this sender</summary>
    <div class="stack">
      <p>
        What <Line text={contact} /> sends from now on is hidden under <a href={manage}>Blocked senders</a>{" "}
        and deleted after 30 days. The sender does not notice it. You can undo it there.
      </p>
      <input type="hidden" name="blockedContact" value={contact} />
      <div class="actions">
        <button
          class="danger small"
          type="submit"
          name="block"
          value="address"
          formaction={action}
          formnovalidate
        >
          Block this address
        </button>
        {contact.includes("@") && (
          <Can needs="owner">
            <button
              class="danger small"
              type="submit"
              name="block"
              value="domain"
              formaction={action}
              formnovalidate
            >
              Block its whole domain
            </button>
          </Can>
        )}
      </div>
    </div>
  </details>
);
