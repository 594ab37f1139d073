import { Temporal } from "temporal-polyfill";
import type { CycleStatus, SlotStatus } from "../../../src/contract/cycles.ts";
import type {
  CycleVerdict,
  TesterAttention,
  TestToday,
  UnbrokenDay,
} from "../../../src/contract/standing.ts";
import type { SessionReason } from "../../../src/contract/test-sessions.ts";
import type { VerificationTier } from "../../../src/contract/tester.ts";
import { countOf } from "../../../src/words/phrases.ts";

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
 * Decides whether a proof is accepted. The first broken rule is the reason for a refusal. (rules T28, T34)
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
 * Whether a proof would have been accepted at its capture. A cycle that is `recruiting` is judged as `running`.
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

/** Returns `removed` if the slot missed too many earlier days, or `missed` if it missed this day. (rule T9) */
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

/** Whether a slot misses a day that is over: the day does not count, and the slot was active before it. (rule T10) */
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
 * The minimum values of a session that counts. The contract does not contain them, because they may change.
 * (rule T16)
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

/** Whether a session would have counted at its end. A cycle that is `recruiting` is judged as `running`. */
export function wouldHaveCounted(session: ReportedSession, slot: TestedSlot): boolean {
  const { cycle } = slot;
  const begun = cycle.status === "recruiting" ? { ...cycle, status: "running" } : cycle;
  return judgeSession(session, { ...slot, cycle: begun }, new Date(session.endedAt)).counted;
}

/**
 * Whether a second report of the session may count, because the session begins or ends after the server's time.
 */
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

/** Whether a session began after the last day. The cycle runs one more day for late sessions. */
const isAfterTheEnd = ({ startedAt }: ReportedSession, cycle: TestDays, now: Date): boolean =>
  isOver(cycle, startedAt) && (isOver(cycle, now.toISOString()) || !isAhead(startedAt, now));

/** Whether a day is neither before yesterday nor before the day on which the slot became active. (rule D5) */
function isConfirmable(dayIndex: number, { activatedAt, cycle }: TestedSlot, now: Date): boolean {
  if (activatedAt === null || dayIndex < dayIndexAt(cycle, activatedAt)) return false;
  return dayIndex >= dayIndexAt(cycle, now.toISOString()) - 1;
}

/**
 * Whether a session has the minimum length and screens. The current time replaces an end that is too far ahead.
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
 * `dayStarts` contains the start of each day and the end of the last day, in ISO 8601 UTC with milliseconds.
 */
export interface TestDays extends TestPlan {
  readonly dayStarts: readonly string[];
}

/** Returns the days' starts, and the end of the last day. A day can have 23 or 25 hours. (rule D1) */
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

/** Returns the test day of an instant. Below 1 is before the test; above `durationDays` is after the test. */
export function dayIndexAt(days: TestDays, instant: string): number {
  const stored = days.dayStarts.findLastIndex((start) => start <= instant);
  if (stored >= 0 && stored < days.durationDays) return stored + 1;
  const date = Temporal.Instant.from(instant).toZonedDateTimeISO(days.timezone).toPlainDate();
  const index = Temporal.PlainDate.from(days.startsOn).until(date, { largestUnit: "day" }).days + 1;
  // The stored days decide. `index` can contradict them if the rules of the time zone have changed. (rule D2)
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
 * Returns the screen that a tester is asked to visit on a day. Equal arguments always give the same screen.
 * (rule T27)
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

/** A slot of a test, with or without a tester. A removed slot and its replacement have the same `seat`. */
export interface StandingSlot {
  readonly id: string;
  readonly seat: number;
  readonly status: SlotStatus;
  /** The day of the test on which the slot became active; null if it is not active yet. */
  readonly activeFromDay: number | null;
  readonly missedDays: number;
  readonly countedDays: ReadonlySet<number>;
}

export interface StandingCycle {
  readonly status: CycleStatus;
  readonly durationDays: number;
  readonly maxMissedDays: number;
  /** The instants at which the days begin. The last item is the end of the last day. */
  readonly dayStarts: readonly string[];
  readonly closedDays: number;
  /** The time after which late sessions of the last day no longer count. */
  readonly graceEnd: string;
  readonly createdAt: string;
  readonly verificationTier: VerificationTier;
}

export interface Standing {
  readonly verdict: CycleVerdict;
  /** The current day of the test; null before and after the test, and if the test was cancelled. */
  readonly today: TestToday | null;
  /** The testers with a slot, sorted by how soon they need attention. */
  readonly attention: TesterAttention[];
  /** For each day that has begun: how many testers have every day up to that day counted. */
  readonly unbroken: UnbrokenDay[];
}

/**
 * Returns the state of a test: its verdict, what testers need today, and the testers with every day counted.
 * (rules T39 and T40)
 */
export function standingOf(cycle: StandingCycle, slots: readonly StandingSlot[]): Standing {
  const unbroken = unbrokenDays(cycle, slots);
  return {
    verdict: verdictOf(cycle, slots, unbroken),
    today: testToday(cycle, slots),
    attention: attentionOf(cycle, slots),
    unbroken,
  };
}

/**
 * Whether maintainers and owners must be warned that a test might miss its goal, or cannot reach it any more.
 * (rule T41)
 */
export const isBelow = (cycle: StandingCycle, { state }: CycleVerdict): boolean =>
  cycle.status === "running" && (state === "at_risk" || state === "out_of_reach") && !wasPlannedLate(cycle);

/** Returns the current day. Undefined before the first day, after the last day, and if the test was cancelled. */
const openDayOf = ({ status, closedDays, durationDays }: StandingCycle): number | undefined =>
  status === "running" && closedDays < durationDays ? closedDays + 1 : undefined;

/**
 * Whether an uncounted day can still count: today, and also yesterday if the app reports sessions.
 * (rules T29, T39)
 */
const canStillCount = (
  { status, closedDays, verificationTier }: StandingCycle,
  slot: StandingSlot,
  day: number,
): boolean =>
  status === "running" &&
  isActive(slot) &&
  slot.activeFromDay !== null &&
  day >= slot.activeFromDay &&
  day >= (verificationTier === "sdk" ? closedDays : closedDays + 1);

/** The words for the evidence that a tester sends for a day. */
export const evidenceOfTier: Readonly<Record<VerificationTier, string>> = {
  sdk: "a session",
  screenshot: "a proof",
};

/**
 * Returns how many days from day 1 count without a gap, at most `last`. Days with a true `mayCount` also count.
 */
function runOf(slot: StandingSlot, last: number, mayCount: (day: number) => boolean = () => false): number {
  let days = 0;
  while (days < last && (slot.countedDays.has(days + 1) || mayCount(days + 1))) days += 1;
  return days;
}

function unbrokenDays(cycle: StandingCycle, slots: readonly StandingSlot[]): UnbrokenDay[] {
  const last = openDayOf(cycle) ?? cycle.closedDays;
  const runs = slots.map((slot) => runOf(slot, last));
  const possible = slots.map((slot) => runOf(slot, last, (day) => canStillCount(cycle, slot, day)));
  return Array.from({ length: last }, (_, at) => ({
    dayIndex: at + 1,
    testers: runs.filter((days) => days > at).length,
    possible: possible.filter((days) => days > at).length,
  }));
}

const isOpen = ({ status }: StandingSlot): boolean => status === "open" || status === "requested";

/** Whether the cycle was planned after its first day, so that no tester can have every day counted. (rule D9) */
const wasPlannedLate = ({ dayStarts, createdAt }: StandingCycle): boolean =>
  createdAt >= (dayStarts[1] ?? "");

function verdictOf(
  cycle: StandingCycle,
  slots: readonly StandingSlot[],
  unbroken: readonly UnbrokenDay[],
): CycleVerdict {
  const needed = new Set(slots.map(({ seat }) => seat)).size;
  const accepts = cycle.status === "recruiting" || openDayOf(cycle) !== undefined;
  const openSeats = accepts ? slots.filter(isOpen).map(({ seat }) => seat) : [];
  const holders = slots.filter(isActive);
  const begun = unbroken.at(-1);
  const fillable = cycle.closedDays === 0 ? openSeats.length : 0;
  const possible = (begun ? begun.possible : holders.length) + fillable;
  const facts: Facts = { cycle, needed, possible, openSeats, fillable, holders, unbroken };
  const state = stateOf(facts, begun?.testers ?? 0);
  const isShort = state === "out_of_reach" || state === "not_reached";
  return {
    state,
    testersNeeded: needed,
    testersPossible: possible,
    sinceDay: isShort ? (unbroken.find((day) => day.possible <= possible)?.dayIndex ?? null) : null,
    openSeats,
    ...wordsOf(state, facts),
  };
}

interface Facts {
  readonly cycle: StandingCycle;
  readonly needed: number;
  readonly possible: number;
  readonly openSeats: readonly number[];
  /** The number of open slots that can be filled early enough for their testers to have every day counted. */
  readonly fillable: number;
  readonly holders: readonly StandingSlot[];
  readonly unbroken: readonly UnbrokenDay[];
}

function stateOf(
  { cycle, needed, possible, fillable, holders }: Facts,
  testers: number,
): CycleVerdict["state"] {
  if (cycle.status === "cancelled") return "cancelled";
  if (cycle.status === "recruiting") return "not_started";
  if (openDayOf(cycle) === undefined && testers >= needed) return "reached";
  if (cycle.status === "completed") return "not_reached";
  if (possible < needed) return "out_of_reach";
  const needsMore = fillable > 0 || holders.some((slot) => needsYesterday(cycle, slot));
  return needsMore ? "at_risk" : "on_track";
}

type Words = Pick<CycleVerdict, "text" | "advice">;

function wordsOf(state: CycleVerdict["state"], facts: Facts): Words {
  const { cycle, needed, openSeats, holders } = facts;
  const goal = `the goal of ${testers(needed)} for ${countOf(cycle.durationDays, "day", "days")}`;
  switch (state) {
    case "cancelled":
      return { text: "The test was cancelled before its end.", advice: null };
    case "not_started":
      return {
        text: `Not started: ${holders.length} of ${countOf(needed, "slot has", "slots have")} a tester.`,
        advice: openSeats.length > 0 ? `Fill ${slotsNamed(openSeats)} before the first day is over.` : null,
      };
    case "reached":
    case "not_reached":
      return {
        text: `${state === "reached" ? "Reached" : "Did not reach"} ${goal}: ${fullRuns(facts)}.`,
        advice: null,
      };
    case "on_track":
      return { text: `On track: ${testers(holders.length)}, ${needToday(facts)}.`, advice: null };
    case "at_risk":
      return { text: `Still possible: ${goal} needs ${missing(facts)}.`, advice: null };
    default:
      return { text: outOfReach(goal, facts), advice: wayOut(facts) };
  }
}

const testers = (count: number): string => (count === 0 ? "no tester" : countOf(count, "tester", "testers"));

const fullRuns = ({ cycle: { durationDays }, unbroken }: Facts): string => {
  const count = unbroken.at(-1)?.testers ?? 0;
  const days = durationDays === 1 ? "the day" : `all ${durationDays} days`;
  return `${testers(count)} ${count > 1 ? "have" : "has"} ${days} counted`;
};

function needToday({ cycle, holders }: Facts): string {
  const open = holders.filter((slot) => needsToday(cycle, slot)).length;
  const who = open === 0 ? "nobody needs" : countOf(open, "needs", "need");
  return `${who} ${evidenceOfTier[cycle.verificationTier]} today`;
}

function missing({ cycle, fillable, holders }: Facts): string {
  const late = holders.filter((slot) => needsYesterday(cycle, slot)).length;
  const evidence = evidenceOfTier[cycle.verificationTier];
  const parts = [
    ...(fillable > 0 ? [`${countOf(fillable, "more tester", "more testers")} with ${evidence} today`] : []),
    ...(late > 0
      ? [`a late session of day ${cycle.closedDays} from ${testers(late)} before the end of today`]
      : []),
  ];
  return parts.join(", and ");
}

function outOfReach(goal: string, { cycle, possible, unbroken }: Facts): string {
  if (wasPlannedLate(cycle))
    return `Cannot reach ${goal}: when the cycle was planned, its first day was already over, so no tester can have every day counted.`;
  const since = unbroken.find((day) => day.possible <= possible)?.dayIndex ?? 1;
  const left = possible === 0 ? "no tester" : `only ${testers(possible)}`;
  return `Cannot reach ${goal} any more: since day ${since}, ${left} can still have every day counted.`;
}

/** Says how many days can still be counted for a new tester, and what is needed to reach the goal. */
function wayOut({ cycle, openSeats }: Facts): string {
  if (openSeats.length === 0 || wasPlannedLate(cycle)) return "Plan a new cycle.";
  const who = openSeats.length === 1 ? "A new tester" : "New testers";
  const days = `${cycle.durationDays - cycle.closedDays} of the ${cycle.durationDays} days`;
  return `${who} in ${slotsNamed(openSeats)} can have at most ${days} counted. Only a new cycle can reach the goal.`;
}

const mostNamed = 3;

/** Returns the slots as text: `slot 6`, `slots 6 and 9`, `slots 1, 6 and 9`, or `7 open slots`. */
function slotsNamed(seats: readonly number[]): string {
  if (seats.length > mostNamed) return `${seats.length} open slots`;
  const before = seats.slice(0, -1).join(", ");
  return before === "" ? `slot ${seats.at(-1)}` : `slots ${before} and ${seats.at(-1)}`;
}

function testToday(cycle: StandingCycle, slots: readonly StandingSlot[]): TestToday | null {
  const dayIndex = openDayOf(cycle);
  if (dayIndex === undefined) return null;
  const holders = slots.filter(isActive);
  const open = holders.filter((slot) => needsToday(cycle, slot)).length;
  return { dayIndex, endsAt: endOfToday(cycle), counted: holders.length - open, open };
}

/** Returns the end of the current day. After the last day, returns the end of the time for late sessions. */
const endOfToday = (cycle: StandingCycle): string => cycle.dayStarts[cycle.closedDays + 1] ?? cycle.graceEnd;

function needsToday(cycle: StandingCycle, slot: StandingSlot): boolean {
  const today = openDayOf(cycle);
  return today !== undefined && isActive(slot) && !slot.countedDays.has(today);
}

/**
 * Whether a late session of yesterday is needed and would count. The first active day needs no session, except
 * day 1. (rules D5, D7, T10)
 */
const needsYesterday = (cycle: StandingCycle, slot: StandingSlot): boolean =>
  (cycle.closedDays === 1 || cycle.closedDays > (slot.activeFromDay ?? 0)) &&
  cycle.closedDays >= 1 &&
  !slot.countedDays.has(cycle.closedDays) &&
  canStillCount(cycle, slot, cycle.closedDays);

/** Returns the testers with a slot in the order in which they need attention. (rule T40) */
function attentionOf(cycle: StandingCycle, slots: readonly StandingSlot[]): TesterAttention[] {
  return slots
    .filter(isActive)
    .map((slot) => tester(cycle, slot))
    .sort((one, other) => urgencyOf(one) - urgencyOf(other) || one.seat - other.seat);
}

function tester(cycle: StandingCycle, slot: StandingSlot): TesterAttention {
  const needs = { needsToday: needsToday(cycle, slot), needsYesterday: needsYesterday(cycle, slot) };
  const missesLeft = Math.max(0, cycle.maxMissedDays - slot.missedDays);
  return {
    slotId: slot.id,
    seat: slot.seat,
    state: attentionState(slot, missesLeft, needs),
    ...needs,
    until: needs.needsToday || needs.needsYesterday ? endOfToday(cycle) : null,
    missedDays: slot.missedDays,
    missesLeft,
  };
}

function attentionState(
  { missedDays }: StandingSlot,
  missesLeft: number,
  { needsToday, needsYesterday }: Pick<TesterAttention, "needsToday" | "needsYesterday">,
): TesterAttention["state"] {
  if (missesLeft === 0) return "removal_due";
  if (missesLeft === 1 && missedDays > 0) return "one_miss_left";
  if (needsYesterday) return "missed_yesterday";
  return needsToday ? "today_open" : "active";
}

const order: Readonly<Record<TesterAttention["state"], number>> = {
  removal_due: 0,
  one_miss_left: 1,
  missed_yesterday: 2,
  today_open: 3,
  active: 4,
};

/** Returns the number by which testers are sorted. Testers who have nothing to do now come last. */
const urgencyOf = ({ state, needsToday, needsYesterday }: TesterAttention): number =>
  order[state] + (needsToday || needsYesterday ? 0 : 10);
