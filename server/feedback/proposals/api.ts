import { ApiError } from "../../../src/contract/errors.ts";
import type { runs as contract, RunLife } from "../../../src/contract/runs.ts";
import { doubtfulTime } from "../../clock.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { ConsoleCaller, Handlers } from "../../http/handler.ts";
import { releaseClaim } from "../agent-work/end-claim.ts";
import { outcomeOf, proposalAnswer } from "./answer.ts";
import { expiresAfter, later, recallRefusal, stateAt, statusOf } from "./rules.ts";
import { createStepRecorder, lockedRun, momentOf, type RunStep, visibleRun } from "./steps.ts";
import {
  type LifeClaimRow,
  type LifeProgressRow,
  type LifeRow,
  type NewestRunRow,
  type ProposalRow,
  proposals as rows,
  runLives,
} from "./store.ts";

/** The handlers with which a person decides on a proposal, recalls an approval, or releases a worker's claim. */
export function consoleProposals(
  deps: Pick<Deps, "clock" | "newId" | "settings" | "time" | "waitingAgents">,
): Handlers<typeof contract> {
  const record = createStepRecorder(deps);
  /** Records a step of a person, and returns the answer of the request. */
  const finish = async (
    tx: Transaction,
    run: ProposalRow,
    author: { readonly caller: ConsoleCaller; readonly address: string },
    step: RunStep,
  ) => {
    await record(tx, { ...run, author }, step);
    return proposalAnswer(deps.settings, await visibleRun(tx, run.id, author.caller));
  };
  const expiryOf = ({ approvalHours }: ProposalRow, from: Date): string | null => {
    // If the clock is wrong, the approval could stay valid for years.
    if (approvalHours !== null && deps.time.isDoubtful()) throw doubtfulTime();
    return expiresAfter(from, approvalHours);
  };
  return {
    decide: ({ caller, address, params: { runId }, body: { decision, note }, save }) =>
      save(async (tx) => {
        const run = await lockedRun(tx, runId, caller);
        // A decided or replaced proposal cannot be decided again. (rule A6)
        if (run.status !== "awaiting_approval") throw new ApiError("already_decided");
        const status = statusOf(decision);
        const now = deps.clock.now();
        const expiresAt = status === "approved" ? expiryOf(run, now) : null;
        const at = now.toISOString();
        const change = { status, decision, expiresAt };
        const texts = { at, note: note || null, by: caller.userId };
        const readBy = deps.waitingAgents.readerOf(runId);
        const read = await rows.decide(tx, runId, { ...change, ...texts, readBy });
        const step = { action: `run.${decision}`, event: "run.decided", facts: { decision } } as const;
        await record(tx, { ...run, author: { caller, address } }, step);
        const decided = { ...run, ...change, decisionNote: texts.note, decidedAt: at, ...read };
        deps.waitingAgents.handOver(tx, decided);
        return proposalAnswer(deps.settings, decided);
      }),

    recall: ({ caller, address, params: { runId }, body: { note }, save }) =>
      save(async (tx) => {
        const run = await lockedRun(tx, runId, caller);
        const refusal = recallRefusal(run, { held: isHeld(run), moment: momentOf(deps) });
        if (refusal) throw new ApiError(refusal, { message: recallRefusals[refusal] });
        const at = later(deps.clock.now(), run.decidedAt).toISOString();
        await rows.recall(tx, runId, { note: note || null, at, by: caller.userId });
        const facts = { decision: "recalled" };
        const step = { action: "run.recall", event: "run.decided", facts } as const;
        return finish(tx, run, { caller, address }, step);
      }),

    release: ({ caller, address, params: { runId }, body: { claimedAt }, save }) =>
      save(async (tx) => {
        const run = await lockedRun(tx, runId, caller);
        // A claim can be released until its outcome is reported. (rule A21)
        if (run.claimId === null || !isHeld(run) || run.outcomeStatus !== null)
          throw new ApiError("wrong_state", { message: "This proposal has no claim that can be released." });
        // The person saw an earlier claim and has not decided about the current claim. (rule A52)
        if (claimedAt !== undefined && claimedAt !== run.claimedAt)
          throw new ApiError("wrong_state", {
            message: "Another worker has the claim now. Read the proposal again.",
          });
        const now = deps.clock.now();
        const expiresAt = expiryOf(run, now);
        const at = later(now, run.claimedAt).toISOString();
        await releaseClaim(tx, run.claimId, { at, by: caller.userId });
        await rows.setExpiry(tx, runId, expiresAt);
        return finish(tx, run, { caller, address }, { action: "run.release" });
      }),
  };
}

const recallRefusals = {
  wrong_state: "Only a valid approval can be recalled. Read the proposal again.",
  run_claimed: "A worker has claimed this proposal. Release its claim first.",
};

/** Whether the proposal has a claim that is not released. */
const isHeld = ({ claimId, releasedAt }: Pick<ProposalRow, "claimId" | "releasedAt">): boolean =>
  claimId !== null && releasedAt === null;

/** The decision on a proposal and the work that followed, as the console shows them. */
export interface ShownLife extends LifeRow {
  /** The claim that is not released comes first. Then the released claims follow, newest first. */
  readonly claims: readonly ShownClaim[];
}

export interface ShownClaim
  extends Pick<
    LifeClaimRow,
    "worker" | "tokenLabel" | "claimedAt" | "releasedAt" | "releasedBy" | "resumedAs" | "progressCount"
  > {
  /** The newest progress reports, newest first. Older reports may be missing. `progressCount` counts all reports. */
  readonly progress: readonly LifeProgressRow[];
  readonly outcome: RunLife["outcome"];
}

const mostClaims = 100;

const mostProgress = 300;

/** Returns the decision and the work that followed for each proposal of a thread, by the id of the proposal. */
export async function livesOfThread(
  reader: Reader,
  threadId: string,
): Promise<ReadonlyMap<string, ShownLife>> {
  const lives = await runLives.list(reader, threadId);
  const claims = await runLives.claims(reader, threadId, mostClaims);
  const progress = claims.length === 0 ? [] : await runLives.progress(reader, threadId, mostProgress);
  return new Map(
    lives.map((life) => [
      life.runId,
      {
        ...life,
        claims: claims
          .filter(({ runId }) => runId === life.runId)
          .map((claim) =>
            shown(
              claim,
              progress.filter(({ claimId }) => claimId === claim.id),
            ),
          ),
      },
    ]),
  );
}

/** The state of a thread's newest proposal, as the inbox shows it. */
export type NewestProposal =
  | "waiting"
  | "approved"
  | "in_work"
  | "succeeded"
  | "failed"
  | "request_changes"
  | "recalled"
  | "expired"
  | "rejected";

/** Returns the state of each thread's newest proposal at the time `now`, by the id of the thread. */
export async function newestProposals(
  reader: Reader,
  threadIds: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, NewestProposal>> {
  const rows = threadIds.length === 0 ? [] : await runLives.newest(reader, threadIds);
  return new Map(rows.map((row) => [row.feedbackId, progressOf(row, now)]));
}

function progressOf(row: NewestRunRow, now: Date): NewestProposal {
  const { status, decision } = stateAt(row, now);
  if (status === "awaiting_approval") return "waiting";
  if (status === "approved") return row.claimId === null ? "approved" : (row.outcomeStatus ?? "in_work");
  return decision === "request_changes" || decision === "recalled" || decision === "expired"
    ? decision
    : "rejected";
}

const shown = (claim: LifeClaimRow, progress: readonly LifeProgressRow[]): ShownClaim => ({
  ...claim,
  progress,
  outcome: outcomeOf(claim),
});
