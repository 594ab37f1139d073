import type { Listing, ListingChange } from "../../../src/contract/listings.ts";
import { oneForViewer, type Viewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { listingTopic } from "../../database/signals.ts";
import { assignments } from "../../database/statements.ts";

/** The stored form of a listing. `screens` is a JSON array. */
export interface ListingRow extends Omit<Listing, "screens"> {
  readonly screens: string;
}

const columns = `l.id, l.app_id AS "appId", l.app_name AS "appName", l.icon_url AS "iconUrl",
  l.package_name AS "packageName", l.opt_in_url AS "optInUrl", l.test_brief AS "testBrief", l.screens, l.seats,
  l.duration_days AS "durationDays", l.max_missed_days AS "maxMissedDays",
  l.verification_tier AS "verificationTier", l.created_at AS "createdAt", l.updated_at AS "updatedAt"`;

const listingOf = oneForViewer<ListingRow>({
  columns,
  from: "FROM listings l",
  app: "l.app_id",
  where: "l.id = ?",
});

/** The listings of apps for closed testing, as their owners see them. */
export const listings = {
  /** The listings of an app, newest first. */
  list: (reader: Reader, appId: string) =>
    reader.all<ListingRow>(
      `SELECT ${columns} FROM listings l WHERE l.app_id = ? ORDER BY l.created_at DESC, l.id DESC`,
      appId,
    ),

  find: (reader: Reader, id: string, viewer: Viewer) => listingOf(reader, viewer, id),

  insert: (tx: Transaction, listing: ListingRow) =>
    tx.insert("listings", {
      id: listing.id,
      app_id: listing.appId,
      app_name: listing.appName,
      icon_url: listing.iconUrl,
      package_name: listing.packageName,
      opt_in_url: listing.optInUrl,
      test_brief: listing.testBrief,
      screens: listing.screens,
      seats: listing.seats,
      duration_days: listing.durationDays,
      max_missed_days: listing.maxMissedDays,
      verification_tier: listing.verificationTier,
      created_at: listing.createdAt,
      updated_at: listing.updatedAt,
    }),

  /** Sets the given fields; false if no field is given. */
  async update(
    tx: Transaction,
    id: string,
    { at, ...change }: ListingChange & { readonly at: string },
  ): Promise<boolean> {
    const { sql, values } = assignments({
      app_name: change.appName,
      icon_url: change.iconUrl,
      package_name: change.packageName,
      opt_in_url: change.optInUrl,
      test_brief: change.testBrief,
      screens: change.screens && JSON.stringify(change.screens),
      seats: change.seats,
      duration_days: change.durationDays,
      max_missed_days: change.maxMissedDays,
      verification_tier: change.verificationTier,
    });
    if (sql === "") return false;
    await tx.run(`UPDATE listings SET ${sql}, updated_at = ? WHERE id = ?`, ...values, at, id);
    tx.signal(listingTopic(id));
    return true;
  },
};
