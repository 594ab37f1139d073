import type { ThreadChange } from "../../../../src/contract/console/feedback.ts";
import type { Deps } from "../../../deps.ts";
import type { ConsoleCaller } from "../../../http/handler.ts";
import type { Transaction } from "../../../store/engine/database.ts";
import { updateThread } from "../../../store/feedback/inbox.ts";
import { createAuditWriter } from "../../access/audit-record.ts";
import { assign } from "./assignment.ts";
import { changeTags } from "./thread-tags.ts";

interface Asked {
  readonly caller: ConsoleCaller;
  readonly address: string;
  readonly id: string;
  readonly appId: string;
  readonly change: ThreadChange;
}

/** Changes a thread as asked. (rules F30, F31) */
export async function changeThread(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  { caller, address, id, appId, change: asked }: Asked,
): Promise<void> {
  const { assignee, expectedAssignee, addTags, removeTags, ...change } = asked;
  const record = createAuditWriter(deps);
  const thread = { id, appId };
  if (assignee !== undefined) {
    const asked = { ...thread, assignee, expectedAssignee, userId: caller.userId };
    const label = await assign(tx, asked);
    const action = { action: "thread.assign", appId, target: id } as const;
    await record(tx, { caller, address }, label === undefined ? action : { ...action, label });
  }
  const retagged = await changeTags(deps, tx, { ...thread, addTags, removeTags });
  if (retagged) await record(tx, { caller, address }, { action: "thread.tag", appId, target: id });
  const isTriaged = retagged || assignee !== undefined;
  if (isTriaged && Object.keys(change).length === 0) return;
  await updateThread(tx, id, { ...change, at: deps.clock.now().toISOString(), by: caller.userId });
  await record(tx, { caller, address }, { action: "thread.update", appId, target: id });
}
