import type { Run, RunLife } from "../../../src/contract/runs.ts";
import { hashOf } from "../../secrets/secrets.ts";
import type { Settings } from "../../settings/settings.ts";
import { threadUrl } from "../threads/answer.ts";
import type { ProposalRow } from "./store.ts";

/** Returns a proposal as an agent reads it. The plan is included, so the agent need not store the plan. */
export function proposalAnswer(addresses: Pick<Settings, "baseUrl" | "consoleUrl">, run: ProposalRow): Run {
  const { id, status, decisionNote, decidedAt, replacedBy, feedbackId, appId, summary, plan } = run;
  return {
    id,
    status,
    decisionNote,
    decidedAt,
    replacedBy,
    ...lifeOf(run),
    feedbackId,
    consoleUrl: threadUrl(addresses, appId, feedbackId),
    summary,
    plan,
    planSha256: hashOf(plan),
  };
}

/** The id of the claim is left out, because only the worker may get it. (rule A19) */
const lifeOf = (run: ProposalRow): RunLife => ({
  decision: run.decision,
  expiresAt: run.expiresAt,
  claim: claimOf(run),
  progress: progressOf(run),
  outcome: outcomeOf(run),
});

const claimOf = ({ worker, claimedAt, releasedAt }: ProposalRow): RunLife["claim"] =>
  worker === null || claimedAt === null ? null : { worker, claimedAt, releasedAt };

const progressOf = ({ progressText, progressAt, progressCount }: ProposalRow): RunLife["progress"] =>
  progressText === null || progressAt === null
    ? null
    : { text: progressText, reportedAt: progressAt, count: progressCount ?? 0 };

/** Returns the outcome of the work on a proposal; null if there is none yet. */
export const outcomeOf = (
  run: Pick<ProposalRow, "outcomeStatus" | "outcomeSummary" | "outcomeLinks" | "outcomeAt">,
): RunLife["outcome"] =>
  run.outcomeStatus === null || run.outcomeSummary === null || run.outcomeAt === null
    ? null
    : {
        status: run.outcomeStatus,
        summary: run.outcomeSummary,
        links: JSON.parse(run.outcomeLinks ?? "[]"),
        reportedAt: run.outcomeAt,
      };
