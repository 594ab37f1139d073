import type { listings as contract, Listing, NewListing } from "../../../src/contract/cycles.ts";
import { ownedApp } from "../../access/apps/store.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import { changesBetween } from "../../access/audit/rules.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { type ListingRow, ownedListing, listings as rows } from "./store.ts";

export function listings(deps: Pick<Deps, "clock" | "database" | "newId">): Handlers<typeof contract> {
  const record = createAuditWriter(deps);
  return {
    async list({ caller, params }) {
      await ownedApp(deps.database, params.appId, caller);
      const items = await rows.list(deps.database, params.appId);
      return { items: items.map(listingAnswer) };
    },

    async create({ caller, address, params: { appId }, body, save }) {
      return save(async (tx) => {
        await ownedApp(tx, appId, caller);
        const listing = await createListing(deps, tx, { appId, listing: body });
        await record(tx, { caller, address }, { action: "listing.create", appId, target: listing.id });
        return listingAnswer(listing);
      });
    },

    async read({ caller, params }) {
      return listingAnswer(await ownedListing(deps.database, params.listingId, caller));
    },

    async update({ caller, address, params: { listingId: id }, body, save }) {
      return save(async (tx) => {
        const before = await ownedListing(tx, id, caller);
        const { appId } = before;
        const changed = await rows.update(tx, id, { ...body, at: deps.clock.now().toISOString() });
        const listing = listingAnswer(await ownedListing(tx, id, caller));
        const changes = changesBetween(listingAnswer(before), listing, ["testBrief", "updatedAt"]);
        if (changed)
          await record(
            tx,
            { caller, address },
            {
              ...{ action: "listing.update", appId, target: id },
              changes: changes.filter(({ field }) => field in body),
            },
          );
        return listing;
      });
    },
  };
}

/** The values for fields that the owner of a listing does not set. (rule T2) */
const defaults = { seats: 12, durationDays: 14, maxMissedDays: 3, iconUrl: null };

async function createListing(
  { newId, clock }: Pick<Deps, "newId" | "clock">,
  tx: Transaction,
  { appId, listing }: { readonly appId: string; readonly listing: NewListing },
) {
  const at = clock.now().toISOString();
  const row = {
    id: newId(),
    appId,
    appName: listing.appName,
    iconUrl: listing.iconUrl ?? defaults.iconUrl,
    packageName: listing.packageName,
    optInUrl: listing.optInUrl,
    testBrief: listing.testBrief,
    screens: JSON.stringify(listing.screens),
    seats: listing.seats ?? defaults.seats,
    durationDays: listing.durationDays ?? defaults.durationDays,
    maxMissedDays: listing.maxMissedDays ?? defaults.maxMissedDays,
    verificationTier: listing.verificationTier,
    createdAt: at,
    updatedAt: at,
  };
  await rows.insert(tx, row);
  return row;
}

const listingAnswer = (row: ListingRow): Listing => ({ ...row, screens: JSON.parse(row.screens) });
