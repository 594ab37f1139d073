import type { Run } from "../../../src/contract/agent.ts";
import { decisionOn } from "../../domain/feedback/proposal.ts";
import { hashOf } from "../../secrets/secrets.ts";
import type { Settings } from "../../settings/settings.ts";
import type { ProposalRow } from "../../store/feedback/proposals.ts";
import { threadUrl } from "./feedback-answer.ts";

/** A stored proposal as its agent reads it, with the plan that was decided on, so that the agent need not keep it. */
export function proposalAnswer(addresses: Pick<Settings, "baseUrl" | "consoleUrl">, run: ProposalRow): Run {
  const { id, status, decisionNote, decidedAt, replacedBy, feedbackId, appId, summary, plan } = run;
  return {
    id,
    status,
    decisionNote,
    decidedAt,
    replacedBy,
    decision: decisionOn(run),
    feedbackId,
    consoleUrl: threadUrl(addresses, appId, feedbackId),
    summary,
    plan,
    planSha256: hashOf(plan),
  };
}
