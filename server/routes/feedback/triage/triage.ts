import type { threads as contract } from "../../../../src/contract/console/feedback.ts";
import type { Deps } from "../../../deps.ts";
import type { Request } from "../../../http/handler.ts";
import type { Transaction } from "../../../store/engine/database.ts";
import { createAuditWriter } from "../../access/audit-record.ts";
import { assign } from "./assignment.ts";
import { changeTags } from "./thread-tags.ts";

interface Asked {
  readonly request: Request<typeof contract.update>;
  readonly appId: string;
}

/** Changes assignee and tags of a thread as asked. Gives what else is asked, and whether there was something to change. */
export async function triage(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  { request: { caller, address, params, body }, appId }: Asked,
) {
  const { assignee, expectedAssignee, addTags, removeTags, ...change } = body;
  const record = createAuditWriter(deps);
  const thread = { id: params.id, appId };
  if (assignee !== undefined) {
    const asked = { ...thread, assignee, expectedAssignee, userId: caller.userId };
    const label = await assign(tx, asked);
    const action = { action: "thread.assign", appId, target: params.id } as const;
    await record(tx, { caller, address }, label === undefined ? action : { ...action, label });
  }
  const retagged = await changeTags(deps, tx, { ...thread, addTags, removeTags });
  if (retagged) await record(tx, { caller, address }, { action: "thread.tag", appId, target: params.id });
  return { change, isTriaged: retagged || assignee !== undefined };
}
