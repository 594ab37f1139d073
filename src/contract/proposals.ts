import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { givenInstant, optionalText } from "./fields.ts";
import { limits } from "./limits.ts";
import { Run, runParams } from "./runs.ts";

export const Decision = z.enum(["approve", "reject", "request_changes"]);
export type Decision = z.output<typeof Decision>;

const note = optionalText(limits.decisionNote);

export const runs = {
  decide: endpoint({
    method: "POST",
    path: "/api/v1/console/runs/:runId/decision",
    summary: "Approve or reject a proposal, or ask for changes; only a person signed in to the console can",
    auth: "session",
    role: "maintainer",
    params: runParams,
    body: z.object({ decision: Decision, note }).check(
      z.refine(({ decision, note }) => decision !== "request_changes" || !!note, {
        path: ["note"],
        message: "must say what to change",
      }),
    ),
    success: { status: 200, body: Run },
    errors: ["not_found", "already_decided"],
  }),
  recall: endpoint({
    method: "POST",
    path: "/api/v1/console/runs/:runId/recall",
    summary: "Take an approval back that nobody has claimed yet; only a person signed in to the console can",
    auth: "session",
    role: "maintainer",
    params: runParams,
    body: z.object({ note }),
    success: { status: 200, body: Run },
    errors: ["not_found", "run_claimed", "wrong_state"],
  }),
  release: endpoint({
    method: "POST",
    path: "/api/v1/console/runs/:runId/release",
    summary: "End the claim of a worker, so that another can claim the proposal; only a person signed in can",
    auth: "session",
    role: "maintainer",
    params: runParams,
    // The claim that the person has seen. Without it, the claim that is held now.
    body: z.object({ claimedAt: z.optional(givenInstant) }),
    success: { status: 200, body: Run },
    errors: ["not_found", "wrong_state"],
  }),
} as const;
