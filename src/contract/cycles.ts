import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { endpoint } from "./endpoint.ts";
import type { ErrorCode } from "./errors.ts";
import { calendarDate, instant, text, uuid, webUrl } from "./fields.ts";
import { limits } from "./limits.ts";
import { timeZone } from "./sign-in.ts";
import { CycleVerdict, TesterAttention, TestToday, UnbrokenDay } from "./standing.ts";
import { cycleStatuses, slotParams, slotStatuses, VerificationTier } from "./tester.ts";

export const SlotStatus = z.enum(slotStatuses);
export type SlotStatus = z.output<typeof SlotStatus>;

/** A slot as the members of the app read it. */
export const OwnedSlot = z.object({
  slotId: uuid,
  cycleId: uuid,
  /** The number of the slot in the cycle, from 1. A replacement of a removed slot has the same number. */
  seat: z.int(),
  status: SlotStatus,
  tester: z.nullable(z.object({ id: uuid, email: z.string() })),
  missedDays: z.int(),
  daysCounted: z.int(),
  joinCheckPending: z.boolean(),
  requestExpiresAt: z.nullable(instant),
  activatedAt: z.nullable(instant),
  endedAt: z.nullable(instant),
});
export type OwnedSlot = z.output<typeof OwnedSlot>;

const cycleChange = <const Verb extends string, const Errors extends readonly ErrorCode[]>(
  verb: Verb,
  summary: string,
  errors: Errors,
) =>
  endpoint({
    method: "POST",
    path: `/api/v1/console/slots/:slotId/${verb}`,
    summary,
    auth: "console",
    role: "maintainer",
    scope: "testing:manage",
    params: slotParams,
    body: z.object({}),
    success: { status: 200, body: OwnedSlot },
    errors: ["not_found", ...errors],
    example: { request: {} },
  });

export const slots = {
  accept: cycleChange("accept", "Assign a slot to the tester who requested it", ["wrong_state"]),
  decline: cycleChange("decline", "Decline the request for a slot; the slot is open again", ["wrong_state"]),
  remove: cycleChange("remove", "Remove a tester from a slot; another slot opens in its place", [
    "wrong_state",
  ]),
  rotateKey: cycleChange("rotate-key", "Replace the test key of a slot; its tester can read the new key", [
    "wrong_state",
  ]),
  confirmJoin: cycleChange("confirm-join", "Confirm that the tester has joined the store's test", [
    "wrong_state",
  ]),
  assign: endpoint({
    method: "POST",
    path: "/api/v1/console/slots/:slotId/assign",
    summary: "Assign an open slot to an existing account",
    auth: "console",
    role: "maintainer",
    scope: "testing:manage",
    params: slotParams,
    body: z.object({ email: text(1, limits.email) }),
    success: { status: 200, body: OwnedSlot },
    errors: [
      "not_found",
      "email_unverified",
      "own_listing",
      "already_in_cycle",
      "slot_taken",
      "cycle_not_open",
    ],
    example: { request: { email: "priya@example.org" } },
  }),
} as const;

export const CycleStatus = z.enum(cycleStatuses);

export type CycleStatus = z.output<typeof CycleStatus>;

/** A closed test of an app. It lasts a fixed number of days. */
export const Cycle = z.object({
  id: uuid,
  listingId: uuid,
  appId: uuid,
  status: CycleStatus,
  /** The first day, YYYY-MM-DD in the cycle's time zone. */
  startsOn: z.string(),
  timezone: z.string(),
  durationDays: z.int(),
  maxMissedDays: z.int(),
  /** `startsAt` is the start of the first day. `endsAt` is the end of the last day. */
  startsAt: instant,
  endsAt: instant,
  /** The number of the current day: 0 before the first day, and the last day after the end. */
  dayIndex: z.int(),
  createdAt: instant,
});

export type Cycle = z.output<typeof Cycle>;

/** A cycle in a list, with its verdict. */
export const JudgedCycle = z.extend(Cycle, { verdict: CycleVerdict });

export type JudgedCycle = z.output<typeof JudgedCycle>;

export const EvidenceSession = z.object({
  startedAt: instant,
  endedAt: instant,
  screens: z.array(z.string()),
  appVersion: z.nullable(z.string()),
  receivedAt: instant,
});

export const EvidenceProof = z.object({
  proofId: uuid,
  capturedAt: instant,
  queuedAt: z.nullable(instant),
  receivedAt: instant,
  note: z.nullable(z.string()),
  images: z.array(z.string()),
});

/** The facts about one day of a slot. */
export const SlotDay = z.object({
  dayIndex: z.int(),
  /**
   * `missed` means over and not counted. `open` means today. `none` means that the slot was not active, or
   * became active on this day.
   */
  state: z.enum(["counted", "missed", "open", "ahead", "none"]),
  countedBy: z.nullable(z.enum(["session", "proof"])),
  countedAt: z.nullable(instant),
  /** Why the last test session of the day did not count. Null if the day is counted. */
  reason: z.nullable(z.string()),
  /** How many test sessions were reported for the day. */
  sessions: z.int(),
  /** The test session that made the day count. If no session did, the longest session of the day. */
  session: z.nullable(EvidenceSession),
  proof: z.nullable(EvidenceProof),
});

export type SlotDay = z.output<typeof SlotDay>;

export const SlotWithDays = z.extend(OwnedSlot, { days: z.array(SlotDay) });

export type SlotWithDays = z.output<typeof SlotWithDays>;

/** A cycle with its slots and their days, the state of the test, and what its testers need today. */
export const CycleDetail = z.object({
  cycle: Cycle,
  verdict: CycleVerdict,
  /** Null before the first day, after the last day, and if the cycle was cancelled. */
  today: z.nullable(TestToday),
  /** The testers with a slot, sorted by how soon they need attention. */
  attention: z.array(TesterAttention),
  /** One element for each day that has begun. */
  unbroken: z.array(UnbrokenDay),
  slots: z.array(SlotWithDays),
});

export type CycleDetail = z.output<typeof CycleDetail>;

/** The facts of a cycle. They do not say what an app store will decide. (rule T33) */
export const CycleReport = z.object({
  cycle: Cycle,
  appName: z.string(),
  packageName: z.string(),
  /** The number of testers who have a slot, or had one at the end of the cycle. */
  testers: z.int(),
  /** How many of the `testers` have a slot in which every day of the test counts. */
  testersWithEveryDay: z.int(),
  /** How many days of the test are over. */
  finishedDays: z.int(),
  /** How many of the `testers` have a slot in which all finished days count. */
  testersWithEveryFinishedDay: z.int(),
  /** For each day, the number of slots in which the day counts. */
  testersPerDay: z.array(z.object({ dayIndex: z.int(), testers: z.int() })),
  seats: z.array(
    z.object({
      slotId: uuid,
      seat: z.int(),
      status: SlotStatus,
      daysCounted: z.int(),
      daysBySession: z.int(),
      daysByProof: z.int(),
      missedDays: z.int(),
      sessions: z.int(),
      /**
       * The length of all test sessions together, in seconds. Sessions that arrived too late are not included.
       */
      secondsTested: z.int(),
      activatedAt: z.nullable(instant),
      endedAt: z.nullable(instant),
    }),
  ),
  /** What these figures mean, and what they do not mean. */
  statement: z.string(),
});

export type CycleReport = z.output<typeof CycleReport>;

export const NewCycle = z.object({
  startsOn: calendarDate,
  timezone: timeZone,
});

export type NewCycle = z.output<typeof NewCycle>;

export const cycleParams = z.object({ cycleId: uuid });

export const listingParams = z.object({ listingId: uuid });

export const cycles = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/console/listings/:listingId/cycles",
    summary: "List the test cycles of a listing, newest first, each with its verdict",
    auth: "console",
    role: "viewer",
    scope: "testing:manage",
    params: listingParams,
    success: { status: 200, body: z.object({ items: z.array(JudgedCycle) }) },
    errors: ["not_found"],
  }),
  create: endpoint({
    method: "POST",
    path: "/api/v1/console/listings/:listingId/cycles",
    summary: "Plan a test cycle; it starts and ends automatically",
    auth: "console",
    role: "maintainer",
    scope: "testing:manage",
    params: listingParams,
    body: NewCycle,
    success: { status: 201, body: z.object({ cycle: Cycle, slots: z.array(OwnedSlot) }) },
    errors: ["not_found"],
    example: { request: { startsOn: "2026-11-23", timezone: "Europe/London" } },
  }),
  read: endpoint({
    method: "GET",
    path: "/api/v1/console/cycles/:cycleId",
    summary:
      "Read a test cycle: the verdict, what testers need today, the slots, and their days with evidence",
    auth: "console",
    role: "viewer",
    scope: "testing:manage",
    params: cycleParams,
    success: { status: 200, body: CycleDetail },
    errors: ["not_found"],
  }),
  report: endpoint({
    method: "GET",
    path: "/api/v1/console/cycles/:cycleId/report",
    summary: "Read the report of a test cycle: its days, testers and evidence",
    auth: "console",
    role: "viewer",
    scope: "testing:manage",
    params: cycleParams,
    success: { status: 200, body: CycleReport },
    errors: ["not_found"],
  }),
  cancel: endpoint({
    method: "POST",
    path: "/api/v1/console/cycles/:cycleId/cancel",
    summary: "Cancel a test cycle",
    auth: "console",
    role: "maintainer",
    scope: "testing:manage",
    params: cycleParams,
    body: z.object({}),
    success: { status: 200, body: Cycle },
    errors: ["not_found", "wrong_state"],
    example: { request: {} },
  }),
} as const;

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

const listingFields = {
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

const optionalListingFields = {
  iconUrl: z.optional(z.nullable(webUrl(limits.url))),
  seats: z.optional(whole(limits.seats)),
  durationDays: z.optional(whole(limits.durationDays)),
  maxMissedDays: z.optional(whole(limits.missedDays)),
};

export const NewListing = z.object({ ...listingFields, ...optionalListingFields });

export type NewListing = z.output<typeof NewListing>;

export const ListingChange = z.extend(z.partial(z.object(listingFields)), optionalListingFields);

export type ListingChange = z.output<typeof ListingChange>;

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
