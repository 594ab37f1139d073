import { createHash } from "node:crypto";
import { ServerError } from "../../src/client/errors.ts";
import { createSanitiser, newNonce } from "../../src/words/fence.ts";
import { endedClaims, givenClaim } from "../claims.ts";
import type { Deps } from "../deps.ts";
import { runIdOf } from "../ids.ts";
import { linkAt } from "../json.ts";
import { explainLimit } from "../limited.ts";
import { Refusal } from "../refusal.ts";
import { retryAfterWait } from "../retry-after-wait.ts";
import { refuseSecrets } from "../secrets.ts";
import { type Call, runOf, type ToolAnswer } from "../tool.ts";
import {
  reportOutcome as definition,
  type ReportOutcomeInput,
  type ReportOutcomeOutput,
} from "./report-outcome.ts";

export const reportOutcomeRun = runOf(definition, reportOutcome);

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
    next_step: "Reported to the app's people. Tell the user, too. Nothing more is to be done for this run.",
  };
  return { structured, text: JSON.stringify(structured) };
}

function explainFailure(error: unknown): never {
  if (!(error instanceof ServerError)) throw error;
  const refusal = refusals[error.code] ?? ([404, 405, 501].includes(error.status) ? unknownClaim : undefined);
  throw refusal ? new Refusal(refusal) : error;
}

const unknownClaim =
  "The server does not know this claim, or takes no outcomes. Pass the run_id and claim_id of start_work; if it fails again, tell the user how the work ended.";

const refusals: Readonly<Record<string, string>> = {
  bad_request:
    "The server refused the report. Each link is an address with http or https. Correct this, then call again.",
  wrong_state: "An outcome was reported for this claim before. Nothing was changed; tell the user.",
  ...endedClaims,
  insufficient_scope:
    "This agent token may not report outcomes: it has no scope runs:work. Ask the owner of the app for a token with it.",
};
