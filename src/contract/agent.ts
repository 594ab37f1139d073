import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { plan, run, runId, thread } from "./example-values.ts";
import { FeedbackType } from "./feedback.ts";
import { anyObject, instant, openEnum, queryInteger, text, uuid } from "./fields.ts";
import { findWork, threadStatuses } from "./find-work.ts";
import { limits } from "./limits.ts";
import { eachReportText } from "./report-texts.ts";
import { Run, RunDecision, RunStatus, runParams, runWork } from "./runs.ts";

export const Proposal = z.object({
  id: uuid,
  status: RunStatus,
  summary: z.string(),
  plan: z.string(),
  decisionNote: z.nullable(z.string()),
  decidedAt: z.nullable(instant),
  createdAt: instant,
  replacedBy: z.nullable(uuid),
  decision: z.nullable(RunDecision),
});
export type Proposal = z.output<typeof Proposal>;

/** The direction of a message: from the sender, to the sender, or internal. (rule F14) */
export const directions = ["inbound", "outbound", "note"] as const;

/** The author of a message: the sender of the feedback, a person of the app's team, or an agent. */
export const authors = ["sender", "team", "agent"] as const;
export type MessageAuthor = (typeof authors)[number];

/** An attachment as it is read. (rule F15) */
const Attachment = z.object({ name: z.string(), url: z.string(), mediaType: z.string(), size: z.int() });

/**
 * A message of a thread. A repeated report also has the other fields of that report. It has no sender. (rule F21)
 */
export const Message = z.object({
  id: uuid,
  direction: openEnum(directions),
  author: z.enum(authors),
  body: z.string(),
  createdAt: instant,
  category: z.optional(z.string()),
  subject: z.optional(z.nullable(z.string())),
  ...eachReportText(() => z.optional(z.nullable(z.string()))),
  metadata: z.optional(anyObject),
  images: z.optional(z.array(z.string())),
  videos: z.optional(z.array(z.string())),
  attachments: z.optional(z.array(Attachment)),
});
export type Message = z.output<typeof Message>;

/** The first report of a thread, as an agent reads it. It has no sender. (rule F21) */
export const ThreadFeedback = z.object({
  id: uuid,
  consoleUrl: z.string(),
  subject: z.string(),
  message: z.string(),
  category: openEnum(FeedbackType.options),
  status: openEnum(threadStatuses),
  metadata: anyObject,
  images: z.array(z.string()),
  videos: z.array(z.string()),
  attachments: z.array(Attachment),
  githubIssueUrl: z.nullable(z.string()),
  ...eachReportText(() => z.nullable(z.string())),
  occurrences: z.int(),
  createdAt: instant,
  /** Only if the id of the request is that of a thread which was merged: the id of the thread that has its messages. */
  mergedInto: z.optional(uuid),
});
export type ThreadFeedback = z.output<typeof ThreadFeedback>;

export const Thread = z.object({
  app: z.object({ id: uuid, name: z.string() }),
  feedback: ThreadFeedback,
  messages: z.array(Message),
  /** The number of older messages that this answer leaves out. */
  omittedMessages: z.int(),
  latestProposal: z.nullable(Proposal),
});
export type Thread = z.output<typeof Thread>;

/** A proposal as an agent sends it. (rule A2) */
export const NewProposal = z.object({
  summary: text(1, limits.summary),
  plan: text(1, limits.plan),
  /**
   * The newest proposal of the thread that the agent has read, or null. If there is a newer proposal, the error is
   * `run_superseded`.
   */
  expectedRunId: z.optional(z.nullable(uuid)),
});
export type NewProposal = z.output<typeof NewProposal>;

export const threadParams = z.object({ id: uuid });

/** The rights of an agent token. Its only change is a proposal, unless it has the scope `runs:work`. (rule A1) */
export const agent = {
  readThread: endpoint({
    method: "GET",
    path: "/api/v1/agent/feedback/:id",
    summary: "Read one feedback thread",
    auth: "agentToken",
    role: "owner",
    params: threadParams,
    success: { status: 200, body: Thread },
    large: true,
    errors: ["not_found"],
    rateLimit: "agentReads",
    example: { answer: thread },
  }),
  propose: endpoint({
    method: "POST",
    path: "/api/v1/agent/feedback/:id/proposal",
    summary: "Propose a plan on a thread; a person approves or rejects it in the console",
    auth: "agentToken",
    role: "owner",
    params: threadParams,
    body: NewProposal,
    success: {
      status: 201,
      // `pollUrl` is the path at which the decision is read. (rule A14)
      body: z.object({
        runId: uuid,
        status: RunStatus,
        pollUrl: z.string(),
        /** Only if the thread was merged: the id of the thread on which the proposal is. */
        mergedInto: z.optional(uuid),
      }),
    },
    errors: ["not_found", "run_superseded"],
    rateLimit: "proposals",
    example: {
      request: { summary: run.summary, plan, expectedRunId: null },
      answer: { runId, status: "awaiting_approval", pollUrl: `/api/v1/agent/runs/${runId}` },
    },
  }),
  readRun: endpoint({
    method: "GET",
    path: "/api/v1/agent/runs/:runId",
    summary: "Read the decision on a proposal, waiting for it up to `wait` seconds",
    auth: "agentToken",
    role: "owner",
    params: runParams,
    query: z.object({ wait: z.optional(queryInteger(0, limits.waitSeconds)) }),
    success: { status: 200, body: Run },
    repeats: "runId",
    errors: ["not_found"],
    rateLimit: "agentReads",
    example: { answer: run },
  }),
  ...findWork,
  ...runWork,
} as const;
