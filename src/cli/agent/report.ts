import { clientOf } from "../../client/client.ts";
import { ServerError } from "../../client/errors.ts";
import { CliError } from "../core/cli-error.ts";
import { connect } from "../core/connection.ts";
import type { Invocation } from "../core/context.ts";
import type { Exit } from "../core/exit-codes.ts";
import { note } from "../core/output.ts";
import { patiently } from "./patiently.ts";
import type { Job } from "./worker.ts";

const reasons: Readonly<Record<string, string>> = {
  run_claimed: "Another worker has claimed it.",
  claim_released: "A person has released its claim.",
  claim_resumed: "Another worker of this account has taken it up.",
  wrong_state: "It is not approved any more.",
  run_superseded: "A newer plan of its thread was approved.",
  not_found: "It is not there any more.",
};

/** Why the server refuses what is about a claim. */
export const reasonOf = ({ code }: ServerError): string => reasons[code] ?? `The server answered ${code}.`;

export interface Outcome {
  readonly claimId: string;
  readonly status: "succeeded" | "failed";
  readonly summary: string;
  /** The person waits for the end: a server that is away gets only the usual time. */
  readonly wasStopped: boolean;
}

/** Reports an outcome. Keeps the note of it until it is taken, or never will be. (rule L74) */
export async function report(
  invocation: Invocation,
  job: Job,
  { wasStopped, ...body }: Outcome,
): Promise<void> {
  // An interruption that has come does not stop the report.
  const signal = new AbortController().signal;
  const context = { ...invocation.context, signal };
  const { agent } = clientOf(connect({ ...invocation, context }));
  const { runId } = job;
  const call = () => agent.reportOutcome({ params: { runId }, body });
  try {
    await (wasStopped ? call() : patiently(context, call));
    note(invocation, `Reported: ${runId} ${body.status}.`);
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    if (error.status !== 409) return keepOutcome(invocation, { job, error, body });
    const reason = error.code === "wrong_state" ? "An outcome is reported already." : reasonOf(error);
    note(invocation, `The outcome of ${runId} was not taken. ${reason}`);
  }
  job.done();
}

interface Unreported {
  readonly job: Job;
  readonly error: ServerError;
  readonly body: Pick<Outcome, "claimId" | "status">;
}

const exits: Readonly<Record<number, Exit>> = { 401: "authentication", 403: "forbidden" };

/** Says how the outcome that this token cannot report still reaches the server. Throws if no other report would, either. */
function keepOutcome(invocation: Invocation, { job: { runId, noted }, error, body }: Unreported): void {
  const what = `The outcome of ${runId} is not reported: ${body.status}.`;
  const byHand = `\`innkeep agent outcome ${runId} --claim ${body.claimId} --status ${body.status} --summary …\``;
  const again =
    noted === undefined
      ? `${byHand} reports it, with a token of the same account.`
      : `The next start with this --worker reports it, with a token of the same account, and runs nothing again. To give it up, remove ${noted}.`;
  if (error.status === 404) {
    note(invocation, `${what} This token finds no such claim. ${again}`);
    return;
  }
  const { status, code, requestId } = error;
  throw new CliError({
    exit: exits[status] ?? "unexpected",
    ...{ code, status, requestId },
    message: `${what} ${error.message}`,
    next: `${status === 401 ? "Put a current agent token in place. " : ""}${again}`,
  });
}
