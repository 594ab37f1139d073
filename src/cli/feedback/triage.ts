import type { SavedReply } from "../../contract/saved-replies.ts";
import type { Tag } from "../../contract/tags.ts";
import { appIdOf } from "../core/app-id.ts";
import type { Invocation } from "../core/context.ts";
import { type Column, note, printList, printOne } from "../core/output.ts";
import { threadText } from "./thread-text.ts";
import { wholeThreadId } from "./threads.ts";

/** Lists the tags of an app. */
export async function listTags(invocation: Invocation): Promise<undefined> {
  const { items } = await invocation.client().tags.list({ params: { appId: await appIdOf(invocation) } });
  printList(invocation, { items, columns });
}

const columns: readonly Column<Tag>[] = [
  { heading: "tag", of: ({ name }) => name },
  { heading: "threads", of: ({ threads }) => threads },
  { heading: "colour", of: ({ colour }) => colour },
];

/** Lists the saved replies of an app. */
export async function listSavedReplies(invocation: Invocation): Promise<undefined> {
  const { savedReplies } = invocation.client();
  const { items } = await savedReplies.list({ params: { appId: await appIdOf(invocation) } });
  printList(invocation, { items, columns: replyColumns });
}

const replyColumns: readonly Column<SavedReply>[] = [
  { heading: "id", of: ({ id }) => id, isId: true },
  { heading: "title", of: ({ title }) => title },
  { heading: "text", of: ({ body }) => body },
];

/** Gives a thread tags and takes tags from it; makes those that the app lacks. */
export async function changeTags(
  invocation: Invocation,
  given: string,
  body: { readonly addTags?: string[]; readonly removeTags?: string[] },
): Promise<undefined> {
  const id = await wholeThreadId(invocation, given);
  const thread = await invocation.client().threads.update({ params: { id }, body });
  const names = thread.tags.map(({ name }) => name).join(", ");
  note(invocation, `Feedback ${id} has ${names === "" ? "no tags" : `the tags ${names}`}.`);
  printOne(invocation, thread, () => threadText(thread));
}

/** Gives a thread to a member, to the caller (`me`) or to nobody (`none`), unless it changed hands meanwhile. */
export async function assignThread(invocation: Invocation, given: string, who: string): Promise<undefined> {
  const id = await wholeThreadId(invocation, given);
  const { threads } = invocation.client();
  const { assignee: seen } = await threads.read({ params: { id } });
  const body = { assignee: who === "none" ? null : who, expectedAssignee: seen?.userId ?? null };
  const thread = await threads.update({ params: { id }, body });
  note(
    invocation,
    `Feedback ${id} is ${thread.assignee ? `assigned to ${thread.assignee.email}` : "nobody's"}.`,
  );
  printOne(invocation, thread, () => threadText(thread));
}
