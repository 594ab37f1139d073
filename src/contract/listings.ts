import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { endpoint } from "./endpoint.ts";
import { instant, text, uuid, webUrl } from "./fields.ts";
import { limits } from "./limits.ts";
import { VerificationTier } from "./tester.ts";

/** An app's offer to testers. */
export const Listing = z.object({
  id: uuid,
  appId: uuid,
  appName: z.string(),
  iconUrl: z.nullable(z.string()),
  packageName: z.string(),
  optInUrl: z.string(),
  testBrief: z.string(),
  screens: z.array(z.string()),
  seats: z.int(),
  durationDays: z.int(),
  maxMissedDays: z.int(),
  verificationTier: VerificationTier,
  createdAt: instant,
  updatedAt: instant,
});
export type Listing = z.output<typeof Listing>;

const whole = (most: number) =>
  z
    .int("must be a whole number")
    .check(z.gte(1, "must be at least 1"), z.lte(most, `must be at most ${most}`));

const fields = {
  appName: text(1, limits.appName),
  packageName: text(1, limits.packageName).check(
    z.regex(/^[A-Za-z][\w-]*(\.[A-Za-z][\w-]*)+$/, "must be a package name such as com.example.app"),
  ),
  optInUrl: webUrl(limits.url),
  testBrief: text(1, limits.testBrief),
  screens: z.array(text(1, limits.screenName)).check(
    z.minLength(1, "must name at least one screen"),
    z.maxLength(limits.listingScreens, `must name at most ${limits.listingScreens} screens`),
    z.refine((names) => new Set(names).size === names.length, "must name each screen once"),
  ),
  verificationTier: VerificationTier,
};

const optionalFields = {
  iconUrl: z.optional(z.nullable(webUrl(limits.url))),
  seats: z.optional(whole(limits.seats)),
  durationDays: z.optional(whole(limits.durationDays)),
  maxMissedDays: z.optional(whole(limits.missedDays)),
};

export const NewListing = z.object({ ...fields, ...optionalFields });
export type NewListing = z.output<typeof NewListing>;

export const ListingChange = z.extend(z.partial(z.object(fields)), optionalFields);
export type ListingChange = z.output<typeof ListingChange>;

export const listingParams = z.object({ listingId: uuid });

export const listings = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/console/apps/:appId/listings",
    summary: "List an app's offers to testers",
    auth: "console",
    role: "viewer",
    scope: "testing:manage",
    params: appParams,
    success: { status: 200, body: z.object({ items: z.array(Listing) }) },
    errors: ["not_found"],
  }),
  create: endpoint({
    method: "POST",
    path: "/api/v1/console/apps/:appId/listings",
    summary: "Offer an app to testers",
    auth: "console",
    role: "maintainer",
    scope: "testing:manage",
    params: appParams,
    body: NewListing,
    success: { status: 201, body: Listing },
    errors: ["not_found"],
    example: {
      request: {
        appName: "Larder",
        packageName: "com.example.larder",
        optInUrl: "https://play.google.com/apps/testing/com.example.larder",
        testBrief: "Add a recipe.",
        screens: ["Home", "Settings"],
        verificationTier: "sdk",
      },
    },
  }),
  read: endpoint({
    method: "GET",
    path: "/api/v1/console/listings/:listingId",
    summary: "Read an offer to testers",
    auth: "console",
    role: "viewer",
    scope: "testing:manage",
    params: listingParams,
    success: { status: 200, body: Listing },
    errors: ["not_found"],
  }),
  update: endpoint({
    method: "PATCH",
    path: "/api/v1/console/listings/:listingId",
    summary: "Change an offer to testers; new numbers of slots and days apply only to later cycles",
    auth: "console",
    role: "maintainer",
    scope: "testing:manage",
    params: listingParams,
    body: ListingChange,
    success: { status: 200, body: Listing },
    errors: ["not_found"],
    example: { request: { testBrief: "Add a recipe with a photo." } },
  }),
} as const;
