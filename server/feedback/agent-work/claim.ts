import type { agent } from "../../../src/contract/agent.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { runWork as contract } from "../../../src/contract/runs.ts";
import { doubtfulTime } from "../../clock.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { AgentCaller, Handlers, Request } from "../../http/handler.ts";
import { withoutSenderLinks } from "../../mail/sender-page/links.ts";
import { messages } from "../messages/store.ts";
import { proposalAnswer } from "../proposals/answer.ts";
import { later, type Moment } from "../proposals/rules.ts";
import { createStepRecorder, lockedRun, momentOf, type RunStep, visibleRun } from "../proposals/steps.ts";
import { type ProposalRow, proposals } from "../proposals/store.ts";
import { finishClaim, releaseClaim } from "./end-claim.ts";
import {
  type ClaimVerdict,
  claimVerdict,
  endOfClaim,
  type HeldClaim,
  mayResume,
  outcomeNote,
} from "./rules.ts";
import { type ClaimRow, runClaims, type Worker } from "./store/claims.ts";

type ClaimDeps = Pick<Deps, "clock" | "newId" | "settings" | "time">;

/** The handlers with which a worker claims an approved proposal and reports its progress and its outcome. */
export function runWork(deps: ClaimDeps): Handlers<typeof contract> {
  const record = createStepRecorder(deps);
  return {
    claimRun: (request) => request.save((tx) => claim(deps, tx, request)),

    reportProgress: ({ caller, address, params: { runId }, body, save }) =>
      save(async (tx) => {
        const { run, claim } = await claimedRun(deps, tx, { runId, claimId: body.claimId, caller });
        // The number of progress reports of a claim is limited. (rule A24)
        if (claim.progressCount >= limits.progressReports)
          throw new ApiError("wrong_state", {
            message: `This claim already has ${limits.progressReports} progress reports, which is the maximum. Report the outcome.`,
          });
        const createdAt = deps.clock.now().toISOString();
        const text = withoutSenderLinks(body.text);
        await runClaims.addProgress(tx, { id: deps.newId(), claimId: claim.id, text, createdAt });
        await record(tx, { ...run, author: { caller, address } }, { action: "run.progress" });
        return { text, reportedAt: createdAt, count: claim.progressCount + 1 };
      }),

    reportOutcome: ({ caller, address, params: { runId }, body, save }) =>
      save(async (tx) => {
        const { run, claim } = await claimedRun(deps, tx, { runId, claimId: body.claimId, caller });
        const { status, links = [] } = body;
        const summary = withoutSenderLinks(body.summary);
        const at = deps.clock.now().toISOString();
        await finishClaim(tx, claim.id, { status, summary, links, at });
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
  deps: ClaimDeps,
  tx: Transaction,
  {
    caller,
    address,
    params: { runId },
    body: { worker, claimId, resume = false },
  }: Request<typeof agent.claimRun>,
) {
  const run = await lockedRun(tx, runId, caller);
  if (claimId !== undefined) {
    const named = await namedClaim(deps, tx, { runId, claimId, caller });
    return claimAnswer(deps, run, named);
  }
  const maker = { runId, userId: caller.userId, tokenId: caller.id, worker };
  const moment = momentOf(deps);
  const found = await runClaims.held(tx, runId, moment.now.toISOString());
  const held = found && heldFor(maker, found, moment);
  const newerApproval = (await proposals.newerApproval(tx, run))?.id;
  const verdict = claimVerdict({ run, held, resume, newerApproval }, moment);
  if (found && verdict === "same") return claimAnswer(deps, run, found);
  if (verdict !== "new" && verdict !== "resumed") throw claimRefusal(verdict, newerApproval, held);

  const made = {
    ...maker,
    id: deps.newId(),
    claimedAt: later(moment.now, run.claimedAt).toISOString(),
  };
  if (found) await releaseClaim(tx, found.id, { at: made.claimedAt, by: null, resumedAs: made.id });
  await runClaims.insert(tx, made);
  await proposals.setExpiry(tx, runId, null);
  await proposals.markRead(tx, runId, moment.now.toISOString());
  const record = createStepRecorder(deps);
  const step: RunStep = found ? { action: "run.resume" } : { action: "run.claim", event: "run.claimed" };
  await record(tx, { ...run, author: { caller, address } }, step);
  return claimAnswer(deps, await visibleRun(tx, runId, caller), made);
}

const heldFor = (maker: Worker, held: ClaimRow, moment: Moment): HeldClaim => {
  const ofToken = held.tokenId === maker.tokenId;
  const use = {
    ofAccount: ofToken || held.userId === maker.userId,
    ofToken,
    tokenEnded: held.tokenWorks === 0,
    heardAt: held.progressAt ?? held.claimedAt,
  };
  return {
    own: ofToken && held.worker === maker.worker,
    finished: held.outcomeStatus !== null,
    mayResume: mayResume(use, moment),
  };
};

function claimRefusal(
  verdict: Exclude<ClaimVerdict, "new" | "resumed">,
  newerApproval: string | undefined,
  held: HeldClaim | undefined,
): ApiError {
  if (verdict === "time_in_doubt") return doubtfulTime();
  if (verdict === "run_superseded")
    return new ApiError(verdict, { runId: newerApproval ?? null, message: newerApprovalMessage });
  if (verdict === "run_claimed" && held?.mayResume && !held.finished)
    return new ApiError(verdict, { mayResume: true, message: resumeMessage });
  if (verdict === "run_claimed") return new ApiError(verdict);
  return new ApiError("wrong_state", { message: notApprovedMessage });
}

const resumeMessage =
  "A worker of your account has claimed this proposal. If that was you and you have lost the answer, or if that worker has stopped, claim it again with `resume: true`. Otherwise leave the proposal to that worker.";

const newerApprovalMessage =
  "A newer proposal of this thread was approved. Its id is in `runId`. Do not carry out this proposal.";

const notApprovedMessage =
  "Only an approved proposal can be claimed. This proposal is not approved now. Read it again, or wait for the decision.";

/** Returns the answer to the worker. Only this answer has the id of the claim. (rule A19) */
const claimAnswer = (
  { settings }: Pick<Deps, "settings">,
  run: ProposalRow,
  { id, worker, claimedAt }: Pick<ClaimRow, "id" | "worker" | "claimedAt">,
) => ({ claimId: id, worker, claimedAt, run: proposalAnswer(settings, run) });

interface NamedClaim {
  readonly runId: string;
  readonly claimId: string;
  readonly caller: AgentCaller;
}

/**
 * Returns the proposal of a claim, and the claim. Throws `wrong_state` if the claim already has an outcome. Also throws
 * the errors of `namedClaim`. (rule A24)
 */
async function claimedRun(deps: Pick<Deps, "clock">, tx: Transaction, named: NamedClaim) {
  const run = await lockedRun(tx, named.runId, named.caller);
  const claim = await namedClaim(deps, tx, named);
  if (claim.outcomeStatus !== null)
    throw new ApiError("wrong_state", { message: "The outcome of this claim is already reported." });
  return { run, claim };
}

/**
 * Returns the claim with this id if the caller's account created it. Throws `not_found`, `claim_released` or
 * `claim_resumed`. (rule A24)
 */
async function namedClaim(
  { clock }: Pick<Deps, "clock">,
  tx: Transaction,
  { runId, claimId, caller }: NamedClaim,
): Promise<ClaimRow> {
  const whose = { userId: caller.userId, tokenId: caller.id };
  const claim = await runClaims.find(tx, { id: claimId, runId, ...whose }, clock.now().toISOString());
  if (!claim)
    throw new ApiError("not_found", {
      message: "Your account has no such claim on this proposal. Claim the proposal first.",
    });
  const end = endOfClaim(claim);
  if (end) throw new ApiError(end);
  return claim;
}
