import type { Cycle, CycleReport, CycleStatus, SlotDay, SlotStatus } from "../../../src/contract/cycles.ts";
import type {
  CycleVerdict,
  TesterAttention,
  TestToday,
  UnbrokenDay,
} from "../../../src/contract/standing.ts";
import type { VerificationTier } from "../../../src/contract/tester.ts";
import { countOf } from "../../../src/words/phrases.ts";
import { isActive, qualifyingSession } from "../days/rules.ts";

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
 * Returns the report of a cycle: its facts, and a text that explains them. The report does not say who the testers are.
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

/**
 * Whether a tester has a slot, or had it when the cycle ended. A removed slot counts only if the cycle was cancelled,
 * and no later slot has its number.
 */
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

/**
 * Returns the text about the finished days of a test that is not over. Before the end of the test, no tester
 * has every day counted.
 */
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
 * Returns the state of a new cycle; undefined if its last day is over. If its first day has begun, the cycle runs
 * immediately. Days that are over are closed, but nobody missed them. Instants are ISO 8601 UTC with milliseconds.
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

/**
 * Whether a slot ended before or at the end of a day. A slot that is removed at the end of a day does not miss
 * that day.
 */
const endedBefore = (dayEnd: string | undefined, endedAt: string | null): boolean =>
  endedAt !== null && dayEnd !== undefined && endedAt <= dayEnd;

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
    today: todayOf(cycle, slots),
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
 * Whether an uncounted day can still count for a slot. The slot must have been active on that day, and must
 * still be active. The day must be today. If the app reports sessions, the day can also be yesterday.
 * (rules T29 and T39)
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
 * Returns how many days are counted without a gap, from day 1 to `last`. `mayCount` selects days that are treated as
 * counted.
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

function todayOf(cycle: StandingCycle, slots: readonly StandingSlot[]): TestToday | null {
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
 * Whether a slot needs a late session of yesterday, and this session would still count. The first active day of
 * a slot needs no session, because this day is never missed. An exception is day 1: without day 1, no tester
 * has every day counted. Tests with screenshots have no late sessions. (rules D5, D7 and T10)
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
