import type { Task } from "../../../src/contract/tester.ts";
import { dueByOf } from "../cycles/days.ts";
import { targetScreen } from "../cycles/target-screen.ts";
import { type SlotDisplay, testKeyOf } from "./answer.ts";
import type { TesterSlot } from "./tester-days.ts";

/** The task of a tester on a day of a running test: today or an earlier day. */
export function taskAnswer(slot: TesterSlot, dayIndex: number, shown: SlotDisplay): Task {
  const { row, days, counted } = slot;
  return {
    slotId: row.slotId,
    cycleId: row.cycleId,
    listingId: row.listingId,
    appName: row.appName,
    iconUrl: row.iconUrl ?? shown.iconUrl,
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
    testKey: testKeyOf(slot, shown) ?? null,
  };
}

const screensOf = ({ screens }: TesterSlot["row"]): string[] => JSON.parse(screens);
