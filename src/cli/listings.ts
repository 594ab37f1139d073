import type { Listing, NewListing } from "../contract/listings.ts";
import { appIdOf } from "./core/app-id.ts";
import { usageError } from "./core/cli-error.ts";
import type { Invocation } from "./core/context.ts";
import { details } from "./core/details.ts";
import { optionalTextOf } from "./core/input.ts";
import { flagOf } from "./core/input-fault.ts";
import { missingFlags } from "./core/missing-flags.ts";
import { type Column, note, printList, printOne } from "./core/output.ts";
import { listingIdOf } from "./ids.ts";

/** The flags of a listing. */
export interface ListingFlags extends Partial<Omit<NewListing, "screens">> {
  readonly screen?: readonly string[];
}

export async function listListings(invocation: Invocation): Promise<undefined> {
  const { items } = await invocation.client().listings.list({ params: { appId: await appIdOf(invocation) } });
  printList(invocation, { items, columns });
}

const columns: readonly Column<Listing>[] = [
  { heading: "id", of: ({ id }) => id, isId: true },
  { heading: "app", of: ({ appName }) => appName },
  { heading: "package", of: ({ packageName }) => packageName },
  { heading: "slots", of: ({ seats }) => seats },
  { heading: "days", of: ({ durationDays }) => durationDays },
  { heading: "by", of: ({ verificationTier }) => verificationTier },
];

export async function viewListing(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const listingId = await listingIdOf(invocation, given);
  const listing = await invocation.client().listings.read({ params: { listingId } });
  printOne(invocation, listing, () => listingLines(listing));
}

/** Lists an app for testers. Throws a usage error that names all missing flags. */
export async function createListing(invocation: Invocation, flags: ListingFlags): Promise<undefined> {
  const change = await changeOf(invocation, flags);
  const { appName, packageName, optInUrl, testBrief, verificationTier, screens, ...rest } = change;
  const needed = { appName, packageName, optInUrl, testBrief, screens, verificationTier };
  if (!isWhole(needed)) throw missing(needed);
  const params = { appId: await appIdOf(invocation) };
  const listing = await invocation.client().listings.create({ params, body: { ...needed, ...rest } });
  note(
    invocation,
    `Created listing ${listing.id}. \`innkeep testing cycle create ${listing.id}\` plans a test.`,
  );
  printOne(invocation, listing, () => listingLines(listing));
}

export async function editListing(
  invocation: Invocation,
  flags: ListingFlags,
  given: string,
): Promise<undefined> {
  const body = await changeOf(invocation, flags);
  if (Object.values(body).every((value) => value === undefined)) {
    throw usageError("There is nothing to change.", "`innkeep testing listing edit --help` lists the flags.");
  }
  const listingId = await listingIdOf(invocation, given);
  const listing = await invocation.client().listings.update({ params: { listingId }, body });
  note(invocation, `Changed listing ${listing.id}.`);
  printOne(invocation, listing, () => listingLines(listing));
}

async function changeOf(invocation: Invocation, flags: ListingFlags) {
  const { appName, packageName, optInUrl, verificationTier, iconUrl, screen } = flags;
  const { seats, durationDays, maxMissedDays } = flags;
  return {
    ...{ appName, packageName, optInUrl, verificationTier, seats, durationDays, maxMissedDays },
    testBrief: await optionalTextOf(invocation, "--test-brief", flags.testBrief),
    iconUrl: iconUrl === "" ? null : iconUrl,
    screens: screen && [...screen],
  };
}

type Needed = Pick<
  NewListing,
  "appName" | "packageName" | "optInUrl" | "testBrief" | "screens" | "verificationTier"
>;

const isWhole = (given: Partial<Needed>): given is Needed =>
  Object.values(given).every((value) => value !== undefined);

function missing(given: Partial<Needed>) {
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [name] : []));
  return missingFlags(names.map((name) => (name === "screens" ? "--screen" : flagOf(name))));
}

const listingLines = (listing: Listing): string =>
  details({
    listing: listing.id,
    app: listing.appName,
    package: listing.packageName,
    "join here": listing.optInUrl,
    screens: listing.screens.join(", "),
    slots: listing.seats,
    days: `${listing.durationDays}, at most ${listing.maxMissedDays - 1} missed`,
    "verified by": listing.verificationTier,
    "what to do": listing.testBrief,
  });
