import type { runs as contract } from "../../../src/contract/console/runs.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { feedback } from "../../store/feedback.ts";
import { runs as rows } from "../../store/runs.ts";
import { runTopic } from "../../store/topics.ts";
import { appOfThread } from "./owned-thread.ts";
import { createRecord } from "./record.ts";

export function runs(deps: Deps): Handlers<typeof contract> {
  const record = createRecord(deps);
  return {
    decide: ({ caller, address, params: { runId }, body, save }) =>
      save(async (tx) => {
        const found = await rows.find(tx, runId, caller);
        if (!found) throw new ApiError("not_found");
        const status = body.decision === "approve" ? "approved" : "rejected";
        const at = deps.clock.now().toISOString();
        const run = await rows.decide(tx, runId, { status, note: body.note || null, at, by: caller.userId });
        if (!run) throw new ApiError("already_decided");
        await feedback.setProposalStatus(tx, run.feedbackId, status);
        const appId = await appOfThread(tx, run.feedbackId, caller);
        await record(tx, { caller, address }, { action: `run.${body.decision}`, appId, target: runId });
        tx.signal(runTopic(runId));
        return run;
      }),
  };
}
