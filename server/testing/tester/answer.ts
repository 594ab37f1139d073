import type { Slot } from "../../../src/contract/tester.ts";
import type { Sealer } from "../../secrets/secrets.ts";
import { canEarn } from "../slots/rules.ts";
import type { TesterSlot } from "./tester-days.ts";

/** What an answer about a slot needs: the sealer that opens its test key, and the icon of apps without one. */
export interface SlotDisplay {
  readonly sealer: Sealer;
  readonly iconUrl: string;
}

/** A slot as its tester reads it. */
export function slotAnswer(slot: TesterSlot, shown: SlotDisplay): Slot {
  const { row, today, counted } = slot;
  const testKey = testKeyOf(slot, shown);
  return {
    slotId: row.slotId,
    cycleId: row.cycleId,
    status: row.status,
    app: {
      name: row.appName,
      iconUrl: row.iconUrl ?? shown.iconUrl,
      packageName: row.packageName,
      optInUrl: row.optInUrl,
    },
    dayIndex: today,
    durationDays: row.durationDays,
    cycleStatus: row.cycleStatus,
    missedDays: row.missedDays,
    lastProofDayIndex: Math.max(0, ...counted),
    joinCheckPending: row.joinCheckPending === 1,
    requestExpiresAt: row.requestExpiresAt,
    verificationTier: row.verificationTier,
    ...(testKey === undefined ? {} : { testKey }),
  };
}

/** The test key, as long as it can be used: while a day can be earned, in an app that has the SDK. */
export function testKeyOf({ row }: TesterSlot, { sealer }: Pick<SlotDisplay, "sealer">): string | undefined {
  if (row.verificationTier !== "sdk" || row.keySealed === null) return undefined;
  return canEarn(row.status, row.cycleStatus) ? sealer.open(row.keySealed) : undefined;
}
