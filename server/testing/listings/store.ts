import type { Listing, ListingChange } from "../../../src/contract/cycles.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { oneForViewer, type Viewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/testing.ts";
import { listed, listingTopic, select, update } from "../../database/transaction.ts";

/** Returns the listing if the viewer is a member of its app. Throws `not_found` otherwise. */
export async function ownedListing(reader: Reader, id: string, viewer: Viewer): Promise<ListingRow> {
  const listing = await listings.find(reader, id, viewer);
  if (!listing) throw new ApiError("not_found");
  return listing;
}

/** The stored form of a listing. `screens` is a JSON array. */
export interface ListingRow extends Omit<Listing, "screens"> {
  readonly screens: string;
}

const fields = [
  ...["id", "appId", "appName", "iconUrl", "packageName", "optInUrl", "testBrief", "screens", "seats"],
  ...["durationDays", "maxMissedDays", "verificationTier", "createdAt", "updatedAt"],
] as const;

const listOf = select(tables.listings, fields, "WHERE app_id = ? ORDER BY created_at DESC, id DESC");

const listingOf = oneForViewer<ListingRow>({
  columns: listed(tables.listings, fields, "l"),
  from: "FROM listings l",
  app: "l.app_id",
  where: "l.id = ?",
});

const updateListing = update(tables.listings, "WHERE id = ?");

/** The queries with which the members of an app read and change its listings for closed testing. */
export const listings = {
  /** Returns the listings of an app, newest first. */
  list: (reader: Reader, appId: string): Promise<ListingRow[]> => reader.all(listOf, appId),

  find: (reader: Reader, id: string, viewer: Viewer) => listingOf(reader, viewer, id),

  insert: (tx: Transaction, listing: ListingRow) => tx.insert(tables.listings, listing),

  /** Sets the given fields. Returns false if no field is given. */
  async update(
    tx: Transaction,
    id: string,
    { at, ...change }: ListingChange & { readonly at: string },
  ): Promise<boolean> {
    const screens = change.screens && JSON.stringify(change.screens);
    if (Object.values(change).every((value) => value === undefined)) return false;
    await updateListing(tx, { ...change, screens, updatedAt: at }, id);
    tx.signal(listingTopic(id));
    return true;
  },
};
