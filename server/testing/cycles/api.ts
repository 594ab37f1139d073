import type {
  CycleReport,
  cycles as contract,
  NewCycle,
  SlotDay,
  SlotWithDays,
} from "../../../src/contract/cycles.ts";
import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import type { CycleVerdict } from "../../../src/contract/standing.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import type { Viewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { cyclesTopic, cycleTopic } from "../../database/signals.ts";
import type { Deps } from "../../deps.ts";
import { type Handlers, withTraits } from "../../http/handler.ts";
import { dayStartsOf, dayStartsOfRow } from "../days/rules.ts";
import { ownedListing } from "../listings/owned.ts";
import type { ListingRow } from "../listings/store.ts";
import { type OwnedSlotRow, slots } from "./slots-store.ts";
import { cycleAnswer, isBelowItsTesters, slotAnswer, standingAnswer } from "./answer.ts";
import { dayStateOf, initialStateOf, reportOf } from "./rules.ts";
import {
  type CycleRow,
  dayEvidence,
  dueChanges,
  type EvidenceSessionRow,
  type ProofImageRow,
  cycles as rows,
} from "./store.ts";

export function cycles(
  deps: Pick<Deps, "clock" | "database" | "newId" | "settings">,
): Handlers<typeof contract> {
  const { database, clock } = deps;
  const record = createAuditWriter(deps);
  return {
    list: withTraits({ catchesUp: { of: "listing", by: "params.listingId" } }, async ({ caller, params }) => {
      await ownedListing(database, params.listingId, caller);
      const [items, all] = await Promise.all([
        rows.list(database, params.listingId),
        slots.ofListing(database, params.listingId),
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
        const planned = await slots.list(tx, id);
        return { cycle: cycleAnswer(cycle, clock.now()), slots: planned.map(slotAnswer) };
      });
    },

    read: withTraits(catchesUpCycle, async ({ caller, params }) => {
      const cycle = await ownedCycle(database, params.cycleId, caller);
      const all = await slots.list(database, cycle.id);
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
        if (!(await rows.cancel(tx, id, clock.now().toISOString()))) throw new ApiError("wrong_state");
        await record(tx, { caller, address }, { action: "cycle.cancel", appId, target: id });
        for (const topic of [cyclesTopic, cycleTopic(id)]) tx.signal(topic);
        return cycleAnswer(await ownedCycle(tx, id, caller), clock.now());
      }),
    ),
  };
}

/** A running test that has fewer testers with an unbroken run than it needs. */
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

/** Returns the running tests of a person's apps that have too few testers with an unbroken run. (rule T41) */
export async function testsBelow(reader: Reader, userId: string): Promise<TestBelow[]> {
  const running = await rows.runningOf(reader, userId, mostRunning);
  if (running.length === 0) return [];
  const all = await slots.ofCycles(
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
  const cycle = await rows.find(reader, id, viewer);
  if (!cycle) throw new ApiError("not_found");
  return cycle;
}

/** Stores a cycle and its open slots. Returns the id of the cycle. Later changes of the listing do not change it. */
async function planCycle(
  { newId, clock }: Pick<Deps, "newId" | "clock">,
  tx: Transaction,
  { listing, wanted }: { readonly listing: ListingRow; readonly wanted: NewCycle },
): Promise<string> {
  const { startsOn, timezone } = wanted;
  const createdAt = clock.now().toISOString();
  const { id: listingId, durationDays, maxMissedDays } = listing;
  const dayStarts = dayStartsOf({ startsOn, timezone, durationDays });
  const initialState = initialStateOf(dayStarts, createdAt);
  if (!initialState)
    throw badRequest("startsOn", "must be later, because the last day of the test would already be over");
  const cycle = { id: newId(), listingId, startsOn, timezone, durationDays, maxMissedDays, createdAt };
  await rows.insert(tx, { ...cycle, ...initialState, dayStarts: JSON.stringify(dayStarts) });
  for (let seat = 1; seat <= listing.seats; seat += 1)
    await dueChanges.openSlot(tx, { id: newId(), cycleId: cycle.id, seat, createdAt });
  tx.signal(cyclesTopic);
  return cycle.id;
}

async function reportCycle(
  { database, clock }: Pick<Deps, "database" | "clock">,
  cycle: CycleRow,
): Promise<CycleReport> {
  const [all, days, sessions] = await Promise.all([
    slots.list(database, cycle.id),
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
  rows: readonly OwnedSlotRow[],
): Promise<SlotWithDays[]> {
  const dayOf = await evidenceOf({ database, settings }, cycle.id);
  const progress = { status: cycle.status, dayStarts: dayStartsOfRow(cycle), closedDays: cycle.closedDays };
  return rows.map((row) => ({
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

const byDay = <Row extends OfDay>(rows: readonly Row[]): Map<string, Row> =>
  new Map(rows.map((row) => [keyOf(row), row]));

function grouped<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
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

/** Returns the newest proof of a day. `rows` has one row for each image. */
function proofAnswer(rows: readonly ProofImageRow[], baseUrl: string): SlotDay["proof"] {
  const newest = rows.at(-1);
  if (!newest) return null;
  const uploads = rows.flatMap(({ proofId, upload }) =>
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
