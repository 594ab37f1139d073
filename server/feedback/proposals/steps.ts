import type { AuditActionName } from "../../../src/contract/audit.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { EventType } from "../../../src/contract/events.ts";
import { type Author, createAuditWriter } from "../../access/audit/record.ts";
import type { Viewer } from "../../access/members/visibility.ts";
import type { Transaction } from "../../database/database.ts";
import { proposalTopic } from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import type { Facts } from "../../webhooks/endpoints/store.ts";
import { recordEvent } from "../../webhooks/events/record.ts";
import { feedbackThreads } from "../threads/store/threads.ts";
import { noteActivity } from "../unread/store/read-marks.ts";
import { type Moment, stateAt } from "./rules.ts";
import { expiredApprovals, type OwnedProposal, type ProposalRow, proposals } from "./store.ts";

/** A step of a proposal, such as a decision or a claim. `action` is its name in the audit log. */
export interface RunStep {
  readonly action: AuditActionName;
  readonly event?: EventType;
  readonly facts?: Facts;
}

type ProposalOfThread = Pick<ProposalRow, "id" | "appId" | "feedbackId">;

/**
 * Returns a function that records a step in the audit log, as an event, and in the thread's state.
 * (rules A26, A27)
 */
export function createStepRecorder(deps: Pick<Deps, "clock" | "newId">) {
  const record = createAuditWriter(deps);
  return async (
    tx: Transaction,
    { author, ...run }: ProposalOfThread & { readonly author: Author },
    { action, event, facts }: RunStep,
  ): Promise<void> => {
    await record(tx, author, { action, appId: run.appId, target: run.id });
    const at = deps.clock.now().toISOString();
    if (isQuiet(action)) await feedbackThreads.setProposalStatus(tx, run.feedbackId);
    else await noteActivity(tx, run.feedbackId, { at, by: personOf(author), ofProposal: true });
    tx.signal(proposalTopic(run.id));
    if (!event) return;
    await recordEvent(deps, tx, {
      ...{ appId: run.appId, type: event, subjectId: run.id, at, by: personOf(author) },
      facts: { feedbackId: run.feedbackId, ...facts },
    });
  };
}

/** After a quiet step, a read thread stays read, because nobody has to act. (rule F50) */
const isQuiet = (action: AuditActionName): boolean =>
  ["run.claim", "run.resume", "run.progress"].includes(action);

/** Returns the account of the person who makes the step; undefined for an agent. */
const personOf = ({ caller }: Author): string | undefined =>
  caller.kind === "agentToken" ? undefined : caller.userId;

/**
 * Locks the thread of a proposal and returns the proposal. Throws `not_found` if the viewer may not read it.
 */
export async function lockedRun(tx: Transaction, runId: string, viewer: Viewer): Promise<ProposalRow> {
  const found = await visibleRun(tx, runId, viewer);
  // After the lock, reads the proposal again, because another step may have changed it.
  return (await tx.lock(found.feedbackId)) ? visibleRun(tx, runId, viewer) : found;
}

/** Returns a proposal. Throws `not_found` if it does not exist or the viewer may not read it. */
export async function visibleRun(tx: Transaction, runId: string, viewer: Viewer): Promise<ProposalRow> {
  const run = await proposals.find(tx, runId, viewer);
  if (!run) throw new ApiError("not_found");
  return run;
}

type Settling = Pick<Deps, "clock" | "database" | "newId">;

/** Stores the expiry or the first read of an approval, before the agent gets the answer. (rules A22, A23) */
export async function settle(
  deps: Settling,
  runId: string,
): Promise<OwnedProposal | "as it was" | undefined> {
  // The first read does not change the proposal that the caller already has.
  if (await storeFirstRead(deps, runId)) return "as it was";
  return deps.database.write(async (tx) => {
    const seen = await proposals.findOwned(tx, runId);
    const run = seen && (await tx.lock(seen.feedbackId)) ? await proposals.findOwned(tx, runId) : seen;
    if (!run) return undefined;
    const isOver = await expiredApprovals.store(tx, run, { now: deps.clock.now(), newId: deps.newId });
    return isOver ? proposals.findOwned(tx, runId) : run;
  });
}

/** Stores the first read of an approval. Returns false if an agent has read the approval before. */
const storeFirstRead = ({ clock, database }: Settling, runId: string): Promise<boolean> =>
  // This transaction takes no thread lock, because an agent waits. With a thread lock, a deadlock is possible.
  database.write(async (tx) => {
    const isFirst = await proposals.markRead(tx, runId, clock.now().toISOString());
    if (isFirst) tx.signal(proposalTopic(runId));
    return isFirst;
  });

/** Whether `settle` must store something before an agent reads the proposal. */
export const needsSettling = (
  run: Pick<ProposalRow, "status" | "decision" | "decidedAt" | "expiresAt" | "firstReadAt">,
  now: Date,
): boolean => run.status === "approved" && (run.firstReadAt === null || stateAt(run, now) !== run);

export const momentOf = ({ clock, time }: Pick<Deps, "clock" | "time">): Moment => ({
  now: clock.now(),
  doubtful: time.isDoubtful(),
  behindMs: time.behindMs(),
});
