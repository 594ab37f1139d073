import type { ThreadFilters } from "../../../src/contract/threads.ts";
import type { Reader } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { filteredAssignee } from "../threads/assign.ts";
import { endDueSnoozes } from "../threads/store/snooze-store.ts";
import { tagNamesIn } from "../tags/rules.ts";
import { numberThreads } from "../threads/store/store.ts";
import type { MemberOf } from "../unread/store/read-marks.ts";
import type { Filters } from "./store.ts";

/** Gives new threads their numbers and ends snoozes that are over. Call it before you read the threads of an app. */
export async function prepareInbox(
  deps: Pick<Deps, "clock" | "database" | "log" | "time">,
  appId: string,
): Promise<void> {
  await numberThreads(deps.database, appId);
  await endDueSnoozes(deps);
}

/** Returns filters as the store needs them: names of tags, and the id of the assignee. */
export async function inboxScope(
  reader: Reader,
  { appId, userId }: MemberOf,
  { tag, assignee: given, ...filters }: ThreadFilters,
): Promise<Filters & MemberOf> {
  const tags = tag === undefined ? undefined : tagNamesIn(tag);
  const assignee = await filteredAssignee(reader, appId, { assignee: given, userId });
  return { appId, userId, tags, assignee, ...filters };
}
