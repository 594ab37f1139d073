import type { Cycle, CycleReport, SlotDay } from "../../../src/contract/cycles.ts";
import type { VerificationTier } from "../../../src/contract/tester.ts";
import { countOf } from "../../../src/words/phrases.ts";
import { qualifyingSession } from "../days/rules.ts";

/** A slot, with or without a tester. A removed slot and its replacement have the same `seat` number. */
export interface ReportedSlot {
  readonly id: string;
  readonly seat: number;
  readonly status: CycleReport["seats"][number]["status"];
  readonly missedDays: number;
  readonly activatedAt: string | null;
  readonly endedAt: string | null;
}

interface ReportedDay {
  readonly slotId: string;
  readonly dayIndex: number;
  readonly kind: "session" | "proof";
}

/**
 * The number of sessions of a slot, and the total length of the sessions whose times the server could confirm.
 */
interface SessionTotal {
  readonly slotId: string;
  readonly sessions: number;
  readonly milliseconds: number;
}

export interface ReportedCycle {
  readonly cycle: Cycle;
  /** The number of days of the test that are over. */
  readonly closedDays: number;
  readonly verificationTier: VerificationTier;
  readonly appName: string;
  readonly packageName: string;
  /** Sorted by number, then by the time of creation. */
  readonly slots: readonly ReportedSlot[];
  readonly days: readonly ReportedDay[];
  readonly sessions: readonly SessionTotal[];
}

/**
 * Returns the report of a cycle, with figures and a statement. The report does not say who the testers are.
 * (rule T33)
 */
export function reportOf({
  cycle,
  closedDays,
  verificationTier,
  appName,
  packageName,
  slots,
  days,
  sessions,
}: ReportedCycle): CycleReport {
  const facts = slots.map((slot) => slotFacts(slot, days, sessions));
  const held = facts.filter((_, at) => isHeld(slots, at, cycle.status));
  const finished = days.filter(({ dayIndex }) => dayIndex <= closedDays);
  const figures = {
    testers: held.length,
    testersWithEveryDay: held.filter(({ daysCounted }) => daysCounted === cycle.durationDays).length,
    finishedDays: closedDays,
    testersWithEveryFinishedDay: held.filter(
      ({ slotId }) => finished.filter((day) => day.slotId === slotId).length === closedDays,
    ).length,
  };
  return {
    cycle,
    appName,
    packageName,
    ...figures,
    testersPerDay: Array.from({ length: cycle.durationDays }, (_, at) => ({
      dayIndex: at + 1,
      testers: days.filter(({ dayIndex }) => dayIndex === at + 1).length,
    })),
    seats: facts,
    statement: statementOf({ ...cycle, verificationTier }, figures),
  };
}

function slotFacts(
  { id, seat, status, missedDays, activatedAt, endedAt }: ReportedSlot,
  days: readonly ReportedDay[],
  sessions: readonly SessionTotal[],
): CycleReport["seats"][number] {
  const own = days.filter(({ slotId }) => slotId === id);
  const bySession = own.filter(({ kind }) => kind === "session").length;
  const total = sessions.find(({ slotId }) => slotId === id);
  return {
    slotId: id,
    seat,
    status,
    daysCounted: own.length,
    daysBySession: bySession,
    daysByProof: own.length - bySession,
    missedDays,
    sessions: total?.sessions ?? 0,
    secondsTested: Math.floor((total?.milliseconds ?? 0) / 1_000),
    activatedAt,
    endedAt,
  };
}

/** Whether a slot has a tester. In a cancelled cycle, a removed slot without a replacement also counts. */
function isHeld(slots: readonly ReportedSlot[], at: number, cycleStatus: Cycle["status"]): boolean {
  const slot = slots[at];
  if (slot?.status !== "removed") return slot?.activatedAt != null;
  return cycleStatus === "cancelled" && slots[at + 1]?.seat !== slot.seat;
}

type Figures = Pick<
  CycleReport,
  "testers" | "testersWithEveryDay" | "finishedDays" | "testersWithEveryFinishedDay"
>;

function statementOf(
  {
    status,
    durationDays,
    dayIndex,
    verificationTier,
  }: Cycle & { readonly verificationTier: VerificationTier },
  figures: Figures,
): string {
  const { testers, testersWithEveryDay, finishedDays } = figures;
  const isOver = finishedDays >= durationDays;
  const isLateAccepted = verificationTier === "sdk";
  const progress = {
    recruiting: "The test has not started.",
    running: isOver
      ? `The last day of the test is over; ${isLateAccepted ? "late sessions of that day still count" : "no further day can count"}.`
      : `The test is on day ${dayIndex} of ${durationDays}.`,
    completed: `The test ran for ${countOf(durationDays, "day")}.`,
    cancelled: "The test was cancelled before its end.",
  }[status];
  const when = status === "recruiting" || status === "running" ? "have" : "had";
  const holders = `${countOf(testers, "tester")} ${testers === 1 && when === "have" ? "has" : when} a slot`;
  const counts =
    when === "have" && !isOver
      ? soFar(figures)
      : `; ${ofThem(testersWithEveryDay)} every day of the test counted`;
  return `${progress} ${holders}${when === "had" ? " when it ended" : ""}${counts}. ${meaning}`;
}

/** Returns the text about the testers for whom all finished days counted; empty if no day is finished. */
function soFar({ finishedDays, testersWithEveryFinishedDay }: Figures): string {
  if (finishedDays === 0) return "";
  const days = finishedDays === 1 ? "the one finished day" : `all ${finishedDays} finished days`;
  return `; ${ofThem(testersWithEveryFinishedDay)} ${days} counted`;
}

const ofThem = (count: number): string => `${count} of them ${count === 1 ? "has" : "have"}`;

const meaning = [
  `A day counted by a session says only this: a session of at least ${qualifyingSession.seconds} seconds`,
  `reached at least ${qualifyingSession.screens} screens on that day, and the reporter had the key of that slot.`,
  "A day counted by a proof says that the tester sent images on that day.",
  "This report does not say how an app store will decide.",
].join(" ");

/** The state of a cycle directly after it was planned. */
interface InitialState {
  readonly status: "recruiting" | "running";
  readonly closedDays: number;
  /** The time at which the next change of the cycle is due. */
  readonly nextAt: string;
}

/**
 * Returns a new cycle's state; undefined if its last day is over. Instants are ISO 8601 UTC with milliseconds.
 * (rule D9)
 */
export function initialStateOf(dayStarts: readonly string[], now: string): InitialState | undefined {
  const begun = dayStarts.filter((start) => start <= now).length;
  const nextAt = dayStarts[begun];
  if (nextAt === undefined) return undefined;
  return { status: begun === 0 ? "recruiting" : "running", closedDays: Math.max(0, begun - 1), nextAt };
}

/** The facts about a slot that determine the state of its days. */
export interface SlotLife {
  /** The day of the test on which the slot became active; null if it is not active yet. */
  readonly activeFromDay: number | null;
  /** The time at which the slot was removed or completed; null before that. */
  readonly endedAt: string | null;
}

/** The facts about a cycle that determine the state of its days. */
export interface CycleLife {
  readonly status: string;
  readonly dayStarts: readonly string[];
  readonly closedDays: number;
}

/** Returns the state of a day of a slot. The slot's first active day is never missed. (rule T10) */
export function dayStateOf(
  { dayIndex, isCounted }: { readonly dayIndex: number; readonly isCounted: boolean },
  slot: SlotLife,
  { status, dayStarts, closedDays }: CycleLife,
): SlotDay["state"] {
  if (isCounted) return "counted";
  if (slot.activeFromDay === null || dayIndex < slot.activeFromDay) return "none";
  if (endedBefore(dayStarts[dayIndex], slot.endedAt)) return "none";
  if (dayIndex <= closedDays) return dayIndex > slot.activeFromDay ? "missed" : "none";
  return status === "running" && dayIndex === closedDays + 1 ? "open" : "ahead";
}

/** Whether a slot ended at a day's end or earlier, so that it does not miss the day. */
const endedBefore = (dayEnd: string | undefined, endedAt: string | null): boolean =>
  endedAt !== null && dayEnd !== undefined && endedAt <= dayEnd;
