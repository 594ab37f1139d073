import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { ConnectionError, ServerError } from "../../src/client/errors.ts";
import { NewProposal } from "../../src/contract/agent.ts";
import { trimmedMarkdown } from "../../src/contract/content-text.ts";
import { idAt } from "../../src/contract/json.ts";
import { withoutSenderLinks } from "../../src/contract/report-texts.ts";
import { createSanitiser, newNonce, teamFence } from "../../src/words/fence.ts";
import type { Deps } from "../deps.ts";
import { hashOf, type KnownProposal, type ProposalRecord } from "../proposal-files.ts";
import {
  explainLimit,
  feedbackIdOf,
  isNotFound,
  Refusal,
  refuseSecrets,
  retryAfterWait,
  runIdOf,
} from "../refusals.ts";
import { readThread, type ThreadParts } from "../thread.ts";
import { type Call, defineTool, feedback, runOf, type ToolAnswer } from "../tool.ts";
import { nextStepFor, nextSteps, proposalFieldsOf } from "./get-decision.ts";

export const proposePlanTool = defineTool({
  name: "propose_plan",
  title: "Propose a plan",
  description:
    "Post a summary and a plan on a feedback thread. A person must approve it in the console before you act. Nothing is sent to the person who wrote the feedback. Identical text returns the existing run.",
  annotations: {
    title: "Propose a plan",
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: true,
  },
  input: z.object({
    feedback,
    summary: NewProposal.shape.summary.check(z.describe("The problem and the solution in a few words")),
    plan: NewProposal.shape.plan.check(z.describe("What you will do, step by step")),
    expected_run_id: z.optional(
      z
        .string()
        .check(z.maxLength(100), z.describe("The run_id of the newest run, if you want to replace it")),
    ),
  }),
  output: z.looseObject({
    run_id: z.string(),
    feedback_id: z.string(),
    status: z.string(),
    may_proceed: z.boolean(),
    console_url: z.nullable(z.string()),
    duplicate: z.boolean(),
    next_step: z.string(),
  }),
});

export const proposePlanRun = runOf(proposePlanTool, proposePlan);

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
  const { record, ...outcome } = await deps.oneAtATime(draft.feedbackId, () =>
    postUnlessPosted({ draft, expected: expectedOf(input) }, deps, call.signal),
  );
  return answerOf(record, { ...outcome, removed: draft.removedCharacters, nonce });
}

const expectedOf = ({ expected_run_id }: ProposePlanInput): string | undefined =>
  expected_run_id === undefined ? undefined : runIdOf(expected_run_id, "expected_run_id");

interface Outcome {
  readonly record: ProposalRecord;
  readonly duplicate: boolean;
  /** Undefined if the thread was not read. */
  readonly threadStatus?: string;
  /** The id of the thread that has the proposal, if the requested thread was merged into another thread. */
  readonly mergedInto?: string | null;
}

async function postUnlessPosted(
  {
    draft,
    expected,
  }: {
    readonly draft: ProposalDraft;
    /** The id of the proposal that was the newest when the caller read the thread. */
    readonly expected: string | undefined;
  },
  deps: Deps,
  signal: AbortSignal,
): Promise<Outcome> {
  const known = await sameProposal(draft, deps, signal);
  if (known && (known.status === "awaiting_approval" || expected === undefined))
    return { record: known, duplicate: true };
  const thread = await readThread(draft.feedbackId, deps, signal);
  const decided = expected === undefined ? decidedOnThread({ draft, thread }, deps) : undefined;
  const shown = decided ?? (await sameOnThread({ draft, thread }, deps));
  const about = { threadStatus: thread.status, mergedInto: thread.mergedInto };
  if (shown) return { record: shown, duplicate: true, ...about };
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
  return { record: await postProposal({ draft, thread }, deps, signal), duplicate: false, ...about };
}

function answerOf(
  record: ProposalRecord,
  {
    duplicate,
    threadStatus,
    mergedInto = null,
    removed,
    nonce,
  }: Omit<Outcome, "record"> & { readonly removed: number; readonly nonce: string },
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
    ...(mergedInto === null ? {} : { merged_into: mergedInto }),
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
  `The thread is ${status}, so perhaps the people of the app no longer look at it. Tell your user.`;

function nextStepOf({ status, decision = null }: ProposalRecord): string {
  if (status === "awaiting_approval") return nextSteps.posted;
  if (status === "approved") return nextSteps.approvedBefore;
  return nextStepFor({ status, decision, replacedBy: null, textKnown: true, claims: false });
}

type ProposePlanInput = z.output<typeof proposePlanTool.input>;

type ProposePlanOutput = z.input<typeof proposePlanTool.output>;

/**
 * Sends a proposal once and stores its record. If a failed request may have arrived, looks for the proposal on
 * the thread.
 */
async function postProposal(
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
    // The proposal is not sent again, because a second request could post a second message in the app's chat.
    return findPosted(draftForThread.draft, deps, signal);
  }
}

const recordOf = (
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
    "The server accepted the proposal but returned no run id. Call read_feedback: latest_proposal has its run_id.",
  );
}

function mayHaveArrived(error: unknown): boolean {
  if (error instanceof ServerError) return error.status >= 500;
  return (
    error instanceof ConnectionError && !beforeSending.has(error.code) && !/CERT|TLS|SSL/.test(error.code)
  );
}

/** The codes of failures that happen before a request is sent. */
const beforeSending = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPROTO",
  "bad_proxy",
]);

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

/** Returns an earlier proposal of this machine with the same text, with its current status. (rule L18) */
async function sameProposal(
  draft: ProposalDraft,
  deps: Pick<Deps, "clock" | "connection" | "proposals">,
  signal: AbortSignal,
): Promise<ProposalRecord | undefined> {
  const records = await deps.proposals.ofThread(draft.feedbackId);
  const record = records.findLast((each) => isSameText(each, draft));
  return record && refreshed(record, deps, signal);
}

/** Whether both texts are the same. Ignores spaces around a plan, because older servers remove them. */
const isSameText = (a: GivenTexts, b: GivenTexts): boolean =>
  a.summary === b.summary && a.plan.trim() === b.plan.trim();

/** Returns the thread's latest proposal if it has the same text and waits for a decision. Stores its record. */
async function sameOnThread(
  { draft, thread }: DraftForThread,
  deps: Pick<Deps, "baseUrl" | "clock" | "proposals">,
): Promise<ProposalRecord | undefined> {
  const latest = thread.latestProposal;
  if (latest?.status !== "awaiting_approval" || !isSameText(latest, draft)) return undefined;
  const record = recordOf(latest.id, { draft: { ...draft, plan: latest.plan }, thread }, deps);
  await deps.proposals.add(record);
  return record;
}

/** Returns the latest proposal of the thread if it has the same text and a person has decided on it. */
function decidedOnThread(
  { draft, thread }: DraftForThread,
  deps: Pick<Deps, "baseUrl" | "clock">,
): ProposalRecord | undefined {
  const latest = thread.latestProposal;
  if (!latest || latest.status === "awaiting_approval" || !isSameText(latest, draft)) return undefined;
  const { plan, status, decision, decidedAt: decided_at } = latest;
  const decision_note = noteOf(latest.decisionNote);
  const record = recordOf(latest.id, { draft: { ...draft, plan }, thread }, deps);
  return { ...record, status, decision, decision_note, decided_at };
}

const noteOf = (note: string | null): string | null =>
  note === null ? null : createSanitiser(newNonce()).text(note);

/** Returns the id of the proposal that a new proposal would replace. Undefined if there is no such proposal. */
async function awaitingRunOn(
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

/**
 * Returns the proposal with its current status. Undefined if the server deleted the proposal or may have
 * another text.
 */
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
      now.plan === null
        ? record.verified
        : isSameText({ plan: now.plan, summary: now.summary ?? "" }, record);
    if (!isSame) return undefined;
    return { ...record, status, decision, decision_note: noteOf(decisionNote), decided_at };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** A proposal that may be sent. It contains no invisible characters. */
interface ProposalDraft {
  readonly feedbackId: string;
  readonly summary: string;
  readonly plan: string;
  readonly removedCharacters: number;
}

/** A draft of a proposal, and its thread. */
interface DraftForThread {
  readonly draft: ProposalDraft;
  readonly thread: ThreadParts;
}

interface GivenTexts {
  readonly summary: string;
  readonly plan: string;
}

/**
 * Returns the proposal without characters and links that the server removes. Throws a Refusal for secrets and
 * empty texts. (rules L18, M8)
 */
function proposalDraftOf(
  feedbackId: string,
  given: GivenTexts,
  { nonce, secrets }: { readonly nonce: string; readonly secrets: readonly string[] },
): ProposalDraft {
  const sanitiser = createSanitiser(nonce);
  const summary = withoutSenderLinks(sanitiser.text(given.summary).trim());
  const plan = withoutSenderLinks(trimmedMarkdown(sanitiser.text(given.plan)));
  for (const [name, text] of Object.entries({ summary, plan })) {
    if (text === "") throw new Refusal(`Nothing was posted: \`${name}\` has no visible characters.`);
    refuseSecrets(name, text, secrets);
  }
  return { feedbackId, summary, plan, removedCharacters: sanitiser.removed() };
}

/** Returns the idempotency key of a proposal. It changes when the latest proposal of the thread changes. */
function idempotencyKeyOf(draft: ProposalDraft, latestRunId: string | undefined): string {
  const parts = JSON.stringify([draft.feedbackId, draft.summary, draft.plan, latestRunId ?? null]);
  return `mcp-${createHash("sha256").update(parts).digest("hex")}`;
}
