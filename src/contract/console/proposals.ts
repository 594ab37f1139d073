import * as z from "zod/mini";
import { Run, runParams } from "../agent.ts";
import { endpoint } from "../endpoint.ts";
import { optionalText } from "../fields.ts";
import { limits } from "../limits.ts";

export const Decision = z.enum(["approve", "reject"]);

export const runs = {
  decide: endpoint({
    method: "POST",
    path: "/api/v1/console/runs/:runId/decision",
    summary: "Approve or reject a proposal; only a person signed in to the console can",
    auth: "session",
    params: runParams,
    body: z.object({ decision: Decision, note: optionalText(limits.decisionNote) }),
    success: { status: 200, body: Run },
    errors: ["not_found", "already_decided"],
  }),
} as const;
