import { ConnectionError, ServerError } from "../../src/client/errors.ts";
import type { Deps } from "../deps.ts";
import { idAt } from "../json.ts";
import { explainLimit } from "../limited.ts";
import type { ProposalRecord } from "../proposals.ts";
import { readThread } from "../read-thread.ts";
import { Refusal } from "../refusal.ts";
import { retryAfterWait } from "../retry-after-wait.ts";
import { recordOf, sameOnThread } from "./existing-proposal.ts";
import { type DraftForThread, idempotencyKeyOf, type ProposalDraft } from "./proposal-draft.ts";

/**
 * Sends a proposal once and stores a record of it. If it is unclear whether the server has it, looks at the thread
 * instead of sending again, because each proposal sends a message to the app's chat channel.
 */
export async function postProposal(
  draftForThread: DraftForThread,
  deps: Deps,
  signal: AbortSignal,
): Promise<ProposalRecord> {
  try {
    const runId = await send(draftForThread, deps, signal);
    const record = recordOf(runId, draftForThread, deps);
    await deps.proposals.add(record);
    return record;
  } catch (error) {
    if (signal.aborted || !mayHaveArrived(error)) throw error;
    return findPosted(draftForThread.draft, deps, signal);
  }
}

async function send(
  { draft, thread }: DraftForThread,
  deps: Pick<Deps, "clock" | "connection">,
  signal: AbortSignal,
): Promise<string> {
  const { feedbackId, summary, plan } = draft;
  const newest = thread.latestProposal?.id;
  const answer = await retryAfterWait(deps, signal, () =>
    deps.connection.call((client) =>
      client.agent.propose({
        params: { id: feedbackId },
        body: { summary, plan, ...(thread.takesExpectedRun && { expectedRunId: newest ?? null }) },
        idempotencyKey: idempotencyKeyOf(draft, newest),
        signal,
      }),
    ),
  ).catch(explainLimit("proposals"));
  const runId = idAt(answer, "runId");
  if (runId !== null) return runId;
  throw new Refusal(
    "The server took the proposal but named no run. Call read_feedback: latest_proposal has its run_id.",
  );
}

/** Failures that happen before a request is sent. */
const beforeSending = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPROTO",
  "bad_proxy",
]);

function mayHaveArrived(error: unknown): boolean {
  if (error instanceof ServerError) return error.status >= 500;
  return (
    error instanceof ConnectionError && !beforeSending.has(error.code) && !/CERT|TLS|SSL/.test(error.code)
  );
}

async function findPosted(draft: ProposalDraft, deps: Deps, signal: AbortSignal): Promise<ProposalRecord> {
  const thread = await readThread(draft.feedbackId, deps, signal).catch(() => undefined);
  if (!thread)
    throw new Refusal(
      "It is not known whether the proposal was posted: the connection broke, and the thread cannot be read. Call read_feedback and look at latest_proposal before you propose again.",
    );
  const record = await sameOnThread({ draft, thread }, deps);
  if (record) return record;
  throw new Refusal(
    "The server failed and the thread does not show the proposal. Call propose_plan once more with the same text; if it fails again, tell the user.",
  );
}
