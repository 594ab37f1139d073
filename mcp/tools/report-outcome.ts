import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { ServerError } from "../../src/client/errors.ts";
import { linkAt } from "../../src/contract/json.ts";
import { limits } from "../../src/contract/limits.ts";
import { outcomeStatuses } from "../../src/contract/runs.ts";
import { createSanitiser, newNonce } from "../../src/words/fence.ts";
import type { Deps } from "../deps.ts";
import {
  endedClaims,
  explainLimit,
  givenClaim,
  Refusal,
  refuseSecrets,
  retryAfterWait,
  runIdOf,
} from "../refusals.ts";
import { type Call, defineTool, runOf, type ToolAnswer } from "../tool.ts";

const unknownClaim =
  "The server has no such claim, or does not accept outcomes. Pass the run_id and claim_id of start_work; if it fails again, tell the user how the work ended.";

const refusals: Readonly<Record<string, string>> = {
  bad_request:
    "The server refused the report. Each link must be an http or https address. Correct this, then call again.",
  wrong_state: "An outcome was already reported for this claim. Nothing was changed; tell the user.",
  ...endedClaims,
  insufficient_scope:
    "This agent token may not report outcomes: it has no scope runs:work. Ask the owner of the app for a token with it.",
};

export const reportOutcomeTool = defineTool({
  name: "report_outcome",
  title: "Report the outcome",
  description: "Tell the app's people, once, how the work ended.",
  annotations: {
    title: "Report the outcome",
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  },
  input: z.object({
    run_id: z.string().check(z.maxLength(100)),
    claim_id: z.string().check(z.maxLength(100)),
    status: z.enum(outcomeStatuses),
    summary: z.string().check(z.minLength(1), z.maxLength(limits.outcome)),
    links: z.optional(
      z
        .array(z.string().check(z.maxLength(limits.url)))
        .check(z.maxLength(limits.outcomeLinks), z.describe("Such as a pull request")),
    ),
  }),
  output: z.looseObject({
    run_id: z.string(),
    outcome: z.string(),
    next_step: z.string(),
  }),
});

export const reportOutcomeRun = runOf(reportOutcomeTool, reportOutcome);

async function reportOutcome(
  input: ReportOutcomeInput,
  deps: Deps,
  { signal }: Pick<Call, "signal">,
): Promise<ToolAnswer<ReportOutcomeOutput>> {
  const runId = runIdOf(input.run_id);
  const claimId = givenClaim(input.claim_id).id;
  const summary = createSanitiser(newNonce()).text(input.summary).trim();
  if (summary === "") throw new Refusal("Nothing was reported: `summary` has no visible characters.");
  const secrets = await deps.connection.secrets();
  refuseSecrets("summary", summary, secrets);
  refuseSecrets("links", (input.links ?? []).join("\n"), secrets);
  const body = { claimId, status: input.status, summary, links: input.links };
  const idempotencyKey = `mcp-${createHash("sha256")
    .update(JSON.stringify([runId, body]))
    .digest("hex")}`;
  const run = await retryAfterWait(deps, signal, () =>
    deps.connection.call((client) =>
      client.agent.reportOutcome({ params: { runId }, body, idempotencyKey, signal }),
    ),
  )
    .catch(explainLimit("work"))
    .catch(explainFailure);
  const structured = {
    run_id: runId,
    outcome: input.status,
    console_url: linkAt(run, "consoleUrl"),
    next_step: "Reported to the app's people. Tell the user, too. Nothing else has to be done for this run.",
  };
  return { structured, text: JSON.stringify(structured) };
}

function explainFailure(error: unknown): never {
  if (!(error instanceof ServerError)) throw error;
  const refusal = refusals[error.code] ?? ([404, 405, 501].includes(error.status) ? unknownClaim : undefined);
  throw refusal ? new Refusal(refusal) : error;
}

type ReportOutcomeInput = z.output<typeof reportOutcomeTool.input>;

type ReportOutcomeOutput = z.input<typeof reportOutcomeTool.output>;
