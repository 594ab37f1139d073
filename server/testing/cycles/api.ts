import type { AuditActionName } from "../../../src/contract/audit.ts";
import type {
  Cycle,
  CycleReport,
  cycles as cyclesContract,
  NewCycle,
  OwnedSlot,
  SlotDay,
  SlotWithDays,
  slots as slotsContract,
} from "../../../src/contract/cycles.ts";
import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import type { CycleVerdict } from "../../../src/contract/standing.ts";
import { users } from "../../access/accounts/store.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import { members } from "../../access/members/store.ts";
import type { Viewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { isConflict } from "../../database/errors.ts";
import { cyclesTopic, cycleTopic, userTopic } from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import { type Handlers, type Request, withTraits } from "../../http/handler.ts";
import { sendsMail } from "../../mail/outgoing/queue.ts";
import { normaliseEmail } from "../../secrets/passwords.ts";
import { hashOf, mintCredential } from "../../secrets/secrets.ts";
import { type Happening, recordEvent } from "../../webhooks/events/record.ts";
import {
  acceptsTesters,
  countedDaysOf,
  dayStartsOf,
  dayStartsOfRow,
  graceEndOf,
  isBelow,
  type Standing,
  type StandingCycle,
  standingOf,
  todayOf,
} from "../days/rules.ts";
import { type ListingRow, ownedListing } from "../listings/store.ts";
import { dayStateOf, initialStateOf, reportOf } from "./rules.ts";
import {
  type Activation,
  type CycleRow,
  cycles as cycleRows,
  dayEvidence,
  dueChanges,
  type EvidenceSessionRow,
  type OwnedSlotRow,
  type ProofImageRow,
  type StandingSlotRow,
  slots as slotRows,
} from "./store.ts";

export function cycles(
  deps: Pick<Deps, "clock" | "database" | "newId" | "settings">,
): Handlers<typeof cyclesContract> {
  const { database, clock } = deps;
  const record = createAuditWriter(deps);
  return {
    list: withTraits({ catchesUp: { of: "listing", by: "params.listingId" } }, async ({ caller, params }) => {
      await ownedListing(database, params.listingId, caller);
      const [items, all] = await Promise.all([
        cycleRows.list(database, params.listingId),
        slotRows.ofListing(database, params.listingId),
      ]);
      const slotsOf = grouped(all, ({ cycleId }) => cycleId);
      return {
        items: items.map((row) => ({
          ...cycleAnswer(row, clock.now()),
          verdict: standingAnswer(row, slotsOf.get(row.id) ?? []).verdict,
        })),
      };
    }),

    async create({ caller, address, params, body, save }) {
      return save(async (tx) => {
        const listing = await ownedListing(tx, params.listingId, caller);
        const id = await planCycle(deps, tx, { listing, wanted: body });
        const action = { action: "cycle.create", appId: listing.appId, target: id } as const;
        await record(tx, { caller, address }, action);
        const cycle = await ownedCycle(tx, id, caller);
        const planned = await slotRows.list(tx, id);
        return { cycle: cycleAnswer(cycle, clock.now()), slots: planned.map(slotAnswer) };
      });
    },

    read: withTraits(catchesUpCycle, async ({ caller, params }) => {
      const cycle = await ownedCycle(database, params.cycleId, caller);
      const all = await slotRows.list(database, cycle.id);
      return {
        cycle: cycleAnswer(cycle, clock.now()),
        ...standingAnswer(cycle, all),
        slots: await slotsWithDays(deps, cycle, all),
      };
    }),

    report: withTraits(catchesUpCycle, async ({ caller, params }) =>
      reportCycle(deps, await ownedCycle(database, params.cycleId, caller)),
    ),

    cancel: withTraits(catchesUpCycle, ({ caller, address, params: { cycleId: id }, save }) =>
      save(async (tx) => {
        const { appId } = await ownedCycle(tx, id, caller);
        const at = clock.now().toISOString();
        const removed = await cycleRows.cancel(tx, id, at);
        if (removed === undefined) throw new ApiError("wrong_state");
        await record(tx, { caller, address }, { action: "cycle.cancel", appId, target: id });
        for (const { id: subjectId, seat } of removed)
          await recordEvent(deps, tx, {
            ...{ appId, type: "seat.removed", subjectId, at, by: caller.userId },
            facts: { cycleId: id, seat, because: "cancelled" },
          });
        for (const topic of [cyclesTopic, cycleTopic(id)]) tx.signal(topic);
        return cycleAnswer(await ownedCycle(tx, id, caller), clock.now());
      }),
    ),
  };
}

/** A running test whose goal is at risk or out of reach. The goal is every day counted in every slot. */
export interface TestBelow {
  readonly appId: string;
  readonly cycleId: string;
  /** The name of the app in its listing. */
  readonly listingName: string;
  readonly dayIndex: number;
  readonly durationDays: number;
  readonly verdict: CycleVerdict;
}

/** The maximum number of running cycles that are read for one person. */
const mostRunning = 200;

/**
 * Returns running tests of `userId` whose goal is at risk or out of reach, except tests planned after day 1.
 * (rule T41)
 */
export async function testsBelow(reader: Reader, userId: string): Promise<TestBelow[]> {
  const running = await cycleRows.runningOf(reader, userId, mostRunning);
  if (running.length === 0) return [];
  const all = await slotRows.ofCycles(
    reader,
    running.map(({ id }) => id),
  );
  const slotsOf = grouped(all, ({ cycleId }) => cycleId);
  return running.flatMap((row) => {
    const standing = standingAnswer(row, slotsOf.get(row.id) ?? []);
    if (!isBelowItsTesters(row, standing)) return [];
    const { appId, id: cycleId, appName: listingName, durationDays } = row;
    const dayIndex = Math.min(row.closedDays + 1, durationDays);
    return [{ appId, cycleId, listingName, dayIndex, durationDays, verdict: standing.verdict }];
  });
}

const catchesUpCycle = { catchesUp: { of: "cycle", by: "params.cycleId" } } as const;

async function ownedCycle(reader: Reader, id: string, viewer: Viewer): Promise<CycleRow> {
  const cycle = await cycleRows.find(reader, id, viewer);
  if (!cycle) throw new ApiError("not_found");
  return cycle;
}

/** Stores a cycle with open slots. Returns its id. Throws `bad_request` if the last day is over. (rule T3) */
async function planCycle(
  { newId, clock }: Pick<Deps, "newId" | "clock">,
  tx: Transaction,
  { listing, wanted }: { readonly listing: ListingRow; readonly wanted: NewCycle },
): Promise<string> {
  const { startsOn, timezone } = wanted;
  const createdAt = clock.now().toISOString();
  const { id: listingId, appId, durationDays, maxMissedDays } = listing;
  const dayStarts = dayStartsOf({ startsOn, timezone, durationDays });
  const initialState = initialStateOf(dayStarts, createdAt);
  if (!initialState)
    throw badRequest("startsOn", "must be later, because the last day of the test would already be over");
  const cycle = { id: newId(), listingId, startsOn, timezone, durationDays, maxMissedDays, createdAt };
  await cycleRows.insert(tx, { ...cycle, ...initialState, dayStarts: JSON.stringify(dayStarts) });
  for (let seat = 1; seat <= listing.seats; seat += 1)
    await dueChanges.openSlot(tx, { id: newId(), cycleId: cycle.id, seat, createdAt });
  if (initialState.status === "running")
    await recordEvent({ newId }, tx, {
      appId,
      type: "cycle.started",
      subjectId: cycle.id,
      facts: {},
      at: createdAt,
    });
  tx.signal(cyclesTopic);
  return cycle.id;
}

async function reportCycle(
  { database, clock }: Pick<Deps, "database" | "clock">,
  cycle: CycleRow,
): Promise<CycleReport> {
  const [all, days, sessions] = await Promise.all([
    slotRows.list(database, cycle.id),
    dayEvidence.counted(database, cycle.id),
    dayEvidence.sessionsPerSlot(database, cycle.id),
  ]);
  const { appName, packageName, verificationTier } = cycle;
  const answer = cycleAnswer(cycle, clock.now());
  const { closedDays } = cycle;
  const facts = { cycle: answer, closedDays, verificationTier, appName, packageName };
  return reportOf({ ...facts, slots: all, days, sessions });
}

/** Returns the slots of a cycle, each with all days of the test and their evidence. */
async function slotsWithDays(
  { database, settings }: Pick<Deps, "database" | "settings">,
  cycle: CycleRow,
  cycleRows: readonly OwnedSlotRow[],
): Promise<SlotWithDays[]> {
  const dayOf = await evidenceOf({ database, settings }, cycle.id);
  const progress = { status: cycle.status, dayStarts: dayStartsOfRow(cycle), closedDays: cycle.closedDays };
  return cycleRows.map((row) => ({
    ...slotAnswer(row),
    days: Array.from({ length: cycle.durationDays }, (_, at) => {
      const day = dayOf(row.id, at + 1);
      const judged = { dayIndex: at + 1, isCounted: day.countedBy !== null };
      return { ...day, state: dayStateOf(judged, row, progress) };
    }),
  }));
}

type DayEvidence = Omit<SlotDay, "state">;

async function evidenceOf(
  { database, settings }: Pick<Deps, "database" | "settings">,
  cycleId: string,
): Promise<(slotId: string, dayIndex: number) => DayEvidence> {
  const [counted, counting, longest, tallies, images] = await Promise.all([
    dayEvidence.counted(database, cycleId).then(byDay),
    dayEvidence.countingSessions(database, cycleId).then(byDay),
    dayEvidence.longestSessions(database, cycleId).then(byDay),
    dayEvidence.sessionsPerDay(database, cycleId).then(byDay),
    dayEvidence.proofs(database, cycleId).then((found) => grouped(found, keyOf)),
  ]);
  return (slotId, dayIndex) => {
    const key = keyOf({ slotId, dayIndex });
    const count = counted.get(key);
    const session = counting.get(key) ?? longest.get(key);
    return {
      dayIndex,
      countedBy: count?.kind ?? null,
      countedAt: count?.countedAt ?? null,
      reason: count ? null : (tallies.get(key)?.reason ?? null),
      sessions: tallies.get(key)?.sessions ?? 0,
      session: session ? sessionAnswer(session) : null,
      proof: proofAnswer(images.get(key) ?? [], settings.baseUrl),
    };
  };
}

interface OfDay {
  readonly slotId: string;
  readonly dayIndex: number;
}

const keyOf = ({ slotId, dayIndex }: OfDay): string => `${slotId} ${dayIndex}`;

const byDay = <Row extends OfDay>(cycleRows: readonly Row[]): Map<string, Row> =>
  new Map(cycleRows.map((row) => [keyOf(row), row]));

function grouped<Row>(cycleRows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of cycleRows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

const sessionAnswer = (row: EvidenceSessionRow): NonNullable<SlotDay["session"]> => ({
  startedAt: row.startedAt,
  endedAt: row.endedAt,
  screens: JSON.parse(row.screens),
  appVersion: row.appVersion,
  receivedAt: row.receivedAt,
});

/** Returns the newest proof of a day or null. `cycleRows` has one row for each image, oldest first. */
function proofAnswer(cycleRows: readonly ProofImageRow[], baseUrl: string): SlotDay["proof"] {
  const newest = cycleRows.at(-1);
  if (!newest) return null;
  const uploads = cycleRows.flatMap(({ proofId, upload }) =>
    proofId === newest.proofId && upload !== null ? [upload] : [],
  );
  return {
    proofId: newest.proofId,
    capturedAt: newest.capturedAt,
    queuedAt: newest.queuedAt,
    receivedAt: newest.receivedAt,
    note: newest.note,
    images: uploads.map((name) => `${baseUrl}/uploads/${name}`),
  };
}

export function slots(
  deps: Pick<Deps, "clock" | "newId" | "sealer" | "settings">,
): Handlers<typeof slotsContract> {
  const change = createChange(deps);
  const now = () => deps.clock.now().toISOString();
  return {
    accept: withTraits(
      catchesUpSlot,
      change("slot.accept", (tx, slot) => acceptSlot(deps, tx, slot), filled),
    ),
    decline: withTraits(
      catchesUpSlot,
      change("slot.decline", (tx, { id }) => slotRows.decline(tx, id, now())),
    ),
    remove: withTraits(
      catchesUpSlot,
      change("slot.remove", (tx, slot) => removeSlot(deps, tx, slot), removed),
    ),
    rotateKey: withTraits(
      catchesUpSlot,
      change("slot.rotate_key", (tx, slot) => rotateKey(deps, tx, slot)),
    ),
    confirmJoin: withTraits(
      catchesUpSlot,
      change("slot.confirm_join", (tx, { id }) => slotRows.confirmJoin(tx, id)),
    ),

    assign: withTraits({ ...catchesUpSlot, keptRefusals: ["own_listing"] }, async (request) => {
      const chosen = { email: request.body.email };
      const assign = change("slot.assign", (tx, slot) => assignSlot(deps, tx, { slot, ...chosen }), filled);
      try {
        return await assign(request);
      } catch (error) {
        // A conflict means that the tester got another slot of this cycle at the same moment.
        throw isConflict(error) ? new ApiError("already_in_cycle", {}, { cause: error }) : error;
      }
    }),
  };
}

const filled = { type: "seat.filled", facts: {} } as const;

const removed = { type: "seat.removed", facts: { because: "owner" } } as const;

const catchesUpSlot = { catchesUp: { of: "slot", by: "params.slotId" } } as const;

/** Changes a slot. Returns false if the state of the slot does not allow the change. */
type Work = (tx: Transaction, slot: SlotInCycle) => Promise<boolean>;

/** A request that changes a slot. Each kind of change has another body, which this type leaves out. */
type SlotChangeRequest = Pick<Request<typeof slotsContract.accept>, "caller" | "address" | "params"> & {
  save(work: (tx: Transaction) => Promise<OwnedSlot>): Promise<OwnedSlot>;
};

/**
 * Creates handlers that change one slot and record the change. They throw `wrong_state` if the change is not
 * possible.
 */
function createChange(deps: Pick<Deps, "clock" | "newId">) {
  const record = createAuditWriter(deps);
  return (action: AuditActionName, work: Work, event?: Pick<Happening, "type" | "facts">) =>
    async ({ caller, address, params, save }: SlotChangeRequest): Promise<OwnedSlot> => {
      return save(async (tx) => {
        const slot = await lockedSlot(tx, params.slotId, caller);
        if (!(await work(tx, slot))) throw new ApiError("wrong_state");
        const { appId } = slot.cycle;
        await record(tx, { caller, address }, { action, appId, target: slot.id });
        const changed = await slotRows.find(tx, slot.id);
        if (!changed) throw new ApiError("not_found");
        if (event)
          await recordEvent(deps, tx, {
            ...{ appId, type: event.type, subjectId: slot.id, at: deps.clock.now().toISOString() },
            by: caller.userId,
            facts: { cycleId: slot.cycle.id, seat: changed.seat, ...event.facts },
          });
        for (const topic of [cyclesTopic, cycleTopic(slot.cycle.id)]) tx.signal(topic);
        if (changed.testerId !== null) tx.signal(userTopic(changed.testerId));
        return slotAnswer(changed);
      });
    };
}

type SlotsDeps = Pick<Deps, "clock" | "newId" | "sealer" | "settings">;

interface SlotInCycle {
  readonly id: string;
  readonly cycle: CycleRow;
}

/** Locks the cycle of a slot. Throws `not_found` for a viewer who is not a member. */
async function lockedSlot(tx: Transaction, id: string, viewer: Viewer): Promise<SlotInCycle> {
  const found = await slotRows.findCycle(tx, id, viewer);
  if (!found) throw new ApiError("not_found");
  await tx.lock(`cycle:${found.cycleId}`);
  const cycle = await cycleRows.find(tx, found.cycleId, viewer);
  if (!cycle) throw new ApiError("not_found");
  return { id, cycle };
}

/** Accepts the request for a slot. Returns false if the request has expired or the cycle is over. */
async function acceptSlot(deps: SlotsDeps, tx: Transaction, { id, cycle }: SlotInCycle): Promise<boolean> {
  const now = deps.clock.now();
  return isUnderWay(cycle, now) && slotRows.accept(tx, id, activation(deps, cycle, now));
}

/**
 * Removes a tester. Adds an open slot if the last day is not over. Returns false for an inactive slot.
 * (rule T8)
 */
async function removeSlot(deps: SlotsDeps, tx: Transaction, { id, cycle }: SlotInCycle): Promise<boolean> {
  const now = deps.clock.now();
  const at = now.toISOString();
  if (!(await slotRows.remove(tx, id, at))) return false;
  const removed = await slotRows.find(tx, id);
  if (removed && isUnderWay(cycle, now))
    await dueChanges.openSlot(tx, { id: deps.newId(), cycleId: cycle.id, seat: removed.seat, createdAt: at });
  return true;
}

/** Replaces the test key of a slot. Returns false if the slot is not active. */
function rotateKey({ sealer }: SlotsDeps, tx: Transaction, { id }: SlotInCycle): Promise<boolean> {
  const { keyHash, keySealed } = freshKey(sealer);
  return slotRows.rotateKey(tx, id, { keyHash, keySealed });
}

/**
 * Assigns an open slot to an account. Throws `not_found` for an unknown address, `email_unverified`,
 * `own_listing`, `cycle_not_open`, `already_in_cycle` and `slot_taken`. (rule T7)
 */
async function assignSlot(
  deps: SlotsDeps,
  tx: Transaction,
  { slot, email }: { readonly slot: SlotInCycle; readonly email: string },
): Promise<true> {
  const { id, cycle } = slot;
  const now = deps.clock.now();
  const tester = await users.findByEmail(tx, normaliseEmail(email));
  if (!tester) throw new ApiError("not_found", { message: unknownAccount });
  // Only the owner of the address may get the slot, but anybody can create an account with any address.
  if (sendsMail(deps.settings) && !(await users.isVerified(tx, tester.id)))
    throw new ApiError("email_unverified", { message: unverifiedAccount });
  if (await members.roleOf(tx, cycle.appId, tester.id)) throw new ApiError("own_listing");
  if (!isUnderWay(cycle, now)) throw new ApiError("cycle_not_open");
  if (await slotRows.isIn(tx, cycle.id, tester.id)) throw new ApiError("already_in_cycle");
  if (!(await slotRows.assign(tx, id, { testerId: tester.id, ...activation(deps, cycle, now) })))
    throw new ApiError("slot_taken");
  return true;
}

const unknownAccount =
  "There is no account with this e-mail address. Ask the tester to create one, then assign the slot again.";

const unverifiedAccount =
  "The e-mail address of this account is not verified yet. Ask the tester to request a new password, and to follow the link in the mail. Then assign the slot again. Or ask the tester to request the slot.";

const isUnderWay = (cycle: CycleRow, now: Date): boolean =>
  acceptsTesters({ status: cycle.status, dayStarts: dayStartsOfRow(cycle) }, now.toISOString());

const activation = ({ sealer }: SlotsDeps, cycle: CycleRow, now: Date): Activation => ({
  at: now.toISOString(),
  fromDay: todayOf({ ...cycle, dayStarts: dayStartsOfRow(cycle) }, now),
  ...freshKey(sealer),
});

function freshKey(sealer: SlotsDeps["sealer"]) {
  const key = mintCredential("stk_");
  return { keyHash: hashOf(key), keySealed: sealer.seal(key) };
}

/** Converts a stored cycle to the object that the API returns to the owner. */
function cycleAnswer(row: CycleRow, now: Date): Cycle {
  const dayStarts = dayStartsOfRow(row);
  return {
    id: row.id,
    listingId: row.listingId,
    appId: row.appId,
    status: row.status,
    startsOn: row.startsOn,
    timezone: row.timezone,
    durationDays: row.durationDays,
    maxMissedDays: row.maxMissedDays,
    startsAt: dayStarts[0] ?? "",
    endsAt: dayStarts.at(-1) ?? "",
    dayIndex: todayOf({ ...row, dayStarts }, now),
    createdAt: row.createdAt,
  };
}

const standingAnswer = (row: CycleRow, slots: readonly StandingSlotRow[]): Standing =>
  standingOf(
    standingCycle(row),
    slots.map((slot) => ({ ...slot, countedDays: countedDaysOf(slot.counted) })),
  );

const isBelowItsTesters = (row: CycleRow, { verdict }: Standing): boolean =>
  isBelow(standingCycle(row), verdict);

const standingCycle = (row: CycleRow): StandingCycle => ({
  ...row,
  dayStarts: dayStartsOfRow(row),
  // A getter, because calculations with time zones are slow. Only a test after its last day needs this value.
  get graceEnd() {
    return graceEndOf(row);
  },
});

/** Converts a stored slot for the owner. The answer does not contain the test key. */
const slotAnswer = (row: OwnedSlotRow): OwnedSlot => ({
  slotId: row.id,
  cycleId: row.cycleId,
  seat: row.seat,
  status: row.status,
  tester: row.testerId === null ? null : { id: row.testerId, email: row.testerEmail ?? "" },
  missedDays: row.missedDays,
  daysCounted: countedDaysOf(row.counted).size,
  joinCheckPending: row.joinCheckPending === 1,
  requestExpiresAt: row.requestExpiresAt,
  activatedAt: row.activatedAt,
  endedAt: row.endedAt,
});
