import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { plan, run, runId, thread } from "./example-values.ts";
import { FeedbackType } from "./feedback.ts";
import { anyObject, instant, markdown, openEnum, queryInteger, text, uuid } from "./fields.ts";
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

/** An attachment of a report, as answers of the API contain it. (rule F15) */
const Attachment = z.object({ name: z.string(), url: z.string(), mediaType: z.string(), size: z.int() });

/**
 * A message of a thread. If the message is a repeated report, it has the fields of a report, too. Nothing
 * identifies the sender. (rule F21)
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

/** The first report of a thread, as an agent reads it. Nothing identifies the sender. (rule F21) */
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
  /** The thread that now has the messages. Only set if the requested thread was merged into it. */
  mergedInto: z.optional(uuid),
});
export type ThreadFeedback = z.output<typeof ThreadFeedback>;

export const Thread = z.object({
  app: z.object({ id: uuid, name: z.string() }),
  feedback: ThreadFeedback,
  messages: z.array(Message),
  /** The number of older messages that this answer leaves out. */
  omittedMessages: z.int(),
  /** The value of `before` for the next older messages. Only set if messages are left out. */
  nextBefore: z.optional(uuid),
  latestProposal: z.nullable(Proposal),
});
export type Thread = z.output<typeof Thread>;

/** A proposal as an agent sends it. (rule A2) */
export const NewProposal = z.object({
  summary: text(1, limits.summary),
  plan: markdown(1, limits.plan),
  /** The newest proposal that the agent has read, or null. A newer proposal causes `run_superseded`. */
  expectedRunId: z.optional(z.nullable(uuid)),
});
export type NewProposal = z.output<typeof NewProposal>;

export const threadParams = z.object({ id: uuid });

/** Which messages of a thread an answer contains. (rule F19) */
export const threadQuery = z.object({
  before: z.optional(
    uuid.check(
      z.meta({
        description:
          "The id of a message of the thread. The answer then has the messages that are older than this message. Without it, the answer has the newest messages.",
      }),
    ),
  ),
});

/** The endpoints for agent tokens. Without the scope `runs:work`, a token can only read and propose. (rule A1) */
export const agent = {
  readThread: endpoint({
    method: "GET",
    path: "/api/v1/agent/feedback/:id",
    summary: "Read one feedback thread",
    auth: "agentToken",
    role: "owner",
    params: threadParams,
    query: threadQuery,
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
      // `pollUrl` is the path of the endpoint that returns the decision. (rule A14)
      body: z.object({
        runId: uuid,
        status: RunStatus,
        pollUrl: z.string(),
        /** The thread that has the proposal. Only set if the requested thread was merged into it. */
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
    summary: "Read the decision on a proposal; with `wait`, wait up to that many seconds for the decision",
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
