import { newNonce, teamFence } from "../../src/words/fence.ts";
import { nextStepFor, nextSteps } from "../decision.ts";
import type { Deps } from "../deps.ts";
import { feedbackIdOf, runIdOf } from "../ids.ts";
import type { ProposalRecord } from "../proposals.ts";
import { readThread } from "../read-thread.ts";
import { Refusal } from "../refusal.ts";
import { type Call, runOf, type ToolAnswer } from "../tool.ts";
import { awaitingRunOn, decidedOnThread, sameOnThread, sameProposal } from "./existing-proposal.ts";
import { postProposal } from "./post-proposal.ts";
import { type ProposalDraft, proposalDraftOf } from "./proposal-draft.ts";
import { proposePlan as definition, type ProposePlanInput, type ProposePlanOutput } from "./propose-plan.ts";

export const proposePlanRun = runOf(definition, proposePlan);

async function proposePlan(
  input: ProposePlanInput,
  deps: Deps,
  call: Call,
): Promise<ToolAnswer<ProposePlanOutput>> {
  const nonce = newNonce();
  const draft = proposalDraftOf(feedbackIdOf(input.feedback), input, {
    nonce,
    secrets: await deps.connection.secrets(),
  });
  const { record, duplicate, threadStatus } = await deps.oneAtATime(draft.feedbackId, () =>
    postUnlessPosted({ draft, expected: expectedOf(input) }, deps, call.signal),
  );
  return answerOf(record, { duplicate, threadStatus, removed: draft.removedCharacters, nonce });
}

interface Outcome {
  readonly record: ProposalRecord;
  readonly duplicate: boolean;
  /** Undefined if the thread was not read. */
  readonly threadStatus?: string;
}

const expectedOf = ({ expected_run_id }: ProposePlanInput): string | undefined =>
  expected_run_id === undefined ? undefined : runIdOf(expected_run_id, "expected_run_id");

interface Request {
  readonly draft: ProposalDraft;
  /** The proposal that the caller knows as the newest. */
  readonly expected: string | undefined;
}

async function postUnlessPosted(
  { draft, expected }: Request,
  deps: Deps,
  signal: AbortSignal,
): Promise<Outcome> {
  const known = await sameProposal(draft, deps, signal);
  if (known && (known.status === "awaiting_approval" || expected === undefined))
    return { record: known, duplicate: true };
  const thread = await readThread(draft.feedbackId, deps, signal);
  const decided = expected === undefined ? decidedOnThread({ draft, thread }, deps) : undefined;
  const shown = decided ?? (await sameOnThread({ draft, thread }, deps));
  const threadStatus = thread.status;
  if (shown) return { record: shown, duplicate: true, threadStatus };
  const awaiting = await awaitingRunOn(thread, deps, signal);
  const newest = thread.latestProposal?.id ?? awaiting;
  if (expected === undefined && awaiting !== undefined)
    throw new Refusal(
      `Nothing was posted: a proposal (run ${awaiting}) is awaiting approval. Call get_decision, or, to replace it, pass expected_run_id: "${awaiting}".`,
    );
  if (expected !== undefined && expected !== newest)
    throw new Refusal(
      `Nothing was posted: the newest proposal of this thread is ${newest ?? "none"}. Call read_feedback, then decide whether yours is still wanted.`,
    );
  return { record: await postProposal({ draft, thread }, deps, signal), duplicate: false, threadStatus };
}

interface Circumstances extends Omit<Outcome, "record"> {
  readonly removed: number;
  readonly nonce: string;
}

function answerOf(
  record: ProposalRecord,
  { duplicate, threadStatus, removed, nonce }: Circumstances,
): ToolAnswer<ProposePlanOutput> {
  const { run_id, feedback_id, status, console_url, decision_note, sha256 } = record;
  const head = {
    run_id,
    feedback_id,
    status,
    may_proceed: false,
    console_url,
    duplicate,
    sha256,
    ...(removed > 0 ? { removed_characters: removed } : {}),
    ...(isClosed(threadStatus) && { note: closedThread(threadStatus) }),
    next_step: nextStepOf(record),
  };
  if (decision_note === null) return { structured: head, text: JSON.stringify(head) };
  const note = teamFence(nonce, "what a person decided", [{ heading: "decision_note", text: decision_note }]);
  return { structured: { ...head, decision_note }, text: `${JSON.stringify(head)}\n${note}` };
}

const isClosed = (status: string | undefined): status is "archived" | "resolved" =>
  status === "archived" || status === "resolved";

const closedThread = (status: string): string =>
  `The thread is ${status}: the people of the app may not look at it any more. Tell your user.`;

function nextStepOf({ status, decision = null }: ProposalRecord): string {
  if (status === "awaiting_approval") return nextSteps.posted;
  if (status === "approved") return nextSteps.approvedBefore;
  return nextStepFor({ status, decision, replacedBy: null, textKnown: true, claims: false });
}
