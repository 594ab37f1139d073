import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { choicesOf, stillWants } from "../choices/rules.ts";
import { noticeChoices, quietHoursOf } from "../choices/store.ts";
import { itemsOf } from "../waiting/items.ts";
import { afterQuiet } from "../waiting/times-rules.ts";
import { type Batch, notices } from "../waiting/store.ts";
import { mostAtOnce } from "./rules.ts";
import { noticeBrowsers, noticePushes } from "./store.ts";

type QueueDeps = Pick<Deps, "newId" | "settings">;

/**
 * Puts the waiting notices of a member about an app into the queues of the member's browsers. Notices and queues change
 * in one transaction, so no notice is lost in a crash. (rules N10, N11)
 */
export async function queuePushes(deps: QueueDeps, tx: Transaction, batch: Batch, now: Date): Promise<void> {
  const rows = await notices.take(tx, batch);
  if (rows.length === 0) return;
  const at = now.toISOString();
  const member = await noticeChoices.member(tx, batch);
  // In the meantime, the member may have left the app, got another role, or turned off this kind of notice. (rules N1,
  // N2)
  const choices = choicesOf(member?.choices ?? null);
  const allowed = rows.filter(({ kind }) => member && stillWants(member.role, choices, kind, "browser"));
  const end = member && afterQuiet(now, { timezone: member.timezone, quiet: quietHoursOf(member) });
  if (allowed.length > 0 && end !== undefined && end > now)
    return notices.postpone(tx, rows, end.toISOString());
  const pushes = await pushesOf(deps, tx, batch, allowed);
  for (const { id: browserId } of await noticeBrowsers.list(tx, batch.userId, at))
    for (const push of pushes)
      await noticePushes.insert(tx, { ...push, id: deps.newId(), browserId, createdAt: at });
  await notices.queued(tx, rows, at, null);
}

/**
 * Returns one notice for each object that still needs the member. For many objects, returns one notice with their
 * number.
 */
async function pushesOf(
  deps: QueueDeps,
  tx: Transaction,
  { userId, appId }: Batch,
  rows: Awaited<ReturnType<typeof notices.take>>,
) {
  const { items, more } = await itemsOf(deps, tx, { appId, userId }, { rows, most: mostAtOnce + 1 });
  if (items.length + more <= mostAtOnce)
    return items.map(({ kind, subjectId, feedbackId, count }) => ({
      ...{ userId, appId, kind, subjectId, feedbackId, count },
    }));
  const count = items.length + more;
  return [{ userId, appId, kind: null, subjectId: null, feedbackId: null, count }];
}
