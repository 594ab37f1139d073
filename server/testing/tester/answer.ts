import type { Slot, Task } from "../../../src/contract/tester.ts";
import type { Sealer } from "../../secrets/secrets.ts";
import { dayStartsOfRow, dueByOf, type TestDays, targetScreen, todayOf } from "../days/rules.ts";
import type { TestedSlot } from "../days/sessions-rules.ts";
import { canEarn, countedDaysOf } from "../days/slots-rules.ts";
import type { TesterSlotRow } from "./store.ts";

/**
 * Returns the task of a tester on a day of a running test: today or an earlier day. Clients show `dayIndex` and
 * `targetScreen` as they are, and never compute them. (rules T26, T35)
 */
export function taskAnswer(slot: TesterSlot, dayIndex: number, deps: SlotAnswerDeps): Task {
  const { row, days, counted } = slot;
  return {
    slotId: row.slotId,
    cycleId: row.cycleId,
    listingId: row.listingId,
    appName: row.appName,
    iconUrl: row.iconUrl ?? deps.iconUrl,
    packageName: row.packageName,
    optInUrl: row.optInUrl,
    testBrief: row.testBrief,
    dayIndex,
    durationDays: row.durationDays,
    targetScreen: targetScreen(screensOf(row), row.slotId, dayIndex),
    dueBy: dueByOf(days, dayIndex),
    submitted: counted.has(dayIndex),
    slotStatus: row.status,
    missedDays: row.missedDays,
    joinCheckPending: row.joinCheckPending === 1,
    verificationTier: row.verificationTier,
    testKey: testKeyOf(slot, deps) ?? null,
  };
}

const screensOf = ({ screens }: TesterSlot["row"]): string[] => JSON.parse(screens);

/**
 * The dependencies of an answer about a slot: the sealer that decrypts the test key of the slot, and the icon for apps
 * without an icon of their own.
 */
export interface SlotAnswerDeps {
  readonly sealer: Sealer;
  readonly iconUrl: string;
}

/** Converts a slot to the object that the API returns to its tester. */
export function slotAnswer(slot: TesterSlot, deps: SlotAnswerDeps): Slot {
  const { row, today, counted } = slot;
  const testKey = testKeyOf(slot, deps);
  return {
    slotId: row.slotId,
    cycleId: row.cycleId,
    status: row.status,
    app: {
      name: row.appName,
      iconUrl: row.iconUrl ?? deps.iconUrl,
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

/**
 * Returns the test key if it can be used: a day can still count, and the app reports sessions. Otherwise returns
 * undefined.
 */
function testKeyOf({ row }: TesterSlot, { sealer }: Pick<SlotAnswerDeps, "sealer">): string | undefined {
  if (row.verificationTier !== "sdk" || row.keySealed === null) return undefined;
  return canEarn(row.status, row.cycleStatus) ? sealer.open(row.keySealed) : undefined;
}

/** A slot of a tester with the days of its test. */
export interface TesterSlot {
  readonly row: TesterSlotRow;
  readonly days: TestDays;
  /** The number of the current day: 0 before the first day, and the number of the last day after the test. */
  readonly today: number;
  readonly counted: ReadonlySet<number>;
}

export function testerSlotOf(row: TesterSlotRow, now: Date): TesterSlot {
  const { startsOn, timezone, durationDays } = row;
  const days = { startsOn, timezone, durationDays, dayStarts: dayStartsOfRow(row) };
  return { row, days, today: todayOf(days, now), counted: countedDaysOf(row.counted) };
}

/** Returns the facts about a slot that are needed to decide whether a proof is accepted. */
export const testedSlotOf = ({ row, days, counted }: TesterSlot): TestedSlot => ({
  status: row.status,
  activatedAt: row.activatedAt,
  countedDays: counted,
  cycle: { ...days, status: row.cycleStatus },
});
