import { qualifyingSession } from "../../src/contract/limits.ts";
import type { SessionReason } from "../../src/contract/sessions.ts";
import { dayIndexAt, type TestDays } from "./test-days.ts";

/** What the device says; instants are ISO 8601 UTC with milliseconds, `screens` are distinct. */
export interface ReportedSession {
  readonly startedAt: string;
  readonly endedAt: string;
  readonly screens: readonly string[];
}

/** What a verdict on a day depends on, of the seat and its cycle. */
export interface TestedSlot {
  readonly status: string;
  /** When it became active; null where it never did. */
  readonly activatedAt: string | null;
  readonly countedDays: ReadonlySet<number>;
  readonly cycle: TestDays & { readonly status: string };
}

export interface SessionVerdict {
  readonly counted: boolean;
  /** The day of the test that the session belongs to; null outside the test. */
  readonly dayIndex: number | null;
  readonly reason: SessionReason | null;
}

/** So far may a device's clock be ahead of ours. */
export const skewMilliseconds = 120_000;

/** Decides whether a session counts its day. The first rule that fails is the reason. (spec: Day counting for a seat) */
export function judgeSession(session: ReportedSession, slot: TestedSlot, now: Date): SessionVerdict {
  const day = dayIndexAt(slot.cycle, session.startedAt);
  const dayIndex = day >= 1 && day <= slot.cycle.durationDays ? day : null;
  const refuse = (reason: SessionReason): SessionVerdict => ({ counted: false, dayIndex, reason });

  if (slot.cycle.status !== "running") return refuse("cycle_not_running");
  if (!isActive(slot)) return refuse("slot_not_active");
  if (Date.parse(session.startedAt) > now.getTime() + skewMilliseconds) return refuse("session_in_future");
  if (dayIndex === null || !isVouchable(session, slot, dayIndex, now)) return refuse("session_stale");
  if (slot.countedDays.has(dayIndex)) return refuse("already_submitted");
  if (!meetsTheBar(session, now)) return refuse("session_below_bar");
  return { counted: true, dayIndex, reason: null };
}

/** `at_risk` counts as active. */
export const isActive = ({ status }: Pick<TestedSlot, "status">): boolean =>
  status === "active" || status === "at_risk";

/** The server vouches for today and the day before, from when the seat became active on. */
function isVouchable(
  { startedAt }: ReportedSession,
  { activatedAt, cycle }: TestedSlot,
  dayIndex: number,
  now: Date,
): boolean {
  if (activatedAt === null || startedAt < activatedAt) return false;
  return dayIndex >= dayIndexAt(cycle, now.toISOString()) - 1;
}

/** What lies further ahead than clocks differ has not been tested yet: it adds nothing to the length. */
function meetsTheBar({ startedAt, endedAt, screens }: ReportedSession, now: Date): boolean {
  const end = Math.min(Date.parse(endedAt), now.getTime() + skewMilliseconds);
  const seconds = (end - Date.parse(startedAt)) / 1_000;
  return seconds >= qualifyingSession.seconds && screens.length >= qualifyingSession.screens;
}
