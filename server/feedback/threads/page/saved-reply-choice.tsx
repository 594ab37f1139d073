import { apps } from "../../../../src/contract/apps.ts";
import { ApiError } from "../../../../src/contract/errors.ts";
import { type SavedReply, savedReplies } from "../../../../src/contract/saved-replies.ts";
import type { OwnedThread } from "../../../../src/contract/threads.ts";
import { visibleLine } from "../../../../src/words/hidden.ts";
import { filledWith } from "../../../console/filled-form.ts";
import type { Fields } from "../../../console/form-values.tsx";
import { Select } from "../../../console/forms.tsx";
import type { SignedInVisit } from "../../../console/visit.ts";
import { replyFrom } from "../../saved-replies/rules.ts";

export interface SavedReplyChoiceProps {
  readonly replies: readonly SavedReply[];
  /** Where the button sends the form. */
  readonly action: string;
  /** The page of all saved replies. */
  readonly manage: string;
}

/** The saved replies, and a button that inserts the chosen one. The script does it without loading the page. */
export const SavedReplyChoice = ({ replies, action, manage }: SavedReplyChoiceProps) => (
  <div class="row saved-replies">
    {replies.length > 0 && (
      <>
        <Select
          form={filledWith()}
          name="savedReply"
          label="Saved reply"
          unlabelled
          options={replies.map(({ id, title }) => [id, visibleLine(title)] as const)}
        />
        <button class="small" type="submit" formaction={action} formnovalidate data-inserts="replyBody">
          Insert
        </button>
      </>
    )}
    <a class="small" href={manage}>
      Saved replies
    </a>
  </div>
);

/** The sent form with the chosen saved reply after the typed text. Throws `bad_request` if the reply is deleted. */
export async function withSavedReply(
  { ask, fields, param }: SignedInVisit,
  thread: OwnedThread,
): Promise<Fields> {
  const { items } = await ask(savedReplies.list, { params: { appId: param("appId") } });
  const chosen = items.find(({ id }) => id === fields.text("savedReply"));
  if (!chosen)
    throw new ApiError("bad_request", {
      issues: [{ path: "savedReply", message: "is deleted; choose another" }],
    });
  const name = senderNameIn(thread, fields.text("replyReceiver"));
  const { senderPages: hasPage } = await ask(apps.read, { params: { appId: param("appId") } });
  const text = replyFrom(chosen.body, { name, app: thread.app.name, hasPage });
  const typed = fields.text("replyBody").trimEnd();
  const whole = typed === "" ? text : `${typed}\n\n${text}`;
  return { ...fields, text: (field) => (field === "replyBody" ? whole : fields.text(field)) };
}

/** The name of the sender who gets the reply. A reply to everyone has no name. */
function senderNameIn({ sender, messages }: OwnedThread, receiver: string): string | null {
  if (receiver === "") return sender.name;
  return messages.find(({ id }) => id === receiver)?.sender?.name ?? null;
}
