import * as z from "zod/mini";
import { ServerError } from "../../src/client/errors.ts";
import { idAt, valueAt } from "../../src/contract/json.ts";
import { createSanitiser, newNonce } from "../../src/words/fence.ts";
import type { Deps } from "../deps.ts";
import {
  endedClaims,
  explainLimit,
  type GivenClaim,
  givenClaim,
  isNotFound,
  Refusal,
  readRun,
  retryAfterWait,
  runIdOf,
} from "../refusals.ts";
import { type Call, defineTool, runOf, type ToolAnswer } from "../tool.ts";
import { approvedPlanOf, decisionText, noSuchRun, proposalFieldsOf } from "./get-decision.ts";

const mayResume =
  "A worker with your account has claimed this run. Do not carry out the plan. If that was you and you have no claim_id, call start_work with resume: true; it ends that claim and gives you a new one. Otherwise do not work on this run, or ask the user.";

const unknownClaim =
  "The server has no claim with this claim_id. Do not carry out the plan. Call start_work without claim_id.";

const refusals: Readonly<Record<string, string>> = {
  run_claimed:
    "Another worker has claimed this run. Do not carry out the plan. If this is your own claim, call start_work with its claim_id; otherwise do not work on this run.",
  wrong_state:
    "This run is not approved, or its approval has ended. Do not carry out the plan. Call get_decision.",
  run_superseded:
    "A newer run of this thread was approved. Do not carry out this plan. Call read_feedback for the newest run.",
  ...endedClaims,
  insufficient_scope:
    "This agent token may not start work: it has no scope runs:work. Ask the owner of the app for a token with this scope.",
};

const nullableText = z.nullable(z.string());

export const startWorkTool = defineTool({
  name: "start_work",
  title: "Start work",
  description:
    "Claim an approved run; only one worker can claim it. Carry out approved_plan only if may_proceed is true.",
  annotations: {
    title: "Start work",
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  },
  input: z.object({
    run_id: z.string().check(z.maxLength(100)),
    claim_id: z.optional(
      z.string().check(z.maxLength(100), z.describe("Your earlier claim_id, to continue")),
    ),
    resume: z.optional(z.boolean().check(z.describe("Set it only if a refusal tells you to"))),
  }),
  output: z.looseObject({
    run_id: z.string(),
    claim_id: nullableText,
    may_proceed: z.boolean(),
    approved_plan: z.nullable(z.looseObject({ plan: z.string() })),
    next_step: z.string(),
  }),
});

export const startWorkRun = runOf(startWorkTool, startWork);

async function startWork(
  input: StartWorkInput,
  deps: Deps,
  { signal }: Pick<Call, "signal">,
): Promise<ToolAnswer<StartWorkOutput>> {
  const runId = runIdOf(input.run_id);
  const given = input.claim_id === undefined ? undefined : givenClaim(input.claim_id);
  const { run, claimId } = await claim({ runId, given, resume: input.resume ?? false }, deps, signal);
  const nonce = newNonce();
  const { text } = createSanitiser(nonce);
  const fields = proposalFieldsOf(run);
  const record = await deps.proposals.find(runId);
  const feedbackId = fields.feedbackId ?? deps.threadOfRun.get(runId) ?? record?.feedback_id ?? null;
  const isApproved = fields.status === "approved";
  const question = { runId, run: fields, record, feedbackId, nonce };
  const isReported = Boolean(valueAt(run, "outcome"));
  const plan = isApproved && !isReported ? await approvedPlanOf(question, deps, signal) : null;
  const structured = {
    run_id: runId,
    claim_id: claimId,
    feedback_id: feedbackId,
    status: fields.status,
    may_proceed: plan !== null,
    decision_note: fields.decisionNote === null ? null : text(fields.decisionNote),
    approved_plan: plan,
    console_url: fields.consoleUrl ?? record?.console_url ?? null,
    next_step: nextStepFor({ isApproved, isReported, hasPlan: plan !== null, hasClaim: claimId !== null }),
  };
  return { structured, text: decisionText(nonce, structured) };
}

interface Claimed {
  readonly run: unknown;
  /** The id of the claim; null if the server supports no claims. */
  readonly claimId: string | null;
}

async function claim(
  {
    runId,
    given,
    resume,
  }: {
    readonly runId: string;
    /** The existing claim to continue; undefined for a new claim. */
    readonly given: GivenClaim | undefined;
    readonly resume: boolean;
  },
  deps: Deps,
  signal: AbortSignal,
): Promise<Claimed> {
  // A continued claim needs the name of its worker, because an older server identifies a worker only by the
  // name.
  const worker = given?.worker ?? deps.worker;
  const body = { worker, ...(given && { claimId: given.id }), ...(resume && { resume }) };
  try {
    const answer = await retryAfterWait(deps, signal, () =>
      deps.connection.call((client) => client.agent.claimRun({ params: { runId }, body, signal })),
    ).catch(explainLimit("work"));
    const id = idAt(answer, "claimId");
    if (id === null)
      throw new Refusal("The server returned no claim. Do not carry out the plan; tell the user.");
    return { run: valueAt(answer, "run"), claimId: claimIdFor(id, worker) };
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    const refusal = valueAt(error.body, "mayResume") === true ? mayResume : refusals[error.code];
    if (refusal) throw new Refusal(refusal);
    if (!isNotFound(error) && error.status !== 405 && error.status !== 501) throw error;
    // The server supports no claims, or the run does not exist. The next request shows which is true.
    const run = await readRun(deps.connection, runId, { holdSeconds: 0, signal }).catch(noSuchRun);
    if (given) throw new Refusal(unknownClaim);
    return { run, claimId: null };
  }
}

/** Returns the claim id with the end of the worker's name. The agent needs both to continue. (rule L15) */
const claimIdFor = (claimId: string, worker: string): string => `${claimId}.${worker.slice(4)}`;

function nextStepFor({
  isApproved,
  isReported,
  hasPlan,
  hasClaim,
}: {
  readonly isApproved: boolean;
  readonly isReported: boolean;
  readonly hasPlan: boolean;
  readonly hasClaim: boolean;
}): string {
  if (!isApproved) return "Do not carry out the plan: it is not approved. Call get_decision.";
  if (isReported)
    return "The outcome of this run is reported already. Do not carry out the plan again; tell the user.";
  if (!hasPlan) return "Do not act: it is not certain which text was approved. Give the user console_url.";
  if (!hasClaim)
    return "This server has no claims and does not accept outcomes. Proceed: carry out approved_plan, then tell the user how it ended.";
  return "Proceed: carry out approved_plan; where decision_note differs, follow decision_note. Then call report_outcome with claim_id.";
}

type StartWorkInput = z.output<typeof startWorkTool.input>;

type StartWorkOutput = z.input<typeof startWorkTool.output>;
