import { ApiError } from "../../../src/contract/errors.ts";
import type { Viewer } from "../../access/members/visibility.ts";
import type { Reader } from "../../database/database.ts";
import { type ListingRow, listings } from "./store.ts";

/** Returns the listing if the viewer is a member of its app. Throws `not_found` otherwise. */
export async function ownedListing(reader: Reader, id: string, viewer: Viewer): Promise<ListingRow> {
  const listing = await listings.find(reader, id, viewer);
  if (!listing) throw new ApiError("not_found");
  return listing;
}
