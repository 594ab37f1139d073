import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { at, claimId, run } from "./example-values.ts";
import { givenInstant, instant, optionalText, text, uuid, webUrl } from "./fields.ts";
import { limits } from "./limits.ts";

export const Decision = z.enum(["approve", "reject", "request_changes"]);

export type Decision = z.output<typeof Decision>;

const note = optionalText(limits.decisionNote);

export const runStatuses = ["awaiting_approval", "approved", "rejected"] as const;

export const RunStatus = z.enum(runStatuses);
export type RunStatus = z.output<typeof RunStatus>;

/** What was decided on a proposal, or why it is not valid any more. Later servers may add values. */
export const runDecisions = [
  "approve",
  "reject",
  "request_changes",
  "replaced",
  "recalled",
  "expired",
] as const;

export const RunDecision = z.enum(runDecisions);
export type RunDecision = z.output<typeof RunDecision>;

/** The worker that claimed an approved proposal, or the last worker whose claim a person ended. */
export const RunClaim = z.object({ worker: z.string(), claimedAt: instant, releasedAt: z.nullable(instant) });

/** The newest progress report of the worker that has the claim, and the number of its progress reports. */
export const RunProgress = z.object({ text: z.string(), reportedAt: instant, count: z.int() });

export const outcomeStatuses = ["succeeded", "failed"] as const;

export const RunOutcome = z.object({
  status: z.enum(outcomeStatuses),
  summary: z.string(),
  links: z.array(z.string()),
  reportedAt: instant,
});

/** The history of a proposal after its creation. */
export const RunLife = z.object({
  decision: z.nullable(RunDecision),
  /** The time at which the approval expires if no worker claims the proposal. Null if the approval does not expire. */
  expiresAt: z.nullable(instant),
  claim: z.nullable(RunClaim),
  progress: z.nullable(RunProgress),
  outcome: z.nullable(RunOutcome),
});
export type RunLife = z.output<typeof RunLife>;

/** A proposal. In requests and answers it is called a run. (rule A15) */
export const Run = z.object({
  id: uuid,
  status: RunStatus,
  decisionNote: z.nullable(z.string()),
  decidedAt: z.nullable(instant),
  replacedBy: z.nullable(uuid),
  ...RunLife.shape,
  feedbackId: uuid,
  consoleUrl: z.string(),
  summary: z.string(),
  plan: z.string(),
  /** SHA-256 of the plan's UTF-8 bytes, in hex. (rule A11) */
  planSha256: z.string(),
});
export type Run = z.output<typeof Run>;

export const runParams = z.object({ runId: uuid });

export const runs = {
  /** Only a person in a console session can decide. A request for changes needs a note. (rule A6) */
  decide: endpoint({
    method: "POST",
    path: "/api/v1/console/runs/:runId/decision",
    summary: "Approve or reject a proposal, or ask for changes; only a person in the console can do this",
    auth: "session",
    role: "maintainer",
    params: runParams,
    body: z.object({ decision: Decision, note }).check(
      z.refine(({ decision, note }) => decision !== "request_changes" || !!note, {
        path: ["note"],
        message: "must say what to change",
      }),
    ),
    success: { status: 200, body: Run },
    errors: ["not_found", "already_decided"],
    example: { request: { decision: "request_changes", note: "Also on tablets, please." } },
  }),
  recall: endpoint({
    method: "POST",
    path: "/api/v1/console/runs/:runId/recall",
    summary:
      "Withdraw the approval of a proposal that no worker has claimed yet; only a person in the console can do this",
    auth: "session",
    role: "maintainer",
    params: runParams,
    body: z.object({ note }),
    success: { status: 200, body: Run },
    errors: ["not_found", "run_claimed", "wrong_state"],
    example: { request: { note: "Wait for the new design." } },
  }),
  release: endpoint({
    method: "POST",
    path: "/api/v1/console/runs/:runId/release",
    summary:
      "End the claim of a worker, so that another worker can claim the proposal; only a person in the console can do this",
    auth: "session",
    role: "maintainer",
    params: runParams,
    // `claimedAt` identifies the claim that the page showed to the person. The default is the current claim.
    body: z.object({ claimedAt: z.optional(givenInstant) }),
    success: { status: 200, body: Run },
    errors: ["not_found", "wrong_state"],
    example: { request: { claimedAt: "2026-05-01T12:00:00.000Z" } },
  }),
} as const;

/** The address of a result, such as a pull request. A user name can hide the real host. */
const outcomeLink = webUrl(limits.url).check(
  z.refine(namesNoUser, "must not contain a user name or a password"),
);

/** The common part of the endpoints for claim, progress and outcome. They need the scope `runs:work`. (rule A17) */
const work = {
  method: "POST",
  auth: "agentToken",
  role: "owner",
  scope: "runs:work",
  params: runParams,
  rateLimit: "runWork",
} as const;

const exampleOutcome = {
  ...{ status: "succeeded", summary: "The settings page opens once. Tests pass." },
  links: ["https://github.com/larder/android/pull/318"],
};

/** The endpoints with which an agent works on an approved proposal. */
export const runWork = {
  claimRun: endpoint({
    ...work,
    path: "/api/v1/agent/runs/:runId/claim",
    summary: "Claim an approved proposal, so that no other worker carries it out",
    body: z.object({
      worker: text(1, limits.worker),
      claimId: z.optional(uuid),
      resume: z.optional(z.boolean()),
    }),
    success: {
      status: 200,
      body: z.object({ claimId: uuid, worker: z.string(), claimedAt: instant, run: Run }),
    },
    errors: ["not_found", "run_claimed", "wrong_state", "run_superseded", "claim_released", "claim_resumed"],
    example: {
      request: { worker: "build-7" },
      answer: { claimId, worker: "build-7", claimedAt: at, run },
    },
  }),
  reportProgress: endpoint({
    ...work,
    path: "/api/v1/agent/runs/:runId/progress",
    summary: "Report the progress of the work on a claimed proposal",
    body: z.object({ claimId: uuid, text: text(1, limits.progress) }),
    success: { status: 200, body: RunProgress },
    errors: ["not_found", "wrong_state", "claim_released", "claim_resumed"],
    example: { request: { claimId, text: "The guard is in." }, answer: run.progress },
  }),
  reportOutcome: endpoint({
    ...work,
    path: "/api/v1/agent/runs/:runId/outcome",
    summary: "Report once how the work on a claimed proposal ended",
    body: z.object({
      claimId: uuid,
      status: z.enum(outcomeStatuses),
      summary: text(1, limits.outcome),
      links: z.optional(z.array(outcomeLink).check(z.maxLength(limits.outcomeLinks))),
    }),
    success: { status: 200, body: Run },
    errors: ["not_found", "wrong_state", "claim_released", "claim_resumed"],
    example: {
      request: { claimId, ...exampleOutcome },
      answer: { ...run, outcome: { ...exampleOutcome, reportedAt: at } },
    },
  }),
} as const;

function namesNoUser(link: string): boolean {
  if (!URL.canParse(link)) return true;
  const { username, password } = new URL(link);
  return username === "" && password === "";
}
