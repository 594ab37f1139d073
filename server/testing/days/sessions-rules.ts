import type { SessionReason } from "../../../src/contract/test-sessions.ts";
import { dayIndexAt, isOver, type TestDays } from "./rules.ts";

/**
 * The minimum length and number of screens of a session that counts. Only the server knows these values, because they
 * may change. (rule T16)
 */
export const qualifyingSession = { seconds: 45, screens: 2 } as const;

/**
 * A test session as the device reports it. Instants are ISO 8601 UTC with milliseconds; `screens` has no duplicates.
 */
export interface ReportedSession {
  readonly startedAt: string;
  readonly endedAt: string;
  readonly screens: readonly string[];
}

/** The facts about a slot and its cycle that a verdict needs. */
export interface TestedSlot {
  readonly status: string;
  /** When the slot became active, or null. */
  readonly activatedAt: string | null;
  readonly countedDays: ReadonlySet<number>;
  readonly cycle: TestDays & { readonly status: string };
}

export interface SessionVerdict {
  readonly counted: boolean;
  /** The day of the test that the session belongs to; 0 if it belongs to none. */
  readonly dayIndex: number;
  readonly reason: SessionReason | null;
}

/** How far a device's clock may be ahead of the server's clock. (rule D6) */
const skewMilliseconds = 120_000;

/**
 * Decides whether a session makes its day count. If it breaks several rules, the first of them is the reason why it
 * does not count. (rules D3, D4, T17)
 */
export function judgeSession(session: ReportedSession, slot: TestedSlot, now: Date): SessionVerdict {
  const day = dayIndexAt(slot.cycle, session.startedAt);
  const dayIndex = day >= 1 && day <= slot.cycle.durationDays ? day : 0;
  const refuse = (reason: SessionReason): SessionVerdict => ({ counted: false, dayIndex, reason });

  if (slot.cycle.status !== "running" || isAfterTheEnd(session, slot.cycle, now))
    return refuse("cycle_not_running");
  if (!isActive(slot)) return refuse("slot_not_active");
  if (isAhead(session.startedAt, now)) return refuse("session_in_future");
  if (dayIndex === 0 || !isConfirmable(dayIndex, slot, now)) return refuse("session_stale");
  if (slot.countedDays.has(dayIndex)) return refuse("already_submitted");
  if (!isLongEnough(session, now)) return refuse("session_below_bar");
  return { counted: true, dayIndex, reason: null };
}

/**
 * Whether a session would have counted at the time of its end. If so, its late arrival is the only reason why it does
 * not count.
 */
export function wouldHaveCounted(session: ReportedSession, slot: TestedSlot): boolean {
  const { cycle } = slot;
  const begun = cycle.status === "recruiting" ? { ...cycle, status: "running" } : cycle;
  return judgeSession(session, { ...slot, cycle: begun }, new Date(session.endedAt)).counted;
}

/** Whether the same report may count later, because the session begins or ends later than the server's time. */
export const mayCountLater = (session: ReportedSession, slot: TestedSlot, now: Date): boolean =>
  judgeSession(session, slot, now).reason === "session_in_future" ||
  (session.endedAt > now.toISOString() &&
    !judgeSession(session, slot, now).counted &&
    wouldHaveCounted(session, slot));

/** Whether a slot is active. A slot that is `at_risk` is active, too. */
export const isActive = ({ status }: Pick<TestedSlot, "status">): boolean =>
  status === "active" || status === "at_risk";

/** Whether an instant is later than the server's time, by more than the allowed difference of clocks. */
const isAhead = (instant: string, now: Date): boolean =>
  Date.parse(instant) > now.getTime() + skewMilliseconds;

/**
 * Whether a session began after the last day. The cycle still runs at that time, because late sessions of the last day
 * count.
 */
const isAfterTheEnd = ({ startedAt }: ReportedSession, cycle: TestDays, now: Date): boolean =>
  isOver(cycle, startedAt) && (isOver(cycle, now.toISOString()) || !isAhead(startedAt, now));

/**
 * Whether the server can confirm the day of a session: the day is today or yesterday, and not before the day on which
 * the slot became active. On that day, a session may also have begun before the owner accepted the tester. (rule D5)
 */
function isConfirmable(dayIndex: number, { activatedAt, cycle }: TestedSlot, now: Date): boolean {
  if (activatedAt === null || dayIndex < dayIndexAt(cycle, activatedAt)) return false;
  return dayIndex >= dayIndexAt(cycle, now.toISOString()) - 1;
}

/**
 * Whether a session has the minimum length and number of screens. If its end is later than the server's time by more
 * than the allowed difference of clocks, the present time counts as its end. A session that is too short has no
 * disadvantage for the tester, because another session can still make the day count. (rules D6, T18)
 */
function isLongEnough({ startedAt, endedAt, screens }: ReportedSession, now: Date): boolean {
  const end = isAhead(endedAt, now) ? now.getTime() : Date.parse(endedAt);
  const seconds = (end - Date.parse(startedAt)) / 1_000;
  return seconds >= qualifyingSession.seconds && screens.length >= qualifyingSession.screens;
}
