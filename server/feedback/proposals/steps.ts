import type { AuditActionName } from "../../../src/contract/audit.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { EventType } from "../../../src/contract/events.ts";
import { type Author, createAuditWriter } from "../../access/audit/record.ts";
import type { Viewer } from "../../access/members/visibility.ts";
import type { Transaction } from "../../database/database.ts";
import { proposalTopic } from "../../database/signals.ts";
import type { Deps } from "../../deps.ts";
import { recordEvent } from "../../webhooks/events/record.ts";
import type { Facts } from "../../webhooks/events/store.ts";
import { feedbackThreads } from "../threads/store/threads.ts";
import { noteActivity } from "../unread/store/read-marks.ts";
import { type Moment, stateAt } from "./rules.ts";
import { expiredApprovals, type OwnedProposal, type ProposalRow, proposals } from "./store.ts";

/**
 * One step of a proposal, such as a decision or a claim. It has a name in the audit, and it may have an event.
 */
export interface RunStep {
  readonly action: AuditActionName;
  readonly event?: EventType;
  readonly facts?: Facts;
}

type ProposalOfThread = Pick<ProposalRow, "id" | "appId" | "feedbackId">;

/**
 * Creates the function that records a step of a proposal. It uses the transaction of the step's change, and wakes the
 * requests that wait for the proposal. (rules A26, A27)
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

/** Whether no person has to act after this step. Such a step does not make the thread unread. (rule F50) */
const isQuiet = (action: AuditActionName): boolean =>
  ["run.claim", "run.resume", "run.progress"].includes(action);

/** Returns the account of the person who did the step; undefined for an agent. */
const personOf = ({ caller }: Author): string | undefined =>
  caller.kind === "agentToken" ? undefined : caller.userId;

/**
 * Locks the thread of a proposal and returns the proposal. Throws `not_found`. Each step of a proposal calls this
 * first. So if two steps happen at the same time, the second one sees the change of the first one.
 */
export async function lockedRun(tx: Transaction, runId: string, viewer: Viewer): Promise<ProposalRow> {
  const found = await visibleRun(tx, runId, viewer);
  return (await tx.lock(found.feedbackId)) ? visibleRun(tx, runId, viewer) : found;
}

/** Returns a proposal as this transaction sees it, if the viewer may read it. Throws `not_found` otherwise. */
export async function visibleRun(tx: Transaction, runId: string, viewer: Viewer): Promise<ProposalRow> {
  const run = await proposals.find(tx, runId, viewer);
  if (!run) throw new ApiError("not_found");
  return run;
}

type Settling = Pick<Deps, "clock" | "database" | "newId">;

/**
 * Stores that an approval has expired, or that an agent has read it for the first time. It runs before the agent gets
 * the answer, so a proposal that an agent has read as expired is never approved again. Returns the stored proposal. If
 * it only stored a first read, returns "as it was", because that changes nothing else in the proposal. (rules A22, A23)
 */
export async function settle(
  deps: Settling,
  runId: string,
): Promise<OwnedProposal | "as it was" | undefined> {
  if (await storeFirstRead(deps, runId)) return "as it was";
  return deps.database.write(async (tx) => {
    const seen = await proposals.findOwned(tx, runId);
    const run = seen && (await tx.lock(seen.feedbackId)) ? await proposals.findOwned(tx, runId) : seen;
    if (!run) return undefined;
    const isOver = await expiredApprovals.store(tx, run, { now: deps.clock.now(), newId: deps.newId });
    return isOver ? proposals.findOwned(tx, runId) : run;
  });
}

/**
 * Uses one statement and does not lock the thread, because an agent waits for the answer. It has its own transaction:
 * on PostgreSQL it locks the proposal's row, and another transaction that has locked the thread may wait for that row.
 */
const storeFirstRead = ({ clock, database }: Settling, runId: string): Promise<boolean> =>
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

/** Returns the time of this request, and whether the server's clock may be wrong. */
export const momentOf = ({ clock, time }: Pick<Deps, "clock" | "time">): Moment => ({
  now: clock.now(),
  doubtful: time.isDoubtful(),
  behindMs: time.behindMs(),
});
