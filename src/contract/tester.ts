import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { app, cycleId, endOfDay, faqId, grant, listingId, slot, slotId } from "./example-values.ts";
import {
  filePart,
  givenInstant,
  instant,
  openEnum,
  optionalInstant,
  optionalText,
  pageLimit,
  queryInteger,
  text,
  uuid,
} from "./fields.ts";
import type { ReceivedFile } from "./files.ts";
import { limits, proofImages } from "./limits.ts";
import { accountTimeZone, Profile } from "./sign-in.ts";

export const cycleStatuses = ["recruiting", "running", "completed", "cancelled"] as const;
/** The states of a slot. (rule T4) */
export const slotStatuses = ["open", "requested", "active", "at_risk", "completed", "removed"] as const;
/** The statuses of slots that have tasks. */
const taskStatuses = ["active", "at_risk"] as const;

export const verificationTiers = ["sdk", "screenshot"] as const;
export const VerificationTier = z.enum(verificationTiers);
export type VerificationTier = z.output<typeof VerificationTier>;

export const Task = z.object({
  slotId: uuid,
  cycleId: uuid,
  listingId: uuid,
  appName: z.string(),
  iconUrl: z.string(),
  packageName: z.string(),
  optInUrl: z.string(),
  testBrief: z.string(),
  dayIndex: z.int(),
  durationDays: z.int(),
  targetScreen: z.string(),
  dueBy: instant,
  submitted: z.boolean(),
  slotStatus: openEnum(taskStatuses),
  missedDays: z.int(),
  joinCheckPending: z.boolean(),
  verificationTier: openEnum(verificationTiers),
  testKey: z.nullable(z.string()),
});
export type Task = z.output<typeof Task>;

export const Slot = z.object({
  slotId: uuid,
  cycleId: uuid,
  status: openEnum(slotStatuses),
  app: z.object({
    name: z.string(),
    iconUrl: z.string(),
    packageName: z.string(),
    optInUrl: z.string(),
  }),
  dayIndex: z.int(),
  durationDays: z.int(),
  cycleStatus: openEnum(cycleStatuses),
  missedDays: z.int(),
  lastProofDayIndex: z.int(),
  joinCheckPending: z.boolean(),
  requestExpiresAt: z.nullable(instant),
  verificationTier: openEnum(verificationTiers),
  /** Only included for a slot in which more days can count. */
  testKey: z.optional(z.string()),
});
export type Slot = z.output<typeof Slot>;

/** A listing with open slots. */
export const OpenListing = z.object({
  listingId: uuid,
  cycleId: uuid,
  appName: z.string(),
  iconUrl: z.string(),
  packageName: z.string(),
  testBrief: z.string(),
  durationDays: z.int(),
  seatsFree: z.int(),
  openSlotId: uuid,
  startsOn: z.string(),
  cycleStatus: openEnum(cycleStatuses),
});
export type OpenListing = z.output<typeof OpenListing>;

/** An image of a proof. A faulty image causes `bad_image`, after the checks of slot and day. */
const ProofImage = z.custom<string | ReceivedFile>().check(
  z.meta({
    ...filePart,
    description: `${proofImages.types.join(", ")}; at most ${proofImages.bytes} bytes`,
  }),
);

export const NewProof = z.object({
  slotId: uuid,
  capturedAt: givenInstant,
  queuedAt: optionalInstant,
  note: optionalText(limits.proofNote),
  images: z.optional(
    z.array(ProofImage).check(
      z.maxLength(proofImages.most, `must be at most ${proofImages.most} files`),
      // Only for the OpenAPI document. The server refuses a proof without images with the error `no_images`.
      z.meta({ minItems: 1 }),
    ),
  ),
});
export type NewProof = z.output<typeof NewProof>;

export const ProofReceipt = z.object({
  proofId: uuid,
  slotId: uuid,
  dayIndex: z.int(),
  submitted: z.boolean(),
});

export const slotParams = z.object({ slotId: uuid });

/** The endpoints for testers. (rule K6) */
export const tester = {
  tasks: endpoint({
    method: "GET",
    path: "/api/v1/testing/me/tasks",
    summary: "List the tester's tasks of today, or of an earlier day",
    auth: "deviceToken",
    scope: "testing:read",
    query: z.object({ day: z.optional(queryInteger(1, limits.durationDays)) }),
    success: { status: 200, body: z.object({ tasks: z.array(Task), outstanding: z.int() }) },
    errors: [],
    answersSecret: true,
    example: {
      answer: {
        tasks: [
          {
            ...{ slotId, cycleId, listingId, appName: app.name, iconUrl: app.iconUrl },
            ...{ packageName: app.packageName, optInUrl: app.optInUrl, testBrief: "Add a recipe." },
            ...{ dayIndex: 3, durationDays: 14, targetScreen: "Settings", dueBy: endOfDay },
            ...{ submitted: false, slotStatus: "active", missedDays: 0, joinCheckPending: false },
            ...{ verificationTier: "sdk", testKey: "stk_…" },
          },
        ],
        outstanding: 1,
      },
    },
  }),
  slots: endpoint({
    method: "GET",
    path: "/api/v1/testing/me/slots",
    summary: "List the tester's slots: running, finished and removed",
    auth: "deviceToken",
    scope: "testing:read",
    success: { status: 200, body: z.object({ slots: z.array(Slot) }) },
    errors: [],
    answersSecret: true,
    example: { answer: { slots: [slot] } },
  }),
  listings: endpoint({
    method: "GET",
    path: "/api/v1/testing/listings",
    summary: "List the tests that have open slots, newest first",
    auth: "deviceToken",
    scope: "testing:read",
    query: z.object({
      cursor: z.optional(text(1, 500)),
      limit: pageLimit(limits.listPage),
    }),
    success: {
      status: 200,
      body: z.object({ listings: z.array(OpenListing), nextCursor: z.nullable(z.string()) }),
    },
    errors: [],
    example: {
      answer: {
        listings: [
          {
            ...{ listingId, cycleId, appName: app.name, iconUrl: app.iconUrl, packageName: app.packageName },
            ...{ testBrief: "Add a recipe.", durationDays: 14, seatsFree: 4, openSlotId: slotId },
            ...{ startsOn: "2026-11-19", cycleStatus: "running" },
          },
        ],
        nextCursor: null,
      },
    },
  }),
  submitProof: endpoint({
    method: "POST",
    path: "/api/v1/testing/proofs",
    summary: "Submit images as the proof of today's test",
    auth: "deviceToken",
    scope: "testing:proofs:write",
    body: NewProof,
    bodyKind: "form",
    upload: { files: { images: { bytes: proofImages.bytes } }, bodyBytes: limits.proof },
    success: { status: 201, body: ProofReceipt },
    openAnswer: true,
    errors: [
      "no_images",
      "bad_image",
      "slot_not_active",
      "not_found",
      "already_submitted",
      "out_of_window",
      "cycle_not_running",
    ],
    attempts: [
      { limit: "proofsBySlot", by: ["account", "body.slotId"] },
      { limit: "proofsByAccount", by: ["account"] },
    ],
    example: {
      request: {
        slotId,
        capturedAt: "2026-11-21T10:15:00.000+01:00",
        queuedAt: "2026-11-21T10:15:02.000+01:00",
        note: "The new search",
      },
      answer: { proofId: faqId, slotId, dayIndex: 3, submitted: true },
    },
  }),
  requestSlot: endpoint({
    method: "POST",
    path: "/api/v1/testing/slots/:slotId/request",
    summary: "Ask for an open slot",
    auth: "deviceToken",
    scope: "testing:slots:write",
    params: slotParams,
    body: z.object({}),
    success: { status: 201, body: z.object({ slot: Slot }) },
    openAnswer: true,
    errors: ["not_found", "own_listing", "cycle_not_open", "already_in_cycle", "slot_taken"],
    rateLimit: "slotRequests",
    example: { request: {}, answer: { slot: { ...slot, status: "requested" } } },
  }),
  rotateKey: endpoint({
    method: "POST",
    path: "/api/v1/testing/slots/:slotId/rotate-key",
    summary: "Replace the test key of a slot; the old key stops working immediately",
    auth: "deviceToken",
    scope: "testing:slots:write",
    params: slotParams,
    body: z.object({}),
    success: { status: 201, body: z.object({ slot: Slot }) },
    errors: ["not_found", "slot_not_active"],
    rateLimit: "slotRequests",
    answersSecret: true,
    example: { request: {}, answer: { slot } },
  }),
  updateProfile: endpoint({
    method: "PATCH",
    path: "/api/v1/testing/me/profile",
    summary: "Change the tester's time zone or push token",
    auth: "deviceToken",
    scope: "testing:profile:write",
    body: z.object({
      timezone: z.optional(accountTimeZone),
      pushToken: optionalText(limits.pushToken),
    }),
    success: { status: 200, body: Profile },
    errors: [],
    example: { request: { timezone: "Europe/London" }, answer: grant.profile },
  }),
} as const;
