import type {
  sessions as contract,
  SessionReport,
  SessionResult,
  SessionStatus,
} from "../../../src/contract/test-sessions.ts";
import type { Deps } from "../../deps.ts";
import { countedDaysOf } from "../../domain/testing/slot.ts";
import { dueByOf, todayOf } from "../../domain/testing/test-days.ts";
import {
  judgeSession,
  type SessionVerdict,
  type TestedSlot,
  wouldHaveCounted,
} from "../../domain/testing/test-session-verdict.ts";
import type { Handlers } from "../../http/handler.ts";
import { cachedLookup } from "../../http/lookup-cache.ts";
import { hashOf } from "../../secrets/secrets.ts";
import type { Reader, Transaction } from "../../store/engine/database.ts";
import { concernsSlots } from "../../store/engine/topics.ts";
import { countedDays } from "../../store/testing/counted-days.ts";
import { type KeyedSlotRow, type SlotKey, testSessions } from "../../store/testing/test-sessions.ts";
import { doubtfulTime } from "../doubtful-time.ts";
import { createForgetUnknown } from "./unknown-test-keys.ts";

/** A reported session with the id and the time under which it is recorded. */
interface Received {
  readonly id: string;
  readonly now: Date;
  readonly key: SlotKey;
  readonly session: SessionReport;
}

/**
 * The handlers for an app under test, which reports sessions and reads the status of one slot, named by its test key.
 */
export const testSessionHandlers = (deps: Deps): Handlers<typeof contract> => {
  const { database, passingTime, clock, newId } = deps;
  const findSeat = createFindSeat(database);
  const currentSeat = async (key: SlotKey): Promise<Seat | undefined> => {
    const seat = await findSeat(key);
    if (!seat || !passingTime.isDue(seat.nextAt)) return seat;
    await passingTime.catchUpOf("cycle", seat.cycleId);
    return findSeat(key);
  };
  const forgetUnknown = createForgetUnknown(deps);
  return {
    async report({ caller, body, save }) {
      const key = { appId: caller.appId, keyHash: hashOf(body.testKey) };
      const seat = await currentSeat(key);
      const received = { id: newId(), now: clock.now(), key, session: body };
      if (seat) refuseInDoubt(deps, received, seat);
      const result = await save((tx) => take(tx, received, seat));
      if (!seat) await forgetUnknown(key);
      return result;
    },

    async status({ caller, query }) {
      const key = { appId: caller.appId, keyHash: hashOf(query.testKey) };
      return statusOf(await currentSeat(key), clock.now());
    },
  };
};

/** Throws `busy` for a session that does not count only because the clock is in doubt: sent again, it may count. */
function refuseInDoubt({ time }: Deps, received: Received, seat: Seat): void {
  if (!time.isDoubtful() || verdictOn(received, seat).counted) return;
  if (wouldHaveCounted(received.session, seat)) throw doubtfulTime();
}

/** A slot with a test key, ready for a verdict. */
interface Seat extends TestedSlot {
  readonly id: string;
  readonly cycleId: string;
  readonly nextAt: string | null;
}

/**
 * Finds the slot of a key. A missing slot is cached like a slot, so that the time of an answer does not show which keys
 * exist.
 */
function createFindSeat(database: Deps["database"]): (key: SlotKey) => Promise<Seat | undefined> {
  const lookUp = cachedLookup(database, concernsSlots, async (name) => {
    const [appId = "", keyHash = ""] = name.split(" ");
    return { seat: await loadSeat(database, { appId, keyHash }) };
  });
  return async ({ appId, keyHash }) => (await lookUp(`${appId} ${keyHash}`))?.seat;
}

async function loadSeat(reader: Reader, key: SlotKey): Promise<Seat | undefined> {
  const row = await testSessions.findSlot(reader, key);
  const seat = seatOf(row ?? nobodyRow);
  return row && seat;
}

const unknown: SessionResult = { matched: false, counted: false, dayIndex: 0, reason: null };

/**
 * Judges and records a session. A session of an unknown key takes the same steps but leaves no record, so that neither
 * the answer nor its duration shows whether the key was ever real. (rule T15)
 */
async function take(tx: Transaction, received: Received, seat: Seat | undefined): Promise<SessionResult> {
  const verdict = verdictOn(received, seat);
  if (!seat || (await isSettled(tx, received, seat, verdict))) return record(tx, received, seat, verdict);
  // Another session or proof was first. This session is judged by the present state.
  const current = await loadSeat(tx, received.key);
  const after = verdictOn(received, current);
  if (after.counted) throw new Error(`A day of slot ${seat.id} neither counts nor is counted.`);
  return record(tx, received, current, after);
}

const verdictOn = ({ session, now }: Received, seat: Seat = nobody): SessionVerdict =>
  judgeSession(session, seat, now);

/** Counts the day if the verdict says so. False if the day cannot be counted any more. */
async function isSettled(
  tx: Transaction,
  { id, now }: Received,
  seat: Seat,
  { counted, dayIndex }: SessionVerdict,
): Promise<boolean> {
  if (!counted) return true;
  const evidence = { kind: "session", evidenceId: id, at: now.toISOString() } as const;
  return countedDays.count(tx, { slotId: seat.id, cycleId: seat.cycleId, dayIndex, ...evidence });
}

async function record(
  tx: Transaction,
  { id, now, session }: Received,
  seat: Seat | undefined,
  verdict: SessionVerdict,
): Promise<SessionResult> {
  const { counted, dayIndex, reason } = verdict;
  const recorded = await testSessions.record(tx, seat?.id ?? nobody.id, {
    id,
    dayIndex,
    reason,
    startedAt: session.startedAt,
    endedAt: session.endedAt,
    screens: JSON.stringify(session.screens),
    appVersion: session.appVersion || null,
    receivedAt: now.toISOString(),
  });
  return recorded ? { matched: true, counted, dayIndex, reason } : unknown;
}

function statusOf(seat: Seat | undefined, now: Date): SessionStatus {
  if (!seat) return unknownStatus(now);
  const { countedDays, cycle } = seat;
  const dayIndex = todayOf(cycle, now);
  return {
    matched: true,
    dayIndex,
    durationDays: cycle.durationDays,
    countedToday: countedDays.has(dayIndex),
    daysCounted: countedDays.size,
    dueBy: dueByOf(cycle, dayIndex),
  };
}

/** Has all fields, for clients that expect them. All are constants except the end of the UTC day. */
const unknownStatus = (now: Date): SessionStatus => ({
  matched: false,
  counted: false,
  dayIndex: 0,
  durationDays: 0,
  countedToday: false,
  daysCounted: 0,
  dueBy: new Date(endOfDay(now)).toISOString(),
});

const endOfDay = (now: Date): number =>
  Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);

const seatOf = ({ id, cycleId, nextAt, status, activatedAt, counted, ...cycle }: KeyedSlotRow): Seat => ({
  id,
  cycleId,
  nextAt,
  status,
  activatedAt,
  countedDays: countedDaysOf(counted),
  cycle: {
    status: cycle.cycleStatus,
    startsOn: cycle.startsOn,
    timezone: cycle.timezone,
    durationDays: cycle.durationDays,
    dayStarts: startsOf(cycle.dayStarts),
  },
});

const startsOf = (dayStarts: string): string[] => JSON.parse(dayStarts);

/** The stand-in slot for unknown keys. It never counts, and its day is found as fast as that of a real slot. */
const nobodyRow: KeyedSlotRow = {
  id: "",
  cycleId: "",
  status: "removed",
  activatedAt: null,
  counted: ",",
  cycleStatus: "completed",
  startsOn: "2000-01-01",
  timezone: "UTC",
  durationDays: 1,
  dayStarts: '["2000-01-01T00:00:00.000Z","9000-01-01T00:00:00.000Z"]',
  nextAt: null,
};
const nobody = seatOf(nobodyRow);
