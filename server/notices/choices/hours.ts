import type { QuietHours } from "../../../src/contract/notices.ts";
import type { Transaction } from "../../database/database.ts";
import { noticesTopic } from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import { dueAt } from "../waiting/rules.ts";
import { notices } from "../waiting/store.ts";
import { noticeChoices, quietHoursOf } from "./store.ts";

/** Changes the time zone and quiet hours of an account, and the times of waiting notices. (rule N4) */
export async function changeHours(
  { clock }: Pick<Deps, "clock">,
  tx: Transaction,
  userId: string,
  {
    timezone: zone,
    quietHours,
  }: {
    readonly timezone?: string | undefined;
    /** Null for no quiet hours; undefined if they do not change. */
    readonly quietHours?: QuietHours | null | undefined;
  },
): Promise<void> {
  await tx.lock(`hours:${userId}`);
  const before = await noticeChoices.hours(tx, userId);
  if (!before) return;
  const present = quietHoursOf(before);
  const timezone = zone ?? before.timezone;
  const quiet = quietHours === undefined ? present : quietHours;
  if (timezone === before.timezone && quiet?.from === present?.from && quiet?.to === present?.to) return;
  await noticeChoices.setHours(tx, userId, timezone, quiet);
  for (const batch of await notices.waitingOf(tx, userId)) {
    const from = batch.way === "daily" ? clock.now() : new Date(batch.firstAt);
    await notices.reschedule(tx, batch, dueAt(batch.way, from, { timezone, quiet }).toISOString());
  }
  tx.signal(noticesTopic);
}
