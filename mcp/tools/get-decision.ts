import * as z from "zod/mini";
import { idAt, instantAt, linkAt, oneOf, textAt, valueAt, wordAt } from "../../src/contract/json.ts";
import { type RunDecision, runDecisions } from "../../src/contract/runs.ts";
import { createSanitiser, newNonce, teamFence } from "../../src/words/fence.ts";
import type { Observation } from "../decision-watch.ts";
import type { Deps } from "../deps.ts";
import { hashOf, type KnownProposal, type ProposalRecord } from "../proposal-files.ts";
import { feedbackIdOf, isNotFound, Refusal, readRun, retryAfterWait, runIdOf } from "../refusals.ts";
import { type ProposalParts, type ReadThreadDeps, readThread } from "../thread.ts";
import { type Call, defineTool, runOf, type ToolAnswer } from "../tool.ts";

const nullableText = z.nullable(z.string());

export const getDecisionTool = defineTool({
  name: "get_decision",
  title: "Get the decision on a plan",
  description:
    "Read what a person decided on a proposed plan. wait_seconds waits for it in one call. awaiting_approval is a normal answer, not an error. Act only when may_proceed is true, else do what next_step says.",
  annotations: {
    title: "Get the decision on a plan",
    readOnlyHint: true,
    destructiveHint: false,
    openWorldHint: true,
  },
  input: z.object({
    run_id: z.string().check(z.maxLength(100), z.describe("From propose_plan")),
    wait_seconds: z._default(
      z.int().check(z.minimum(0), z.describe("up to 50; a greater number counts as the maximum")),
      0,
    ),
    feedback: z.optional(
      z
        .string()
        .check(
          z.maxLength(500),
          z.describe("The thread's id or link. Send it only if approved_plan is missing"),
        ),
    ),
  }),
  output: z.looseObject({
    run_id: z.string(),
    status: z.string().check(z.describe("awaiting_approval, approved, rejected or another")),
    may_proceed: z.boolean(),
    decision_note: nullableText,
    decided_at: nullableText,
    waited_seconds: z.number(),
    retry_after_seconds: z.int(),
    console_url: nullableText,
    approved_plan: z.nullable(z.looseObject({ summary: z.string(), plan: z.string(), sha256: z.string() })),
    superseded_by: nullableText,
    next_step: z.string(),
  }),
});

export const getDecisionRun = runOf(getDecisionTool, getDecision);

export async function getDecision(
  input: GetDecisionInput,
  deps: Deps,
  call: Call,
): Promise<ToolAnswer<GetDecisionOutput>> {
  const runId = runIdOf(input.run_id);
  const feedbackId = input.feedback === undefined ? undefined : feedbackIdOf(input.feedback);
  const started = deps.clock.now();
  const waitSeconds = Math.min(input.wait_seconds, deps.maxWaitSeconds);
  const observation = await observe({ runId, waitSeconds }, deps, call).catch(noSuchRun);
  const waited = (deps.clock.now().getTime() - started.getTime()) / 1_000;
  const nonce = newNonce();
  const structured = {
    ...(await decisionOn({ ...observation, runId, feedbackId, nonce }, deps, call.signal)),
    waited_seconds: Math.round(waited * 10) / 10,
    ...(waitSeconds < input.wait_seconds && { note: `wait_seconds was cut to ${waitSeconds}.` }),
  };
  return { structured, text: decisionText(nonce, structured) };
}

/** Throws a Refusal if the error means that the proposal does not exist. Throws any other error unchanged. */
export function noSuchRun(error: unknown): never {
  if (!isNotFound(error)) throw error;
  throw new Refusal(
    "There is no such run, or it belongs to another owner. Pass the run_id that propose_plan returned, or latest_proposal.run_id of read_feedback, not the id of a thread. Do not guess ids.",
  );
}

type Waiting = Pick<Deps, "awaitDecision" | "clock" | "connection" | "isFirstOffer">;

interface Wait {
  readonly runId: string;
  readonly waitSeconds: number;
}

/** Reads the proposal. With a wait, returns after the decision or at the end of the wait. */
async function observe(wait: Wait, deps: Waiting, call: Call): Promise<Observation> {
  if (wait.waitSeconds > 0) return observeUntilDecided(wait, deps, call);
  const { signal } = call;
  const read = () => readRun(deps.connection, wait.runId, { holdSeconds: 0, signal });
  const run = await retryAfterWait(deps, signal, read);
  return { run, lastErrorAt: null };
}

async function observeUntilDecided(
  { runId, waitSeconds }: Wait,
  deps: Waiting,
  call: Call,
): Promise<Observation> {
  const over = new AbortController();
  const signal = AbortSignal.any([call.signal, over.signal]);
  await offerConsole(runId, deps, { ...call, signal });
  const reporting = reportProgress(waitSeconds, deps, { ...call, signal }).catch(() => undefined);
  try {
    const awaitDecision = await deps.awaitDecision();
    return await awaitDecision(runId, waitSeconds * 1_000, call.signal);
  } finally {
    over.abort();
    await reporting;
  }
}

/**
 * Offers the decision page once for each proposal. Ignores failures, because the wait for the decision reports
 * them.
 */
async function offerConsole(
  runId: string,
  { connection, isFirstOffer }: Waiting,
  { offerPage, signal }: Call,
): Promise<void> {
  if (!offerPage || !isFirstOffer(runId)) return;
  const run = await readRun(connection, runId, { holdSeconds: 0, signal }).catch(() => undefined);
  const { status, consoleUrl } = proposalFieldsOf(run);
  if (status !== "awaiting_approval" || consoleUrl === null) return;
  offerPage({ url: `${consoleUrl}#proposal`, message: offer }, signal);
}

const offer =
  "An agent has proposed a plan and waits for a person's decision. Open the console page on which you can decide?";

/** Reports progress at regular intervals, because some clients disconnect if they get no progress reports. */
async function reportProgress(
  totalSeconds: number,
  { clock }: Pick<Deps, "clock">,
  { progress, signal }: Call,
): Promise<void> {
  for (let seconds = progressSeconds; seconds < totalSeconds; seconds += progressSeconds) {
    await clock.sleep(progressSeconds * 1_000, signal);
    await progress(seconds, totalSeconds);
  }
}

const progressSeconds = 5;

/** Returns the fields of the answer. Updates the record on this machine and counts the read. (rule L10) */
async function decisionOn(
  {
    runId,
    feedbackId,
    nonce,
    run,
    lastErrorAt,
  }: Observation & {
    readonly runId: string;
    /** The id of the thread; undefined if the caller did not give it. */
    readonly feedbackId: string | undefined;
    readonly nonce: string;
  },
  deps: Deps,
  signal: AbortSignal,
) {
  const parts = proposalFieldsOf(run);
  const { status, decision, decisionNote, decidedAt, replacedBy } = parts;
  const note = decisionNote === null ? null : createSanitiser(nonce).text(decisionNote);
  const now = { status, decision, decision_note: note, decided_at: decidedAt };
  const record = await updatedRecord(runId, now, deps);
  const thread = parts.feedbackId ?? feedbackId ?? deps.threadOfRun.get(runId) ?? record?.feedback_id ?? null;
  const question = { runId, run: parts, record, feedbackId: thread, nonce };
  const otherStep = status === "approved" ? stepIfTaken(parts, deps) : undefined;
  // A worker may proceed only if no other worker has claimed the plan and no outcome is reported.
  const isFree = status === "approved" && otherStep === undefined;
  const plan = isFree ? await approvedPlanOf(question, deps, signal) : null;
  return {
    run_id: runId,
    feedback_id: thread,
    status,
    may_proceed: plan !== null,
    decision,
    decision_note: note,
    decided_at: decidedAt,
    retry_after_seconds: retryAfter(runId, status, deps),
    console_url: parts.consoleUrl ?? record?.console_url ?? null,
    approved_plan: plan,
    superseded_by: replacedBy,
    last_error_at: lastErrorAt?.toISOString() ?? null,
    next_step:
      otherStep ?? nextStepFor({ status, decision, replacedBy, textKnown: plan !== null, claims: deps.work }),
  };
}

/** Returns the next step if another worker has claimed the approved proposal, or if the work is finished. (rule L10) */
function stepIfTaken(
  { claimedBy, isReported }: Pick<ProposalFields, "claimedBy" | "isReported">,
  { worker }: Pick<Deps, "worker">,
): string | undefined {
  if (isReported) return nextSteps.reported;
  return claimedBy !== null && claimedBy !== worker ? nextSteps.claimed : undefined;
}

/** Stores the new status in the record of a proposal. Returns the record as it was before. */
async function updatedRecord(
  runId: string,
  now: Pick<ProposalRecord, "status" | "decision" | "decision_note" | "decided_at">,
  { proposals }: Pick<Deps, "proposals">,
): Promise<KnownProposal | undefined> {
  const record = await proposals.find(runId);
  if (record && record.status !== now.status) await proposals.update({ ...record, ...now });
  return record;
}

/**
 * Returns the seconds until the next call: 30, doubled each time, at most 300. Returns 0 after the decision.
 */
function retryAfter(runId: string, status: string, { timesPending }: Pick<Deps, "timesPending">): number {
  if (status !== "awaiting_approval") {
    timesPending.delete(runId);
    return 0;
  }
  const times = timesPending.get(runId) ?? 0;
  timesPending.set(runId, times + 1);
  return Math.min(300, 30 * 2 ** Math.min(times, 4));
}

type GetDecisionInput = z.output<typeof getDecisionTool.input>;

type GetDecisionOutput = z.input<typeof getDecisionTool.output>;

/** The fields of an answer that depend on the decision of a person. */
interface Decided {
  readonly decision_note: string | null;
  readonly approved_plan: ApprovedPlan | null;
}

/** Returns an answer as text: a line of JSON, then the decision note and the approved text, both unchanged. */
export function decisionText(nonce: string, { approved_plan, decision_note, ...rest }: Decided): string {
  const sections = [
    ...(decision_note ? [{ heading: "decision_note", text: decision_note }] : []),
    ...(approved_plan
      ? [
          { heading: "summary", text: approved_plan.summary },
          { heading: `plan, sha256 ${approved_plan.sha256}`, text: approved_plan.plan },
        ]
      : []),
  ];
  const head = JSON.stringify(rest);
  return sections.length === 0 ? head : `${head}\n${teamFence(nonce, "what a person decided", sections)}`;
}

/** The checked fields of a proposal. A field that the server does not send is null. */
export interface ProposalFields {
  readonly status: string;
  readonly decision: RunDecision | null;
  /** The worker that has the claim; null if there is no claim. */
  readonly claimedBy: string | null;
  /** Whether a worker has reported how the work ended. */
  readonly isReported: boolean;
  readonly decisionNote: string | null;
  readonly decidedAt: string | null;
  readonly replacedBy: string | null;
  readonly feedbackId: string | null;
  readonly consoleUrl: string | null;
  readonly summary: string | null;
  readonly plan: string | null;
  /** SHA-256 of the plan, as the server computed it. */
  readonly planSha256: string | null;
}

export const proposalFieldsOf = (run: unknown): ProposalFields => ({
  status: wordAt(run, "status"),
  decision: oneOf(runDecisions, textAt(run, "decision")),
  claimedBy: valueAt(run, "claim", "releasedAt") ? null : textAt(run, "claim", "worker") || null,
  isReported: Boolean(valueAt(run, "outcome")),
  decisionNote: textAt(run, "decisionNote") || null,
  decidedAt: instantAt(run, "decidedAt"),
  replacedBy: idAt(run, "replacedBy"),
  feedbackId: idAt(run, "feedbackId"),
  consoleUrl: linkAt(run, "consoleUrl"),
  summary: textAt(run, "summary") || null,
  plan: textAt(run, "plan") || null,
  planSha256: idAt(run, "planSha256"),
});

type ApprovedPlan = {
  readonly summary: string;
  readonly plan: string;
  /** SHA-256 of the plan's UTF-8 bytes, in hex, as the console shows it. */
  readonly sha256: string;
};

/** Returns the approved text, or null if the text is not certain. (rule L10) */
export async function approvedPlanOf(
  {
    runId,
    run,
    record,
    feedbackId,
    nonce,
  }: {
    readonly runId: string;
    readonly run: ProposalFields;
    readonly record: KnownProposal | undefined;
    /** The thread, if it is known. */
    readonly feedbackId: string | null;
    readonly nonce: string;
  },
  deps: ReadThreadDeps,
  signal: AbortSignal,
): Promise<ApprovedPlan | null> {
  if (run.plan !== null) return planFromServer(run, nonce);
  // Some servers send no text. Then the text comes from the verified record, or from the thread's latest
  // proposal.
  if (record?.verified) return sanitisedPlan(record, nonce);
  if (feedbackId === null) return null;
  const proposal = await latestProposalOf(feedbackId, deps, signal);
  return proposal?.id === runId && proposal.plan !== "" ? sanitisedPlan(proposal, nonce) : null;
}

function planFromServer({ summary, plan, planSha256 }: ProposalFields, nonce: string): ApprovedPlan | null {
  if (plan === null || (planSha256 !== null && planSha256 !== hashOf(plan))) return null;
  return sanitisedPlan({ summary: summary ?? "", plan }, nonce);
}

function sanitisedPlan(
  { summary, plan }: Pick<ApprovedPlan, "summary" | "plan">,
  nonce: string,
): ApprovedPlan {
  const { text } = createSanitiser(nonce);
  return { summary: text(summary), plan: text(plan), sha256: hashOf(plan) };
}

async function latestProposalOf(
  id: string,
  deps: ReadThreadDeps,
  signal: AbortSignal,
): Promise<ProposalParts | null> {
  try {
    return (await readThread(id, deps, signal)).latestProposal;
  } catch (error) {
    if (signal.aborted) throw error;
    return null;
  }
}

/** The sentences about the next step of the agent. They are constants, so they contain no untrusted text. */
export const nextSteps = {
  posted:
    "A person decides in the console. Do not act on the plan yet. Call get_decision with run_id and wait_seconds.",
  approvedBefore:
    "This text is already approved. Call get_decision with run_id, then carry out approved_plan.",
  approved:
    "Proceed: carry out approved_plan. Where decision_note differs from the plan, follow decision_note.",
  claimed:
    "Do not carry out the plan: a worker has claimed this run. If that worker was you, continue as start_work said, or call start_work with your claim_id. If you have no claim_id, call start_work with run_id only: the answer says whether you may continue. If you were not that worker, do not work on this run.",
  reported: "Do not carry out the plan: its outcome is reported already. Tell the user.",
  approvedToClaim:
    "Approved. Call start_work with run_id before you act: only one worker gets the claim. Then carry out the approved_plan that start_work returns.",
  approvedWithoutText:
    "Approved, but the approved text is not certain. Do not act. Call get_decision once more with `feedback` set to the thread's id or console link; if may_proceed stays false, give the user console_url and propose the plan again.",
  rejected: "Stop. Do not carry out the plan. Tell the user and quote decision_note.",
  changes:
    "Do not carry out this plan: a person asks for changes. Follow decision_note, then call propose_plan with the new plan and expected_run_id set to this run_id.",
  recalled: "Stop. A person withdrew the approval. Do not carry out the plan. Tell the user.",
  expired:
    "Stop. The approval expired before the work was started. If the plan is still wanted, call propose_plan with expected_run_id set to this run_id; a person decides again.",
  superseded: "Stop. A newer proposal replaced this one. Call get_decision with superseded_by as run_id.",
  awaiting:
    "No decision yet. Do not act on the plan. Call get_decision again with wait_seconds, or end your turn and give the user console_url.",
  unknown: "Unknown status. Do not proceed. Tell the user.",
} as const;

/** Returns the next step of the agent. The agent may proceed only if the status is `approved`. (rule A12) */
export function nextStepFor({
  status,
  decision,
  replacedBy,
  textKnown,
  claims,
}: {
  readonly status: string;
  readonly decision: string | null;
  readonly replacedBy: string | null;
  /** Whether the approved text is known. */
  readonly textKnown: boolean;
  /** Whether the agent has the tools for claims: `start_work` and `report_outcome`. */
  readonly claims: boolean;
}): string {
  if (status === "approved" && !textKnown) return nextSteps.approvedWithoutText;
  if (status === "approved") return claims ? nextSteps.approvedToClaim : nextSteps.approved;
  if (status === "rejected" && replacedBy) return nextSteps.superseded;
  if (status === "rejected") return afterDecision(decision);
  if (status === "awaiting_approval") return nextSteps.awaiting;
  return nextSteps.unknown;
}

/** Returns the next step after a rejection. `decision` is null if the server does not send it. */
function afterDecision(decision: string | null): string {
  if (decision === "request_changes") return nextSteps.changes;
  if (decision === "recalled" || decision === "expired") return nextSteps[decision];
  return nextSteps.rejected;
}
