import { createSanitiser, newNonce } from "../../src/words/fence.ts";
import { proposalFieldsOf } from "../decision.ts";
import type { Deps } from "../deps.ts";
import { isNotFound } from "../not-found.ts";
import { hashOf, type KnownProposal, type ProposalRecord } from "../proposals.ts";
import { retryAfterWait } from "../retry-after-wait.ts";
import type { ThreadParts } from "../thread.ts";
import type { DraftForThread, GivenTexts, ProposalDraft } from "./proposal-draft.ts";

/** The proposal with the same text that was sent from here before, with its status now. */
export async function sameProposal(
  draft: ProposalDraft,
  deps: Pick<Deps, "clock" | "connection" | "proposals">,
  signal: AbortSignal,
): Promise<ProposalRecord | undefined> {
  const records = await deps.proposals.ofThread(draft.feedbackId);
  const record = records.findLast((each) => isSameText(each, draft));
  return record && refreshed(record, deps, signal);
}

const isSameText = (a: GivenTexts, b: GivenTexts): boolean => a.summary === b.summary && a.plan === b.plan;

/**
 * The latest proposal of the thread, if it has the same text and awaits a decision, although this machine has no record
 * of it.
 */
export async function sameOnThread(
  { draft, thread }: DraftForThread,
  deps: Pick<Deps, "baseUrl" | "clock" | "proposals">,
): Promise<ProposalRecord | undefined> {
  const latest = thread.latestProposal;
  if (latest?.status !== "awaiting_approval" || !isSameText(latest, draft)) return undefined;
  const record = recordOf(latest.id, { draft, thread }, deps);
  await deps.proposals.add(record);
  return record;
}

/** The latest proposal of the thread, if it has the same text and was decided on. */
export function decidedOnThread(
  { draft, thread }: DraftForThread,
  deps: Pick<Deps, "baseUrl" | "clock">,
): ProposalRecord | undefined {
  const latest = thread.latestProposal;
  if (!latest || latest.status === "awaiting_approval" || !isSameText(latest, draft)) return undefined;
  const { status, decision, decidedAt: decided_at } = latest;
  const decision_note = noteOf(latest.decisionNote);
  return { ...recordOf(latest.id, { draft, thread }, deps), status, decision, decision_note, decided_at };
}

/** The proposal that a new one would replace; undefined if there is none. */
export async function awaitingRunOn(
  thread: ThreadParts,
  deps: Pick<Deps, "clock" | "connection" | "proposals">,
  signal: AbortSignal,
): Promise<string | undefined> {
  const latest = thread.latestProposal;
  if (latest) return latest.status === "awaiting_approval" ? latest.id : undefined;
  const ours = (await deps.proposals.ofThread(thread.id)).at(-1);
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

const noteOf = (note: string | null): string | null =>
  note === null ? null : createSanitiser(newNonce()).text(note);

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
    const { status, decision, decisionNote, decidedAt: decided_at, ...now } = proposalFieldsOf(run);
    const isSame =
      now.plan === null ? record.verified : now.plan === record.plan && now.summary === record.summary;
    if (!isSame) return undefined;
    return { ...record, status, decision, decision_note: noteOf(decisionNote), decided_at };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
