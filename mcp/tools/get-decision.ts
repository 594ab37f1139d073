import * as z from "zod/mini";
import { createSanitiser, newNonce } from "../../src/words/fence.ts";
import { readRun } from "../connection.ts";
import {
  approvedPlanOf,
  decisionText,
  nextStepFor,
  nextSteps,
  type ProposalFields,
  proposalFieldsOf,
} from "../decision.ts";
import type { Observation } from "../decision-watch.ts";
import type { Deps } from "../deps.ts";
import { isNotFound, retryAfterWait } from "../failures.ts";
import type { KnownProposal, ProposalRecord } from "../proposal-files.ts";
import { feedbackIdOf, Refusal, runIdOf } from "../refusals.ts";
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
          z.describe("The thread's id or link. Send it only if approved_plan was null"),
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

/** Throws a Refusal if the error means that there is no such run; throws any other error unchanged. */
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
 * Offers the page on which a person decides, once for each proposal. Ignores failures, because the wait reports them.
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

/**
 * Returns the answer about a proposal. `may_proceed` is true only if the approved text is certain, no other
 * worker has the claim, and no outcome is reported. Also updates the record on this machine, and counts the
 * read (see `retryAfter`). (rule L10)
 */
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
 * Counts how often the agent has asked for a decision that is not made yet. Returns how many seconds the agent should
 * wait before the next call: 30 after the first call, then twice as long each time, but at most 300. After the
 * decision, returns 0 and removes the count.
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
