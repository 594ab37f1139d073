import {
  sessions as contract,
  type SessionReport,
  type SessionResult,
  type SessionStatus,
} from "../../../src/contract/test-sessions.ts";
import { doubtfulTime } from "../../clock.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { cycleTopic, slotTopic, topicsOfAllSlots } from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import { prepareAnswer } from "../../http/answers.ts";
import { scopeOfField } from "../../http/call-steps.ts";
import { type Handlers, withTraits } from "../../http/handler.ts";
import { idempotency } from "../../http/idempotency-store.ts";
import { cachedLookup } from "../../http/memory.ts";
import { forget } from "../../http/rate-limits/store.ts";
import { hashOf } from "../../secrets/secrets.ts";
import { countedDays, storeCountedEvent } from "../cycles/store.ts";
import {
  countedDaysOf,
  dayStartsOfRow,
  dueByOf,
  judgeSession,
  mayCountLater,
  type SessionVerdict,
  spanOfToday,
  type TestedSlot,
  todayOf,
  wouldHaveCounted,
} from "../days/rules.ts";
import { type KeyedSlotRow, type SlotKey, testSessions } from "./store.ts";

/** A reported session, and the id and the time that are recorded for it. */
interface ReceivedSession {
  readonly id: string;
  /** The id of the event that is stored if the day is counted because of the session. */
  readonly eventId: string;
  readonly now: Date;
  readonly key: SlotKey;
  readonly session: SessionReport;
}

/** Returns the handlers with which apps under test report sessions and read the status of a slot. */
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
    // If a change still seems due, the cached slot is old: another server has just applied the change.
    return caughtUp && passingTime.isDue(caughtUp.nextAt) ? loadSlot(database, key) : caughtUp;
  };
  const forgetUnknown = createForgetUnknown(deps);
  return {
    async report({ caller, body, save }) {
      const key = { appId: caller.appId, keyHash: hashOf(body.testKey) };
      const slot = await currentSlot(key);
      const received = { id: newId(), eventId: newId(), now: clock.now(), key, session: body };
      if (slot) refuseInDoubt(deps, received, slot);
      const isPassing = slot !== undefined && mayCountLater(body, slot, received.now);
      const result = await save(
        (tx) => judgeAndRecord(tx, received, slot),
        isPassing ? { repeatableUntil: received.now } : {},
      );
      if (!slot) await forgetUnknown(key);
      return result;
    },

    status: withTraits({ ready: true }, async ({ caller, query }) => {
      const key = { appId: caller.appId, keyHash: hashOf(query.testKey) };
      const slot = await currentSlot(key);
      const now = clock.now();
      const shown = contract.status.success.body.parse(statusOf(slot, now));
      const lasts = { ...timeOfStatus(slot, now), isCurrent: findSlot.isKept(key, slot) };
      return { ...prepareAnswer(JSON.stringify(shown)), lasts };
    }),
  };
};

/** Throws `busy` if a session does not count only because the clock may be wrong. */
function refuseInDoubt({ time }: Pick<Deps, "time">, received: ReceivedSession, slot: KeyedSlot): void {
  if (!time.isDoubtful() || verdictOn(received, slot).counted) return;
  if (wouldHaveCounted(received.session, slot)) throw doubtfulTime();
}

/** The answer for a test key that belongs to no slot of the app. (rule T14) */
const unknownResult: SessionResult = { matched: false, counted: false, dayIndex: 0, reason: null };

/**
 * Judges and records a session. An unknown key causes the same work, so that response times reveal no valid
 * key. (rule T15)
 */
async function judgeAndRecord(
  tx: Transaction,
  received: ReceivedSession,
  slot: KeyedSlot | undefined,
): Promise<SessionResult> {
  const verdict = verdictOn(received, slot);
  if (!slot || (await isSettled(tx, received, { slot, verdict })))
    return record(tx, received, { slot, verdict });
  // Another session or proof may have counted the day. Judges the session again with the current state.
  const current = await loadSlot(tx, received.key);
  const after = verdictOn(received, current);
  if (after.counted)
    throw new Error(`A session for slot ${slot.id} does not count, but its day is not counted either.`);
  return record(tx, received, { slot: current, verdict: after });
}

/** A verdict, and the slot that it is about. The slot is undefined for an unknown test key. */
interface Judged {
  readonly slot: KeyedSlot | undefined;
  readonly verdict: SessionVerdict;
}

const verdictOn = ({ session, now }: ReceivedSession, slot: KeyedSlot = unknownSlot): SessionVerdict =>
  judgeSession(session, slot, now);

/** Counts the day if the verdict says that the session counts. Returns false if the day can no longer count. */
async function isSettled(
  tx: Transaction,
  { id, eventId, now, key }: ReceivedSession,
  { slot, verdict }: Judged & { readonly slot: KeyedSlot },
): Promise<boolean> {
  const { counted, dayIndex } = verdict;
  if (!counted) return true;
  const evidence = { kind: "session", evidenceId: id, at: now.toISOString() } as const;
  const day = { slotId: slot.id, cycleId: slot.cycleId, dayIndex, ...evidence };
  if (!(await countedDays.count(tx, day))) return false;
  await storeCountedEvent(tx, eventId, { ...day, appId: key.appId });
  return true;
}

async function record(tx: Transaction, received: ReceivedSession, judged: Judged): Promise<SessionResult> {
  const { slotId, session } = recordOf(received, judged);
  return resultOf(await testSessions.record(tx, slotId, session), judged);
}

const resultOf = (recorded: boolean, { verdict: { counted, dayIndex, reason } }: Judged): SessionResult =>
  recorded ? { matched: true, counted, dayIndex, reason } : unknownResult;

/** Returns the slot of a session, and the fields of the session that the database stores. */
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

/** Returns the start and end of the time in which the slot's status changes only because of requests. */
function timeOfStatus(slot: KeyedSlot | undefined, now: Date) {
  if (!slot) return { from: endOfDay(now) - dayMilliseconds, until: endOfDay(now) };
  const { from, until } = spanOfToday(slot.cycle, now);
  return { from, until: slot.nextAt === null ? until : Math.min(until, Date.parse(slot.nextAt)) };
}

const dayMilliseconds = 86_400_000;

/** Returns the status for an unknown test key. It has all fields, because clients expect them. (rule T23) */
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

/** A slot that was found by its test key, with the facts that `judgeSession` needs. */
interface KeyedSlot extends TestedSlot {
  readonly id: string;
  readonly cycleId: string;
  readonly nextAt: string | null;
}

interface FindSlot {
  (key: SlotKey): Promise<KeyedSlot | undefined>;
  /** Returns a function that says whether the cache still contains `slot` for `key`. */
  readonly isKept: (key: SlotKey, slot: KeyedSlot | undefined) => () => boolean;
}

/**
 * Creates the function that finds slots. The function also caches unknown keys, so that response times reveal
 * no valid key.
 */
function createFindSlot({ database, memory }: Pick<Deps, "database" | "memory">): FindSlot {
  const lookUp = cachedLookup({
    memory,
    async load(name) {
      const [appId = "", keyHash = ""] = name.split(" ");
      return { slot: await loadSlot(database, { appId, keyHash }) };
    },
    dropAll: topicsOfAllSlots,
    topicsOf: ({ slot }) => (slot ? [slotTopic(slot.id), cycleTopic(slot.cycleId)] : []),
    bytesOf: ({ slot }) =>
      bytesOfSlot + (slot ? bytesOfDay * (slot.cycle.dayStarts.length + slot.countedDays.size) : 0),
  });
  const find = async (key: SlotKey) => (await lookUp(nameOf(key)))?.slot;
  const isKept = (key: SlotKey, slot: KeyedSlot | undefined) => {
    const name = nameOf(key);
    return () => {
      const known = lookUp.peek(name);
      return known !== undefined && known.slot === slot;
    };
  };
  return Object.assign(find, { isKept });
}

/** The estimated memory in bytes for a slot without its days, and for each of its days. */
const bytesOfSlot = 1_000;

const bytesOfDay = 60;

const nameOf = ({ appId, keyHash }: SlotKey): string => `${appId} ${keyHash}`;

/** Returns the current slot of a test key. The search takes equally long for an unknown key. */
async function loadSlot(reader: Reader, key: SlotKey): Promise<KeyedSlot | undefined> {
  const row = await testSessions.findSlot(reader, key);
  const slot = keyedSlotOf(row ?? unknownSlotRow);
  return row && slot;
}

const keyedSlotOf = ({
  id,
  cycleId,
  nextAt,
  status,
  activatedAt,
  counted,
  ...cycle
}: KeyedSlotRow): KeyedSlot => ({
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
    dayStarts: dayStartsOfRow(cycle),
  },
});

/** The slot for unknown test keys. Its days never count. A search for a day takes as long as in a real slot. */
const unknownSlotRow: KeyedSlotRow = {
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

/** The slot for unknown test keys in the form that `judgeSession` needs. */
const unknownSlot = keyedSlotOf(unknownSlotRow);

/** A test key that belongs to no slot of the app. */
interface UnknownKey {
  readonly appId: string;
  readonly keyHash: string;
}

const removedAtOnce = 100;

/**
 * Limits how many unknown keys have rows in the database. Call the returned function after using an unknown
 * key.
 */
function createForgetUnknown({
  database,
  settings,
  log,
}: Pick<Deps, "database" | "settings" | "log">): (key: UnknownKey) => Promise<void> {
  const keysToRemove = createUnknownKeys(settings.budgets.unknownTestKeys);
  return async (key) => {
    const old = keysToRemove(key);
    if (old.length === 0) return;
    const scopes = old.map(({ appId, keyHash }) => scopeOfField(appId, keyHash, contract.report));
    await database
      .write(async (tx) => {
        // The key may belong to another app. If so, its rate limit must stay.
        const held = await testSessions.heldKeys(tx, old);
        const unheld = old.filter(({ keyHash }) => !held.has(keyHash));
        await forget(
          tx,
          unheld.map(({ keyHash }) => `sdkSession:${keyHash}`),
        );
        await idempotency.forget(tx, scopes);
      })
      .catch((error) => log.warn({ err: error }, "old uses of unknown test keys could not be deleted"));
  };
}

/** Call the returned function for each use of an unknown key. It returns keys whose rows must be deleted. */
function createUnknownKeys(most: number): (key: UnknownKey) => readonly UnknownKey[] {
  const byApp = new Map<string, Set<string>>();
  let count = 0;

  const use = ({ appId, keyHash }: UnknownKey) => {
    const keys = byApp.get(appId) ?? new Set();
    byApp.set(appId, keys);
    if (!keys.delete(keyHash)) count += 1;
    keys.add(keyHash);
  };
  const dropOldest = (): UnknownKey[] => {
    let appId = "";
    let largest = new Set<string>();
    for (const [id, keys] of byApp) {
      if (keys.size <= largest.size) continue;
      appId = id;
      largest = keys;
    }
    const dropped: UnknownKey[] = [];
    for (const keyHash of largest) {
      if (dropped.length === removedAtOnce) break;
      dropped.push({ appId, keyHash });
    }
    for (const { keyHash } of dropped) largest.delete(keyHash);
    if (largest.size === 0) byApp.delete(appId);
    count -= dropped.length;
    return dropped;
  };

  return (key) => {
    use(key);
    return count < most + removedAtOnce ? [] : dropOldest();
  };
}
