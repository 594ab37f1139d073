import { Temporal } from "temporal-polyfill";
import type { SessionReason } from "../../../src/contract/test-sessions.ts";

/** The fault of an image of a proof; undefined for a valid image. */
type ImageFault = string | undefined;

type ProofVerdict =
  | { readonly accepted: true; readonly dayIndex: number }
  | {
      readonly accepted: false;
      readonly code:
        | "slot_not_active"
        | "cycle_not_running"
        | "out_of_window"
        | "already_submitted"
        | "no_images"
        | "bad_image";
      /** The day of the test that the proof is for. */
      readonly dayIndex: number;
    };

/**
 * Decides whether a proof is accepted. The first broken rule is the reason for a refusal. The listing's
 * `verificationTier` does not matter. (rules T28, T34)
 */
export function judgeProof(
  { capturedAt, imageFaults }: { readonly capturedAt: string; readonly imageFaults: readonly ImageFault[] },
  slot: TestedSlot,
  now: Date,
): ProofVerdict {
  const dayIndex = dayIndexAt(slot.cycle, capturedAt);
  const refuse = (code: Extract<ProofVerdict, { accepted: false }>["code"]): ProofVerdict => ({
    accepted: false,
    code,
    dayIndex,
  });

  if (slot.cycle.status !== "running") return refuse("cycle_not_running");
  if (!isActive(slot)) return refuse("slot_not_active");
  if (!isToday(dayIndex, slot, now)) return refuse("out_of_window");
  if (slot.countedDays.has(dayIndex)) return refuse("already_submitted");
  if (imageFaults.length === 0) return refuse("no_images");
  if (imageFaults.some((fault) => fault !== undefined)) return refuse("bad_image");
  return { accepted: true, dayIndex };
}

/**
 * Whether the server would have accepted a proof at the time of its capture. A cycle that is `recruiting` is judged as
 * `running`.
 */
export function wouldHaveBeenAccepted(
  proof: { readonly capturedAt: string; readonly imageFaults: readonly ImageFault[] },
  slot: TestedSlot,
): boolean {
  const { cycle } = slot;
  const begun = cycle.status === "recruiting" ? { ...cycle, status: "running" } : cycle;
  return judgeProof(proof, { ...slot, cycle: begun }, new Date(proof.capturedAt)).accepted;
}

/** Whether a proof was captured today. The capture may be later than the server's time, because clocks differ. */
function isToday(dayIndex: number, { cycle }: TestedSlot, now: Date): boolean {
  const inTest = dayIndex >= 1 && dayIndex <= cycle.durationDays;
  return inTest && dayIndex === dayIndexAt(cycle, now.toISOString());
}

/** Whether a proof was refused only because its day or the test has not begun. It may be accepted later. */
export const isPassingRefusal = (
  { code, capturedAt }: { readonly code: string; readonly capturedAt: string },
  { cycle }: TestedSlot,
  now: Date,
): boolean =>
  capturedAt > now.toISOString() &&
  (code === "out_of_window" || (code === "cycle_not_running" && cycle.status === "recruiting"));

/** The facts about a slot that decide what happens to the slot when a day closes. */
interface ClosingSlot {
  readonly missedDays: number;
  /** The day on which the slot became active. */
  readonly activeFromDay: number;
  readonly countedDays: ReadonlySet<number>;
}

/**
 * Returns the effect of a closed day on a slot. `removed`: the slot missed too many days before this day.
 * `missed`: the slot missed this day. (rule T9)
 */
export function afterDay(
  slot: ClosingSlot,
  dayIndex: number,
  maxMissedDays: number,
): "removed" | "missed" | "unchanged" {
  if (hasMissedTooMany(slot, maxMissedDays)) return "removed";
  return isMissed(dayIndex, slot.activeFromDay, slot.countedDays) ? "missed" : "unchanged";
}

/** Whether a slot has missed so many days that the tester loses it. Missed days need not be consecutive. (rule T11) */
export const hasMissedTooMany = (
  { missedDays }: Pick<ClosingSlot, "missedDays">,
  maxMissedDays: number,
): boolean => missedDays >= maxMissedDays;

/** Whether a slot misses a closed day: the day does not count, and the slot was active before it. (rule T10) */
export const isMissed = (
  dayIndex: number,
  activeFromDay: number,
  countedDays: ReadonlySet<number>,
): boolean => dayIndex > activeFromDay && !countedDays.has(dayIndex);

/** The time in milliseconds for which a request for a slot is valid. */
export const requestMilliseconds = 48 * 3_600_000;

/** Whether a cycle accepts testers: it is not cancelled, and its last day is not over. */
export const acceptsTesters = (
  { status, dayStarts }: { readonly status: string; readonly dayStarts: readonly string[] },
  now: string,
): boolean => (status === "recruiting" || status === "running") && !isOver({ dayStarts }, now);

/**
 * Whether further days of a slot can count. The tester sees the test key only while this is true. (rule T12)
 */
export const canEarn = (status: string, cycleStatus: string): boolean =>
  isActive({ status }) && (cycleStatus === "recruiting" || cycleStatus === "running");

/**
 * Returns the counted days of a slot. `counted` contains their numbers, each with a comma before and after it.
 */
export const countedDaysOf = (counted: string): ReadonlySet<number> =>
  new Set(counted.split(",").flatMap((day) => (day === "" ? [] : [Number(day)])));

/**
 * The minimum length and number of screens of a session that counts. The contract does not contain these
 * values, because they may change. (rule T16)
 */
export const qualifyingSession = { seconds: 45, screens: 2 } as const;

/** A session as the device reports it. Instants are ISO 8601 UTC with milliseconds; `screens` has no duplicates. */
interface ReportedSession {
  readonly startedAt: string;
  readonly endedAt: string;
  readonly screens: readonly string[];
}

/** The facts about a slot and its cycle that the server needs to judge a session or a proof. */
export interface TestedSlot {
  readonly status: string;
  /** The time at which the slot became active; null if it is not active yet. */
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

/** The time in milliseconds by which a device's clock may be ahead of the server's clock. (rule D6) */
const skewMilliseconds = 120_000;

/**
 * Decides whether a session makes its day count. The first broken rule is the reason for a refusal. (rules D3, D4, T17)
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

/** Whether a session would have counted at the time of its end. A cycle that is `recruiting` is judged as `running`. */
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
 * Whether a session began after the last day. The state of the cycle does not show this: the cycle runs one
 * more day, in which late sessions of the last day count.
 */
const isAfterTheEnd = ({ startedAt }: ReportedSession, cycle: TestDays, now: Date): boolean =>
  isOver(cycle, startedAt) && (isOver(cycle, now.toISOString()) || !isAhead(startedAt, now));

/**
 * Whether the server can confirm the day of a session. The day must be today or yesterday, and not before the
 * slot's first active day. On the first active day, a session may begin before the owner accepts the tester.
 * (rule D5)
 */
function isConfirmable(dayIndex: number, { activatedAt, cycle }: TestedSlot, now: Date): boolean {
  if (activatedAt === null || dayIndex < dayIndexAt(cycle, activatedAt)) return false;
  return dayIndex >= dayIndexAt(cycle, now.toISOString()) - 1;
}

/**
 * Whether a session has the minimum length and screens. If the end is too far ahead of the server's time, the current
 * time counts as the end. A short session is no disadvantage: another session can still make the day count.
 * (rules D6, T18)
 */
function isLongEnough({ startedAt, endedAt, screens }: ReportedSession, now: Date): boolean {
  const end = isAhead(endedAt, now) ? now.getTime() : Date.parse(endedAt);
  const seconds = (end - Date.parse(startedAt)) / 1_000;
  return seconds >= qualifyingSession.seconds && screens.length >= qualifyingSession.screens;
}

/** The plan of a cycle: its first day (YYYY-MM-DD), its IANA time zone and its number of days. */
interface TestPlan {
  readonly startsOn: string;
  readonly timezone: string;
  readonly durationDays: number;
}

/**
 * `dayStarts` has the instants at which the days begin, and then the end of the last day. Instants are ISO 8601 UTC
 * with milliseconds.
 */
export interface TestDays extends TestPlan {
  readonly dayStarts: readonly string[];
}

/**
 * Returns the instants at which the days begin, and the end of the last day. A day has 23 or 25 hours when clocks
 * change. (rule D1)
 */
export function dayStartsOf({ startsOn, timezone, durationDays }: TestPlan): string[] {
  const first = Temporal.PlainDate.from(startsOn);
  return Array.from({ length: durationDays + 1 }, (_, days) =>
    instantText(first.add({ days }).toZonedDateTime(timezone).epochMilliseconds),
  );
}

/** Returns the starts of the days from the JSON in a row. */
export const dayStartsOfRow = ({ dayStarts }: { readonly dayStarts: string }): string[] =>
  JSON.parse(dayStarts);

/** Returns the instant from which late sessions of the last day do not count: the end of the next day. (rule D7) */
export function graceEndOf({ startsOn, timezone, durationDays }: TestPlan): string {
  const after = Temporal.PlainDate.from(startsOn).add({ days: durationDays + 1 });
  return instantText(after.toZonedDateTime(timezone).epochMilliseconds);
}

/** Whether the last day of the test is over. */
export const isOver = ({ dayStarts }: Pick<TestDays, "dayStarts">, now: string): boolean =>
  now >= (dayStarts.at(-1) ?? "");

/**
 * Returns the test day of an instant; the first day is 1. A number below 1 is before the test, and a number
 * above `durationDays` is after the test.
 */
export function dayIndexAt(days: TestDays, instant: string): number {
  const stored = days.dayStarts.findLastIndex((start) => start <= instant);
  if (stored >= 0 && stored < days.durationDays) return stored + 1;
  const date = Temporal.Instant.from(instant).toZonedDateTimeISO(days.timezone).toPlainDate();
  const index = Temporal.PlainDate.from(days.startsOn).until(date, { largestUnit: "day" }).days + 1;
  // The calendar date must not contradict the stored days. The rules of the time zone may have changed after
  // the days were stored. (rule D2)
  return stored < 0 ? Math.min(index, 0) : Math.max(index, days.durationDays + 1);
}

/** Returns the number of today: 0 before the first day, and the last day's number after the test. (rule D3) */
export const todayOf = (days: TestDays, now: Date): number =>
  Math.min(Math.max(dayIndexAt(days, now.toISOString()), 0), days.durationDays);

/** Returns the start and end of today in epoch milliseconds: `-Infinity` before the test, `Infinity` after it. */
export function spanOfToday({ dayStarts }: Pick<TestDays, "dayStarts">, now: Date) {
  const next = dayStarts.findIndex((start) => start > now.toISOString());
  const today = next < 0 ? dayStarts.length : next;
  const start = dayStarts[today - 1];
  const end = dayStarts[today];
  return {
    from: start === undefined ? Number.NEGATIVE_INFINITY : Date.parse(start),
    until: end === undefined ? Number.POSITIVE_INFINITY : Date.parse(end),
  };
}

/** Returns the end of a day. For day 0 it returns the end of the first day. */
export function dueByOf({ dayStarts }: TestDays, dayIndex: number): string {
  return dayStarts[Math.max(dayIndex, 1)] ?? dayStarts.at(-1) ?? "";
}

const instantText = (milliseconds: number): string => new Date(milliseconds).toISOString();

/**
 * Returns the screen that the tester of a slot is asked to visit on a day. The same arguments always give the
 * same screen. All screens are used about equally often. If there are several screens, the screen differs from
 * the screen of the day before. (rule T27)
 */
export function targetScreen(screens: readonly string[], slotId: string, dayIndex: number): string {
  if (screens.length === 0) return "";
  const seed = hash(slotId);
  let at = mixed(seed) % screens.length;
  for (let day = 2; day <= dayIndex; day += 1) {
    // The step is at least 1 and less than the number of screens, so the next screen differs.
    at = (at + 1 + (mixed(seed + day) % Math.max(1, screens.length - 1))) % screens.length;
  }
  return screens[at] ?? "";
}

/** Returns the FNV-1a hash of a text, 32 bits long. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value;
}

/** Mixes the bits of a number: each bit of the result depends on all bits of the given number. */
function mixed(number: number): number {
  let value = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
