import type { agent } from "../../../../src/contract/agent.ts";
import { ApiError } from "../../../../src/contract/errors.ts";
import { limits } from "../../../../src/contract/limits.ts";
import type { runWork as contract } from "../../../../src/contract/run.ts";
import type { Deps } from "../../../deps.ts";
import { later } from "../../../domain/feedback/proposal.ts";
import { claimVerdict, outcomeNote, reportRefusal } from "../../../domain/feedback/run-life.ts";
import type { AgentCaller, Handlers, Request } from "../../../http/handler.ts";
import type { Transaction } from "../../../store/engine/database.ts";
import { messages } from "../../../store/feedback/messages.ts";
import { type ProposalRow, proposals } from "../../../store/feedback/runs/proposals.ts";
import { type ClaimRow, runClaims } from "../../../store/feedback/runs/run-claims.ts";
import { doubtfulTime } from "../../doubtful-time.ts";
import { momentOf } from "../moment.ts";
import { proposalAnswer } from "./proposal-answer.ts";
import { createStepRecorder, isHeld, lockedRun, visibleRun } from "./run-steps.ts";

type Needed = Pick<Deps, "clock" | "newId" | "settings" | "time">;

/** The work of agents on approved proposals: claim, progress, outcome. */
export function runWork(deps: Needed): Handlers<typeof contract> {
  const record = createStepRecorder(deps);
  return {
    claimRun: (request) => request.save((tx) => claim(deps, tx, request)),

    reportProgress: ({ caller, address, params: { runId }, body, save }) =>
      save(async (tx) => {
        const { run, claim } = await claimedRun(tx, { runId, claimId: body.claimId, caller });
        if (claim.progressCount >= limits.progressReports)
          throw new ApiError("wrong_state", {
            message: `This claim has all its ${limits.progressReports} steps of progress. Report the outcome.`,
          });
        const createdAt = deps.clock.now().toISOString();
        await runClaims.addProgress(tx, { id: deps.newId(), claimId: claim.id, text: body.text, createdAt });
        await record(tx, { ...run, author: { caller, address } }, { action: "run.progress" });
        return { text: body.text, reportedAt: createdAt, count: claim.progressCount + 1 };
      }),

    reportOutcome: ({ caller, address, params: { runId }, body, save }) =>
      save(async (tx) => {
        const { run, claim } = await claimedRun(tx, { runId, claimId: body.claimId, caller });
        const { status, summary, links = [] } = body;
        const at = deps.clock.now().toISOString();
        await runClaims.setOutcome(tx, claim.id, { status, summary, links, at });
        await messages.insert(tx, {
          id: deps.newId(),
          feedbackId: run.feedbackId,
          direction: "note",
          author: "agent",
          body: outcomeNote({ status, summary, links }),
          createdAt: at,
        });
        const step = { action: "run.outcome", event: "run.finished", facts: { outcome: status } } as const;
        await record(tx, { ...run, author: { caller, address } }, step);
        return proposalAnswer(deps.settings, await visibleRun(tx, runId, caller));
      }),
  };
}

async function claim(
  deps: Needed,
  tx: Transaction,
  { caller, address, params: { runId }, body: { worker } }: Request<typeof agent.claimRun>,
) {
  const run = await lockedRun(tx, runId, caller);
  const maker = { runId, tokenId: caller.id, worker };
  const own = await runClaims.ofWorker(tx, maker);
  const newerApproval = (await proposals.newerApproval(tx, run))?.id;
  const verdict = claimVerdict({ run, own, held: isHeld(run), newerApproval }, momentOf(deps));
  if (verdict === "time_in_doubt") throw doubtfulTime();
  if (verdict === "run_superseded")
    throw new ApiError(verdict, { runId: newerApproval ?? null, message: newerApprovalMessage });
  if (verdict === "wrong_state") throw new ApiError(verdict, { message: notApprovedMessage });
  if (verdict !== "new" && verdict !== "same") throw new ApiError(verdict);
  if (own) return claimAnswer(deps, run, own);

  const now = deps.clock.now();
  const made = { ...maker, id: deps.newId(), claimedAt: later(now, run.claimedAt).toISOString() };
  await runClaims.insert(tx, made);
  await proposals.setExpiry(tx, runId, null);
  await proposals.markRead(tx, runId, now.toISOString());
  const record = createStepRecorder(deps);
  const step = { action: "run.claim", event: "run.claimed" } as const;
  await record(tx, { ...run, author: { caller, address } }, step);
  return claimAnswer(deps, await visibleRun(tx, runId, caller), made);
}

const newerApprovalMessage =
  "A newer proposal of this thread was approved: `runId` names it. Do not carry out this one.";

const notApprovedMessage =
  "Only an approved proposal can be claimed, and this one is not approved now. Read it again, or wait for the decision.";

const claimAnswer = (
  { settings }: Pick<Deps, "settings">,
  run: ProposalRow,
  { id, worker, claimedAt }: Pick<ClaimRow, "id" | "worker" | "claimedAt">,
) => ({ claimId: id, worker, claimedAt, run: proposalAnswer(settings, run) });

/** A proposal and the claim on it that a worker may report on. Throws `not_found`, `claim_released` or `wrong_state`. */
async function claimedRun(
  tx: Transaction,
  {
    runId,
    claimId,
    caller,
  }: { readonly runId: string; readonly claimId: string; readonly caller: AgentCaller },
) {
  const run = await lockedRun(tx, runId, caller);
  const claim = await runClaims.find(tx, { id: claimId, runId, tokenId: caller.id });
  if (!claim)
    throw new ApiError("not_found", {
      message: "This token has no such claim on this proposal. Claim it first.",
    });
  const refusal = reportRefusal(claim);
  if (refusal === "wrong_state")
    throw new ApiError(refusal, { message: "The outcome of this claim is already reported." });
  if (refusal) throw new ApiError(refusal);
  return { run, claim };
}
