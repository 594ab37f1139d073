import type { runs as contract } from "../../../src/contract/console/proposals.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { proposalTopic } from "../../store/engine/topics.ts";
import { feedbackThreads } from "../../store/feedback/feedback.ts";
import { proposals as rows } from "../../store/feedback/proposals.ts";
import { createAuditWriter } from "../access/audit-record.ts";
import { proposalAnswer } from "./proposal-answer.ts";

export function consoleProposals(
  deps: Pick<Deps, "clock" | "newId" | "settings">,
): Handlers<typeof contract> {
  const record = createAuditWriter(deps);
  return {
    decide: ({ caller, address, params: { runId }, body, save }) =>
      save(async (tx) => {
        const found = await rows.find(tx, runId, caller);
        if (!found) throw new ApiError("not_found");
        const status = body.decision === "approve" ? "approved" : "rejected";
        const at = deps.clock.now().toISOString();
        const decided = { status, note: body.note || null, at, by: caller.userId } as const;
        if (!(await rows.decide(tx, runId, decided))) throw new ApiError("already_decided");
        await feedbackThreads.setProposalStatus(tx, found.feedbackId, status);
        const action = { action: `run.${body.decision}`, appId: found.appId, target: runId };
        await record(tx, { caller, address }, action);
        tx.signal(proposalTopic(runId));
        return proposalAnswer(deps.settings, { ...found, status, decisionNote: decided.note, decidedAt: at });
      }),
  };
}
