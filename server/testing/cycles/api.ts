import type { CycleReport, cycles as contract, NewCycle } from "../../../src/contract/cycles.ts";
import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import type { Viewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { cyclesTopic, cycleTopic } from "../../database/signals.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { ownedListing } from "../listings/api.ts";
import type { ListingRow } from "../listings/store.ts";
import { slots } from "../slots/store.ts";
import { cycleAnswer, slotAnswer } from "./answer.ts";
import { slotsWithDays } from "./cycle-days.ts";
import { dayEvidence } from "./day-evidence.ts";
import { dayStartsOf } from "./days.ts";
import { dueChanges } from "./due-changes.ts";
import { standingOf } from "./new-cycle.ts";
import { reportOf } from "./rules.ts";
import { type CycleRow, cycles as rows } from "./store.ts";

export function cycles(
  deps: Pick<Deps, "clock" | "database" | "newId" | "settings">,
): Handlers<typeof contract> {
  const { database, clock } = deps;
  const record = createAuditWriter(deps);
  return {
    async list({ caller, params }) {
      await ownedListing(database, params.listingId, caller);
      const items = await rows.list(database, params.listingId);
      return { items: items.map((row) => cycleAnswer(row, clock.now())) };
    },

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

    async read({ caller, params }) {
      const cycle = await ownedCycle(database, params.cycleId, caller);
      return { cycle: cycleAnswer(cycle, clock.now()), slots: await slotsWithDays(deps, cycle) };
    },

    async report({ caller, params }) {
      return reportCycle(deps, await ownedCycle(database, params.cycleId, caller));
    },

    async cancel({ caller, address, params: { cycleId: id }, save }) {
      return save(async (tx) => {
        const { appId } = await ownedCycle(tx, id, caller);
        if (!(await rows.cancel(tx, id, clock.now().toISOString()))) throw new ApiError("wrong_state");
        await record(tx, { caller, address }, { action: "cycle.cancel", appId, target: id });
        for (const topic of [cyclesTopic, cycleTopic(id)]) tx.signal(topic);
        return cycleAnswer(await ownedCycle(tx, id, caller), clock.now());
      });
    },
  };
}

async function ownedCycle(reader: Reader, id: string, viewer: Viewer): Promise<CycleRow> {
  const cycle = await rows.find(reader, id, viewer);
  if (!cycle) throw new ApiError("not_found");
  return cycle;
}

/**
 * Writes a cycle and its open slots. Gives its id. The cycle keeps the present days and allowed misses of the listing.
 */
async function planCycle(
  { newId, clock }: Pick<Deps, "newId" | "clock">,
  tx: Transaction,
  { listing, wanted }: { readonly listing: ListingRow; readonly wanted: NewCycle },
): Promise<string> {
  const { startsOn, timezone } = wanted;
  const createdAt = clock.now().toISOString();
  const { id: listingId, durationDays, maxMissedDays } = listing;
  const dayStarts = dayStartsOf({ startsOn, timezone, durationDays });
  const standing = standingOf(dayStarts, createdAt);
  if (!standing)
    throw badRequest("startsOn", "must be later: the last day of the test would be over already");
  const cycle = { id: newId(), listingId, startsOn, timezone, durationDays, maxMissedDays, createdAt };
  await rows.insert(tx, { ...cycle, ...standing, dayStarts: JSON.stringify(dayStarts) });
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
  const { appName, packageName } = cycle;
  const answer = cycleAnswer(cycle, clock.now());
  const isOver = cycle.closedDays >= cycle.durationDays;
  return reportOf({ cycle: answer, isOver, appName, packageName, slots: all, days, sessions });
}
