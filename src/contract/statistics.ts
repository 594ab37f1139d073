import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { endpoint } from "./endpoint.ts";
import { threadId } from "./example-values.ts";
import { calendarDate, uuid } from "./fields.ts";
import { timeZone } from "./sign-in.ts";

const count = z.int();

/** The counts of one day. */
const DayNumbers = z.object({
  /** The day in the time zone of the request, such as `2026-11-28`. */
  day: z.string(),
  /** The new threads, by their type. */
  new: z.object({ bug: count, feature: count, question: count, general: count }),
  /** The number of reports that were added to an earlier thread. */
  repeats: count,
  resolved: count,
  replies: count,
});
export type DayNumbers = z.output<typeof DayNumbers>;

/**
 * A waiting time in milliseconds, or null. It is an estimate, because waiting times are counted only in fixed
 * ranges.
 */
const wait = z.nullable(z.number());

/** If a day has too many versions, the rest are counted under this name. No version has this name. */
export const otherVersions = "other";

/** The statistics of an app in a period. (rules F60 to F64) */
export const Statistics = z.object({
  /** The first and the last day, and the time zone of the days. */
  from: z.string(),
  to: z.string(),
  zone: z.string(),
  perDay: z.array(DayNumbers),
  /** How long the threads that began in the period waited for their first reply, in milliseconds. */
  firstReply: z.object({
    median: wait,
    /**
     * Nine of ten first replies came within this time. With few replies, the console and the command line hide
     * `p90`.
     */
    p90: wait,
    /**
     * The number of threads that got their first reply within each of these times. Each number includes shorter times.
     */
    within: z.object({ "1h": count, "8h": count, "24h": count, "3d": count }),
    /** How many threads have no reply. */
    none: count,
  }),
  /** The threads that are open or in progress, by age. Each number is at most 10,000. */
  openByAge: z.object({ "1d": count, "7d": count, "30d": count, older: count }),
  /** The threads that were reported again most often in the period. */
  top: z.array(
    z.object({
      id: uuid,
      /** The number of the thread in its app. Null if the server could not store it yet. */
      number: z.nullable(z.int()),
      subject: z.string(),
      /** How many reports of the thread arrived in the period. */
      count,
      /** How many of these reports arrived on each day, in the order of `perDay`. */
      days: z.array(count),
    }),
  ),
  /** The results of the proposals that agents created in the period. */
  agents: z.object({
    proposed: count,
    approved: count,
    rejected: count,
    /** How many proposals a person answered with a request for changes. */
    changed: count,
    expired: count,
    claimed: count,
    succeeded: count,
    failed: count,
    /** The estimated median time that a proposal waited for a person's decision. */
    medianDecisionMs: wait,
  }),
  /** The most reported version comes first. The last item may be `other`, for versions above a day's limit. */
  versions: z.array(z.object({ version: z.string(), reports: count, bugs: count })),
});
export type Statistics = z.output<typeof Statistics>;

export const statistics = {
  read: endpoint({
    method: "GET",
    path: "/api/v1/console/apps/:appId/statistics",
    summary: "Read the statistics of an app in a period: reports, replies, failures and proposals",
    auth: "console",
    role: "viewer",
    scope: "feedback:read",
    params: appParams,
    query: z.object({
      /** The first day. The default is 29 days before the last day. */
      from: z.optional(calendarDate),
      /** The last day. The default is today. */
      to: z.optional(calendarDate),
      /** The time zone of the days. The default is UTC. */
      zone: z.optional(timeZone),
    }),
    success: { status: 200, body: Statistics },
    errors: ["not_found"],
    example: {
      answer: {
        from: "2026-11-21",
        to: "2026-11-21",
        zone: "Europe/London",
        perDay: [
          {
            ...{ day: "2026-11-21", new: { bug: 6, feature: 2, question: 3, general: 1 } },
            ...{ repeats: 14, resolved: 8, replies: 11 },
          },
        ],
        firstReply: {
          ...{ median: 11_400_000, p90: 79_200_000, none: 1 },
          within: { "1h": 4, "8h": 7, "24h": 10, "3d": 11 },
        },
        openByAge: { "1d": 9, "7d": 30, "30d": 11, older: 3 },
        top: [{ id: threadId, number: 12, subject: "Settings close", count: 15, days: [15] }],
        agents: {
          ...{ proposed: 10, approved: 7, rejected: 1, changed: 2, expired: 0 },
          ...{ claimed: 6, succeeded: 5, failed: 1, medianDecisionMs: 19_200_000 },
        },
        versions: [{ version: "5.2.1", reports: 8, bugs: 5 }],
      },
    },
  }),
} as const;
