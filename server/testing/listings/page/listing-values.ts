import type { Listing } from "../../../../src/contract/listings.ts";
import type { Values } from "../../../console/changed-values.ts";

/** The first values in the form of a new listing: the numbers that the store asks for. */
export const emptyListing: Values = {
  appName: "",
  packageName: "",
  optInUrl: "",
  iconUrl: "",
  testBrief: "",
  screens: "",
  verificationTier: "sdk",
  seats: "12",
  durationDays: "14",
  maxMissedDays: "3",
};

/** A stored listing as the text of its form fields, with one screen per line. */
export const currentListing = (listing: Listing): Values => ({
  appName: listing.appName,
  packageName: listing.packageName,
  optInUrl: listing.optInUrl,
  iconUrl: listing.iconUrl ?? "",
  testBrief: listing.testBrief,
  screens: listing.screens.join("\n"),
  verificationTier: listing.verificationTier,
  seats: String(listing.seats),
  durationDays: String(listing.durationDays),
  maxMissedDays: String(listing.maxMissedDays),
});

/** Values of the form as the API takes them. */
export function listingBody({ iconUrl, screens, seats, durationDays, maxMissedDays, ...rest }: Values) {
  return {
    ...rest,
    ...(iconUrl === undefined ? {} : { iconUrl: iconUrl.trim() === "" ? null : iconUrl }),
    ...(screens === undefined ? {} : { screens: linesOf(screens) }),
    ...numberAt("seats", seats),
    ...numberAt("durationDays", durationDays),
    ...numberAt("maxMissedDays", maxMissedDays),
  };
}

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** A value that is not a number is passed on unchanged, so that the API refuses it with a reason. */
const numberAt = (name: string, given: string | undefined): Record<string, number | string> =>
  given === undefined ? {} : { [name]: /^\s*-?\d{1,9}\s*$/.test(given) ? Number(given) : given };
