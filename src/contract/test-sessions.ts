import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { endOfDay } from "./example-values.ts";
import { givenInstant, instant, label, openEnum, optionalLabel } from "./fields.ts";
import { limits } from "./limits.ts";

/** Why a test session did not count, in the order of the server's checks. (rule T17) */
export const sessionReasons = [
  "cycle_not_running",
  "slot_not_active",
  "session_in_future",
  "session_stale",
  "already_submitted",
  "session_below_bar",
] as const;
export type SessionReason = (typeof sessionReasons)[number];

/**
 * Screen names in NFC, without duplicates and empty names. Long names are cut instead of refused. (rule T21)
 */
const Screens = z
  .array(label(limits.screenName, "NFC"))
  .check(z.overwrite((names) => [...new Set(names.filter((name) => name !== ""))]));

/** Whether `startedAt` and `endedAt` are valid times. Other fields may be wrong. */
const hasInstants = ({ issues }: z.core.ParsePayload): boolean =>
  issues.every(({ path }) => path?.[0] !== undefined && path[0] !== "startedAt" && path[0] !== "endedAt");

/** A test key. Its form is not checked: a malformed and an unknown key get the same answer. (rule T15) */
const testKey = z.string().check(z.trim());

/** Limits a test session to 24 hours. After a sudden stop, an app may report the end too late. */
function cutToADay<Session extends { readonly startedAt: string; readonly endedAt: string }>(
  session: Session,
): Session {
  const latest = Date.parse(session.startedAt) + limits.sessionHours * 3_600_000;
  return Date.parse(session.endedAt) > latest
    ? { ...session, endedAt: new Date(latest).toISOString() }
    : session;
}

/** A test session as an app reports it. (rule T22) */
export const SessionReport = z
  .object({
    testKey,
    startedAt: givenInstant,
    endedAt: givenInstant,
    screens: Screens.check(
      z.refine(
        (names) => names.length <= limits.screens,
        `must have at most ${limits.screens} distinct names`,
      ),
      z.meta({
        maxItems: limits.screens,
        description: "Repeated and empty names do not count.",
      }),
    ),
    appVersion: optionalLabel(limits.version),
  })
  .check(
    z.refine(({ startedAt, endedAt }) => endedAt >= startedAt, {
      path: ["endedAt"],
      message: "must not be before startedAt",
      when: hasInstants,
    }),
    z.overwrite(cutToADay),
  );
export type SessionReport = z.output<typeof SessionReport>;

export const SessionResult = z.object({
  matched: z.boolean(),
  counted: z.boolean(),
  /** The day of the test to which the test session belongs. 0 if the session is outside of the test. */
  dayIndex: z.int(),
  reason: z.nullable(openEnum(sessionReasons)),
});
export type SessionResult = z.output<typeof SessionResult>;

export const SessionStatus = z.union([
  z.object({
    matched: z.literal(true),
    dayIndex: z.int(),
    durationDays: z.int(),
    countedToday: z.boolean(),
    daysCounted: z.int(),
    dueBy: instant,
  }),
  /** The answer for a test key without a slot of this app. All these keys get the same answer. */
  z.object({
    matched: z.literal(false),
    counted: z.literal(false),
    dayIndex: z.int(),
    durationDays: z.int(),
    countedToday: z.boolean(),
    daysCounted: z.int(),
    dueBy: instant,
  }),
]);
export type SessionStatus = z.output<typeof SessionStatus>;

const path = "/api/v1/testing/sdk/session";

export const sessions = {
  report: endpoint({
    method: "POST",
    path,
    summary: "Report a test session of a tester; it can make a day of the test count",
    auth: "appKey",
    body: SessionReport,
    success: { status: 200, body: SessionResult },
    errors: [],
    rateLimit: "sdkSession",
    rateLimitBy: "testKey",
    repeatableBy: ["testKey"],
    example: {
      request: {
        testKey: "stk_…",
        startedAt: "2026-11-21T10:15:00.000+01:00",
        endedAt: "2026-11-21T10:16:30.000+01:00",
        screens: ["Home", "Settings"],
        appVersion: "2.4.0",
      },
      answer: { matched: true, counted: true, dayIndex: 3, reason: null },
    },
  }),
  status: endpoint({
    method: "GET",
    path,
    summary: "Read the progress of one slot and of its current day",
    auth: "appKey",
    query: z.object({ testKey }),
    success: { status: 200, body: SessionStatus },
    errors: [],
    // The query contains the test key. Caches must store neither the address nor the answer. (rule T24)
    answersSecret: true,
    example: {
      answer: {
        ...{ matched: true, dayIndex: 3, durationDays: 14, countedToday: true, daysCounted: 3 },
        dueBy: endOfDay,
      },
    },
  }),
} as const;
