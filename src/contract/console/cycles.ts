import * as z from "zod/mini";
import { endpoint } from "../endpoint.ts";
import { instant, uuid } from "../fields.ts";
import { timeZone } from "../sign-in.ts";
import { cycleStatuses, slotStatuses } from "../tester.ts";
import { listingParams } from "./listings.ts";

export const CycleStatus = z.enum(cycleStatuses);
export type CycleStatus = z.output<typeof CycleStatus>;

export const SlotStatus = z.enum(slotStatuses);
export type SlotStatus = z.output<typeof SlotStatus>;

/** One run of a test. */
export const Cycle = z.object({
  id: uuid,
  listingId: uuid,
  appId: uuid,
  status: CycleStatus,
  /** Its first day, YYYY-MM-DD in its time zone. */
  startsOn: z.string(),
  timezone: z.string(),
  durationDays: z.int(),
  maxMissedDays: z.int(),
  /** When the first day begins and the last one ends. */
  startsAt: instant,
  endsAt: instant,
  /** Today's day; 0 before the first, the last once it is over. */
  dayIndex: z.int(),
  createdAt: instant,
});
export type Cycle = z.output<typeof Cycle>;

/** A seat as its owner sees it. */
export const OwnedSlot = z.object({
  slotId: uuid,
  cycleId: uuid,
  /** The number of its seat in the cycle, from 1; who follows on a removed tester has the same. */
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

/** What is known of one day of a seat. */
export const SlotDay = z.object({
  dayIndex: z.int(),
  /** `counted`, `missed` (closed without), `open` (today), `ahead`, or `none`: the seat was not active then. */
  state: z.enum(["counted", "missed", "open", "ahead", "none"]),
  countedBy: z.nullable(z.enum(["session", "proof"])),
  countedAt: z.nullable(instant),
  /** Why the last session of the day did not count, where the day is not counted. */
  reason: z.nullable(z.string()),
  /** How many sessions were reported for the day. */
  sessions: z.int(),
  /** The session that counted the day; where none did, the longest. */
  session: z.nullable(EvidenceSession),
  proof: z.nullable(EvidenceProof),
});
export type SlotDay = z.output<typeof SlotDay>;

export const SlotWithDays = z.extend(OwnedSlot, { days: z.array(SlotDay) });
export type SlotWithDays = z.output<typeof SlotWithDays>;

/** The facts of a cycle. It makes no claim of what a store will decide. (rule T33) */
export const CycleReport = z.object({
  cycle: Cycle,
  appName: z.string(),
  packageName: z.string(),
  /** Testers with a seat when the cycle ended, or now where it still runs. */
  testers: z.int(),
  /** How many of them have every day of the test counted. */
  testersWithEveryDay: z.int(),
  /** For each day, how many seats have it counted. */
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
      /** The length of those sessions that were of a day the server vouches for. */
      secondsTested: z.int(),
      activatedAt: z.nullable(instant),
      endedAt: z.nullable(instant),
    }),
  ),
  /** What these figures say, and what they do not. */
  statement: z.string(),
});
export type CycleReport = z.output<typeof CycleReport>;

export const NewCycle = z.object({
  startsOn: z.string().check(
    z.refine((date) => isDate(date), "must be a date, YYYY-MM-DD"),
    z.meta({ format: "date" }),
  ),
  timezone: timeZone,
});
export type NewCycle = z.output<typeof NewCycle>;

export const cycleParams = z.object({ cycleId: uuid });

export const cycles = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/console/listings/:listingId/cycles",
    summary: "List the runs of a test, newest first",
    auth: "console",
    scope: "testing:manage",
    params: listingParams,
    success: { status: 200, body: z.object({ items: z.array(Cycle) }) },
    errors: ["not_found"],
    catchesUp: { of: "listing", by: "params.listingId" },
  }),
  create: endpoint({
    method: "POST",
    path: "/api/v1/console/listings/:listingId/cycles",
    summary: "Plan a run of a test; it starts and ends by itself",
    auth: "console",
    scope: "testing:manage",
    params: listingParams,
    body: NewCycle,
    success: { status: 201, body: z.object({ cycle: Cycle, slots: z.array(OwnedSlot) }) },
    errors: ["not_found"],
  }),
  read: endpoint({
    method: "GET",
    path: "/api/v1/console/cycles/:cycleId",
    summary: "Read a run of a test: its seats, and the days of each with their evidence",
    auth: "console",
    scope: "testing:manage",
    params: cycleParams,
    success: { status: 200, body: z.object({ cycle: Cycle, slots: z.array(SlotWithDays) }) },
    errors: ["not_found"],
    catchesUp: { of: "cycle", by: "params.cycleId" },
  }),
  report: endpoint({
    method: "GET",
    path: "/api/v1/console/cycles/:cycleId/report",
    summary: "Read the facts of a run of a test",
    auth: "console",
    scope: "testing:manage",
    params: cycleParams,
    success: { status: 200, body: CycleReport },
    errors: ["not_found"],
    catchesUp: { of: "cycle", by: "params.cycleId" },
  }),
  cancel: endpoint({
    method: "POST",
    path: "/api/v1/console/cycles/:cycleId/cancel",
    summary: "Call a run of a test off",
    auth: "console",
    scope: "testing:manage",
    params: cycleParams,
    body: z.object({}),
    success: { status: 200, body: Cycle },
    errors: ["not_found", "wrong_state"],
    catchesUp: { of: "cycle", by: "params.cycleId" },
  }),
} as const;

function isDate(date: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(date)) return false;
  const at = new Date(`${date}T00:00:00Z`);
  return (
    !Number.isNaN(at.getTime()) &&
    at.toISOString().startsWith(date) &&
    date >= "2000-01-01" &&
    date <= "9000-01-01"
  );
}
