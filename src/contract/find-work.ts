import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { run, runId, thread } from "./example-values.ts";
import { FeedbackType } from "./feedback.ts";
import { boundary, instant, openEnum, pageLimit, queryInteger, text, uuid } from "./fields.ts";
import { limits } from "./limits.ts";
import { RunStatus, runDecisions } from "./runs.ts";

/** The statuses of a thread. (rule F13) */
export const threadStatuses = ["open", "in_progress", "resolved", "archived"] as const;

/**
 * What a proposal waits for: a person's decision (`approval`), a new proposal (`changes`), a claim
 * (`approved`), or the claim's outcome (`outcome`).
 */
export const waitingStates = ["none", "approval", "changes", "approved", "outcome"] as const;
export type Waiting = (typeof waitingStates)[number];

const app = z.object({ id: uuid, name: z.string() });

/** A thread in the list that an agent reads. */
export const FoundThread = z.object({
  id: uuid,
  app,
  subject: z.string(),
  type: openEnum(FeedbackType.options),
  status: openEnum(threadStatuses),
  createdAt: instant,
  /** The time of the last activity on the thread. */
  activeAt: instant,
  occurrences: z.int(),
  consoleUrl: z.string(),
  waiting: openEnum(waitingStates),
  /** The id of the newest proposal of the thread; null if there is no proposal. */
  runId: z.nullable(uuid),
});
export type FoundThread = z.output<typeof FoundThread>;

/** A proposal in the list that an agent reads. `GET /api/v1/agent/runs/{runId}` returns its plan. */
export const FoundRun = z.object({
  id: uuid,
  status: RunStatus,
  decision: z.nullable(openEnum(runDecisions)),
  summary: z.string(),
  createdAt: instant,
  decidedAt: z.nullable(instant),
  replacedBy: z.nullable(uuid),
  feedbackId: uuid,
  subject: z.string(),
  app,
  consoleUrl: z.string(),
});
export type FoundRun = z.output<typeof FoundRun>;

const page = {
  cursor: z.optional(text(1, 500)),
  limit: pageLimit(limits.agentPage),
};

const feedbackFilters = z.object({
  status: z.optional(z.enum(threadStatuses)),
  type: z.optional(FeedbackType),
  q: z.optional(text(1, limits.feedbackSearch)),
  updatedSince: z.optional(boundary),
  appId: z.optional(uuid),
  waiting: z.optional(z.enum(waitingStates)),
  /** Names of tags, separated by commas. Finds threads that have all these tags. */
  tag: z.optional(text(1, 1_000)),
  ...page,
  /** The value `changes` of an earlier answer. Finds only threads that changed later, in the order of their changes. */
  changedAfter: z.optional(text(1, limits.changesToken)),
  /**
   * For how many seconds the server waits for a change before it answers. Requires `changedAfter`.
   */
  wait: z.optional(queryInteger(0, limits.waitSeconds)),
});
export type FeedbackFilters = z.output<typeof feedbackFilters>;

const runFilters = z.object({ status: z.optional(RunStatus), ...page });

/** The lists in which an agent finds work. */
export const findWork = {
  listFeedback: endpoint({
    method: "GET",
    path: "/api/v1/agent/feedback",
    summary: "List and search the threads that the token may read, or wait until one of them changes",
    auth: "agentToken",
    role: "owner",
    query: feedbackFilters,
    success: {
      status: 200,
      body: z.object({
        items: z.array(FoundThread),
        /** The position of the next page; null at the end. A slow search may return short pages. (rule F18) */
        nextCursor: z.nullable(z.string()),
        /** The value for `changedAfter` in a later request. Null on all pages except the first page of a list. */
        changes: z.nullable(z.string()),
      }),
    },
    errors: ["not_found"],
    rateLimit: "agentReads",
    example: {
      answer: {
        items: [
          {
            ...{ id: thread.feedback.id, app: thread.app, subject: thread.feedback.subject, type: "bug" },
            ...{
              status: "open",
              createdAt: thread.feedback.createdAt,
              activeAt: run.decidedAt,
              occurrences: 1,
            },
            ...{ consoleUrl: run.consoleUrl, waiting: "approved", runId },
          },
        ],
        nextCursor: null,
        changes: "NGYxYzJhIDE3",
      },
    },
  }),
  listRuns: endpoint({
    method: "GET",
    path: "/api/v1/agent/runs",
    summary: "List the proposals on the threads that the token may read, newest first",
    auth: "agentToken",
    role: "owner",
    query: runFilters,
    success: {
      status: 200,
      body: z.object({ items: z.array(FoundRun), nextCursor: z.nullable(z.string()) }),
    },
    errors: [],
    rateLimit: "agentReads",
    example: {
      answer: {
        items: [
          {
            ...{ id: runId, status: "approved", decision: "approve", summary: run.summary },
            ...{ createdAt: thread.feedback.createdAt, decidedAt: run.decidedAt, replacedBy: null },
            ...{ feedbackId: thread.feedback.id, subject: thread.feedback.subject, app: thread.app },
            consoleUrl: run.consoleUrl,
          },
        ],
        nextCursor: null,
      },
    },
  }),
} as const;
