import type {
  sessions as contract,
  SessionReport,
  SessionResult,
  SessionStatus,
} from "../../src/contract/sessions.ts";
import type { Deps } from "../deps.ts";
import { countedDaysOf } from "../domain/seat.ts";
import { judgeSession, type SessionVerdict, type TestedSlot } from "../domain/session-verdict.ts";
import { dueByOf, todayOf } from "../domain/test-days.ts";
import type { Handlers } from "../http/handler.ts";
import { remembered } from "../http/remembered.ts";
import { hashOf } from "../secrets.ts";
import { countedDays } from "../store/counted-days.ts";
import type { Transaction } from "../store/database.ts";
import { type KeyedSlotRow, type SlotKey, testSessions } from "../store/test-sessions.ts";
import { concernsSeats } from "../store/topics.ts";

/** A session on its way: when and under which id it is recorded. */
interface Received {
  readonly id: string;
  readonly now: Date;
  readonly key: SlotKey;
  readonly session: SessionReport;
}

/** What an app under test reports, and asks, of the one seat whose test key it holds. */
export const sessions = ({ database, passingTime, clock, newId }: Deps): Handlers<typeof contract> => {
  const findSlot = createFindSlot(database);
  return {
    async report({ caller, body, save }) {
      await passingTime.catchUp();
      const key = { appId: caller.appId, keyHash: hashOf(body.testKey) };
      const slot = await findSlot(key);
      const received = { id: newId(), now: clock.now(), key, session: body };
      return save((tx) => take(tx, received, slot));
    },

    async status({ caller, query }) {
      await passingTime.catchUp();
      const key = { appId: caller.appId, keyHash: hashOf(query.testKey) };
      return statusOf(await findSlot(key), clock.now());
    },
  };
};

/** Finds the seat of a key. That there is none is remembered as a seat is: neither is told from the other by its cost. */
function createFindSlot(database: Deps["database"]): (key: SlotKey) => Promise<KeyedSlotRow | undefined> {
  const lookUp = remembered(database, concernsSeats, async (name) => {
    const [appId = "", keyHash = ""] = name.split(" ");
    return { slot: await testSessions.findSlot(database, { appId, keyHash }) };
  });
  return async ({ appId, keyHash }) => (await lookUp(`${appId} ${keyHash}`))?.slot;
}

const unknown: SessionResult = { matched: false, counted: false, dayIndex: null, reason: null };

/**
 * Judges and records a session. One of an unknown key takes the same way and leaves nothing, so that neither the answer
 * nor its cost tells whether the key was once real. (spec: Closed-testing SDK 2)
 */
async function take(
  tx: Transaction,
  received: Received,
  slot: KeyedSlotRow | undefined,
): Promise<SessionResult> {
  const verdict = verdictOn(received, slot);
  if (!slot || (await isSettled(tx, received, slot, verdict))) return record(tx, received, slot, verdict);
  // Another session or proof was first: it is judged by what holds now.
  const current = await testSessions.findSlot(tx, received.key);
  const after = verdictOn(received, current);
  if (after.counted) throw new Error(`A day of slot ${slot.id} neither counts nor is counted.`);
  return record(tx, received, current, after);
}

const verdictOn = ({ session, now }: Received, slot: KeyedSlotRow = nobody): SessionVerdict =>
  judgeSession(session, testedSlotOf(slot), now);

/** Counts the day where the verdict says so; false where it cannot be counted any more. */
async function isSettled(
  tx: Transaction,
  { id, now }: Received,
  slot: KeyedSlotRow,
  { counted, dayIndex }: SessionVerdict,
): Promise<boolean> {
  if (!counted || dayIndex === null) return true;
  const evidence = { kind: "session", evidenceId: id, at: now.toISOString() } as const;
  return countedDays.count(tx, { slotId: slot.id, cycleId: slot.cycleId, dayIndex, ...evidence });
}

async function record(
  tx: Transaction,
  { id, now, session }: Received,
  slot: KeyedSlotRow | undefined,
  verdict: SessionVerdict,
): Promise<SessionResult> {
  const { counted, dayIndex, reason } = verdict;
  const recorded = await testSessions.record(tx, slot?.id ?? nobody.id, {
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

/** Whom an unknown key is judged as: it never counts. Its day is found as quickly as any other. */
const nobody: KeyedSlotRow = {
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
};

function statusOf(slot: KeyedSlotRow | undefined, now: Date): SessionStatus {
  if (!slot) return { matched: false, counted: false };
  const { countedDays, cycle } = testedSlotOf(slot);
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

function testedSlotOf({
  status,
  activatedAt,
  counted,
  cycleStatus,
  dayStarts,
  ...plan
}: KeyedSlotRow): TestedSlot {
  const { startsOn, timezone, durationDays } = plan;
  const days = { startsOn, timezone, durationDays, dayStarts: startsOf(dayStarts) };
  return {
    status,
    activatedAt,
    countedDays: countedDaysOf(counted),
    cycle: { ...days, status: cycleStatus },
  };
}

const startsOf = (dayStarts: string): string[] => JSON.parse(dayStarts);
