import {
  sessions as contract,
  type SessionReport,
  type SessionResult,
  type SessionStatus,
} from "../../../src/contract/test-sessions.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { doubtfulTime } from "../../doubtful-time.ts";
import { prepareAnswer } from "../../http/answers.ts";
import type { Handlers } from "../../http/handler.ts";
import { hashOf } from "../../secrets/secrets.ts";
import { dueByOf, spanOfToday, todayOf } from "../cycles/days.ts";
import { countedDays } from "../slots/counted-days.ts";
import { createFindSlot, type KeyedSlot, loadSlot, unknownSlot } from "./keyed-slot.ts";
import { judgeSession, mayCountLater, type SessionVerdict, wouldHaveCounted } from "./rules.ts";
import { type SlotKey, testSessions } from "./store.ts";
import { createForgetUnknown } from "./unknown-test-keys.ts";

/** A reported session with the id and the time under which it is recorded. */
interface ReceivedSession {
  readonly id: string;
  readonly now: Date;
  readonly key: SlotKey;
  readonly session: SessionReport;
}

/**
 * The handlers for an app under test, which reports sessions and reads the status of one slot, named by its test key.
 */
export const testSessionHandlers = (
  deps: Pick<Deps, "clock" | "database" | "log" | "memory" | "newId" | "passingTime" | "settings" | "time">,
): Handlers<typeof contract> => {
  const { database, passingTime, clock, newId } = deps;
  const findSlot = createFindSlot(deps);
  const currentSlot = async (key: SlotKey): Promise<KeyedSlot | undefined> => {
    const slot = await findSlot(key);
    if (!slot || !passingTime.isDue(slot.nextAt)) return slot;
    await passingTime.catchUpOf("cycle", slot.cycleId);
    const caughtUp = await findSlot(key);
    // Another server made the change a moment ago, and this one has not heard of it yet.
    return caughtUp && passingTime.isDue(caughtUp.nextAt) ? loadSlot(database, key) : caughtUp;
  };
  const forgetUnknown = createForgetUnknown(deps);
  return {
    async report({ caller, body, save }) {
      const key = { appId: caller.appId, keyHash: hashOf(body.testKey) };
      const slot = await currentSlot(key);
      const received = { id: newId(), now: clock.now(), key, session: body };
      if (slot) refuseInDoubt(deps, received, slot);
      const isPassing = slot !== undefined && mayCountLater(body, slot, received.now);
      const result = await save(
        (tx) => judgeAndRecord(tx, received, slot),
        isPassing ? { repeatableUntil: received.now } : {},
      );
      if (!slot) await forgetUnknown(key);
      return result;
    },

    async status({ caller, query }) {
      const key = { appId: caller.appId, keyHash: hashOf(query.testKey) };
      const slot = await currentSlot(key);
      const now = clock.now();
      const shown = contract.status.success.body.parse(statusOf(slot, now));
      const lasts = { ...timeOfStatus(slot, now), isCurrent: findSlot.isKept(key, slot) };
      return { ...prepareAnswer(JSON.stringify(shown)), lasts };
    },
  };
};

/** Throws `busy` for a session that does not count only because the clock is in doubt: sent again, it may count. */
function refuseInDoubt({ time }: Pick<Deps, "time">, received: ReceivedSession, slot: KeyedSlot): void {
  if (!time.isDoubtful() || verdictOn(received, slot).counted) return;
  if (wouldHaveCounted(received.session, slot)) throw doubtfulTime();
}

const unknownResult: SessionResult = { matched: false, counted: false, dayIndex: 0, reason: null };

/**
 * Judges and records a test session. One of an unknown test key takes the same steps but leaves no record, so that neither
 * the answer nor its duration shows whether the key was ever real. (rule T15)
 */
async function judgeAndRecord(
  tx: Transaction,
  received: ReceivedSession,
  slot: KeyedSlot | undefined,
): Promise<SessionResult> {
  const verdict = verdictOn(received, slot);
  if (!slot || (await isSettled(tx, received, { slot, verdict })))
    return record(tx, received, { slot, verdict });
  // Another session or proof was first. This session is judged by the present state.
  const current = await loadSlot(tx, received.key);
  const after = verdictOn(received, current);
  if (after.counted) throw new Error(`A day of slot ${slot.id} neither counts nor is counted.`);
  return record(tx, received, { slot: current, verdict: after });
}

/** A verdict and the slot on which it was given; undefined for an unknown key. */
interface Judged {
  readonly slot: KeyedSlot | undefined;
  readonly verdict: SessionVerdict;
}

const verdictOn = ({ session, now }: ReceivedSession, slot: KeyedSlot = unknownSlot): SessionVerdict =>
  judgeSession(session, slot, now);

/** Counts the day if the verdict says so. False if the day cannot be counted any more. */
async function isSettled(
  tx: Transaction,
  { id, now }: ReceivedSession,
  { slot, verdict }: Judged & { readonly slot: KeyedSlot },
): Promise<boolean> {
  const { counted, dayIndex } = verdict;
  if (!counted) return true;
  const evidence = { kind: "session", evidenceId: id, at: now.toISOString() } as const;
  return countedDays.count(tx, { slotId: slot.id, cycleId: slot.cycleId, dayIndex, ...evidence });
}

async function record(tx: Transaction, received: ReceivedSession, judged: Judged): Promise<SessionResult> {
  const { slotId, session } = recordOf(received, judged);
  return resultOf(await testSessions.record(tx, slotId, session), judged);
}

const resultOf = (recorded: boolean, { verdict: { counted, dayIndex, reason } }: Judged): SessionResult =>
  recorded ? { matched: true, counted, dayIndex, reason } : unknownResult;

/** A session as it is stored. */
const recordOf = ({ id, now, session }: ReceivedSession, { slot, verdict }: Judged) => ({
  slotId: slot?.id ?? unknownSlot.id,
  session: {
    id,
    dayIndex: verdict.dayIndex,
    reason: verdict.reason,
    startedAt: session.startedAt,
    endedAt: session.endedAt,
    screens: JSON.stringify(session.screens),
    appVersion: session.appVersion || null,
    receivedAt: now.toISOString(),
  },
});

function statusOf(slot: KeyedSlot | undefined, now: Date): SessionStatus {
  if (!slot) return unknownStatus(now);
  const { countedDays, cycle } = slot;
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

/** From when until when the status of a slot says the same, if nothing changes but the time. */
function timeOfStatus(slot: KeyedSlot | undefined, now: Date) {
  if (!slot) return { from: endOfDay(now) - dayMilliseconds, until: endOfDay(now) };
  const { from, until } = spanOfToday(slot.cycle, now);
  return { from, until: slot.nextAt === null ? until : Math.min(until, Date.parse(slot.nextAt)) };
}

const dayMilliseconds = 86_400_000;

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
