import { isNotFound } from "../api/not-found.ts";
import { retryAfterWait } from "../api/retry-after-wait.ts";
import type { Deps } from "../deps.ts";
import type { ThreadParts } from "../feedback/thread-parts.ts";
import { createSanitiser, newNonce } from "../text/fence.ts";
import { proposalFieldsOf } from "./decision.ts";
import type { DraftForThread, ProposalDraft } from "./proposal-draft.ts";
import { hashOf, type KnownProposal, type ProposalRecord } from "./proposals.ts";

/** The proposal with the same text that was sent from here before, with its status now. */
export async function sameProposal(
  draft: ProposalDraft,
  deps: Pick<Deps, "clock" | "connection" | "proposals">,
  signal: AbortSignal,
): Promise<ProposalRecord | undefined> {
  const isSame = ({ feedback_id, summary, plan }: ProposalRecord) =>
    feedback_id === draft.feedbackId && summary === draft.summary && plan === draft.plan;
  const record = (await deps.proposals.all()).findLast(isSame);
  return record && refreshed(record, deps, signal);
}

/**
 * The proposal with the same text that awaits a decision on the thread, although this machine has no record of it.
 */
export async function sameOnThread(
  { draft, thread }: DraftForThread,
  deps: Pick<Deps, "baseUrl" | "clock" | "proposals">,
): Promise<ProposalRecord | undefined> {
  const latest = thread.latestProposal;
  if (latest?.status !== "awaiting_approval") return undefined;
  if (latest.summary !== draft.summary || latest.plan !== draft.plan) return undefined;
  const record = recordOf(latest.id, { draft, thread }, deps);
  await deps.proposals.add(record);
  return record;
}

/** The proposal that a new one would replace; undefined if there is none. */
export async function awaitingRunOn(
  thread: ThreadParts,
  deps: Pick<Deps, "clock" | "connection" | "proposals">,
  signal: AbortSignal,
): Promise<string | undefined> {
  const latest = thread.latestProposal;
  if (latest) return latest.status === "awaiting_approval" ? latest.id : undefined;
  const ours = (await deps.proposals.all()).findLast(({ feedback_id }) => feedback_id === thread.id);
  const now = ours && (await refreshed(ours, deps, signal));
  return now?.status === "awaiting_approval" ? now.run_id : undefined;
}

export const recordOf = (
  runId: string,
  { draft, thread }: DraftForThread,
  { baseUrl, clock }: Pick<Deps, "baseUrl" | "clock">,
): ProposalRecord => ({
  run_id: runId,
  feedback_id: draft.feedbackId,
  base_url: baseUrl,
  summary: draft.summary,
  plan: draft.plan,
  sha256: hashOf(draft.plan),
  console_url: thread.consoleUrl,
  created_at: clock.now().toISOString(),
  status: "awaiting_approval",
  decision_note: null,
  decided_at: null,
});

/** Undefined if the server no longer has the proposal, or its text is not certain. */
async function refreshed(
  record: KnownProposal,
  deps: Pick<Deps, "clock" | "connection">,
  signal: AbortSignal,
): Promise<ProposalRecord | undefined> {
  try {
    const run = await retryAfterWait(deps, signal, () =>
      deps.connection.call((client) => client.agent.readRun({ params: { runId: record.run_id }, signal })),
    );
    const { status, decisionNote, decidedAt, ...now } = proposalFieldsOf(run);
    const isSame =
      now.plan === null ? record.verified : now.plan === record.plan && now.summary === record.summary;
    if (!isSame) return undefined;
    const note = decisionNote === null ? null : createSanitiser(newNonce()).text(decisionNote);
    return { ...record, status, decision_note: note, decided_at: decidedAt };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
