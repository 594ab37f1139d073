import type { AuditActionName } from "../../../src/contract/audit.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { type Author, createAuditWriter } from "../../access/audit/record.ts";
import type { Viewer } from "../../access/members/visibility.ts";
import type { Transaction } from "../../database/database.ts";
import { proposalTopic } from "../../database/signals.ts";
import type { Deps } from "../../deps.ts";
import { feedbackThreads } from "../threads/store.ts";
import { noteActivity } from "../unread/store/read-marks.ts";
import { type Moment, stateAt } from "./rules.ts";
import {
  type EventType,
  events,
  expiredApprovals,
  type NewEvent,
  type OwnedProposal,
  type ProposalRow,
  proposals,
} from "./store.ts";

/** One step of a proposal: its name in the audit, and the event that it stores if it has one. */
export interface RunStep {
  readonly action: AuditActionName;
  readonly event?: EventType;
  readonly facts?: NewEvent["facts"];
}

type Stepped = Pick<ProposalRow, "id" | "appId" | "feedbackId">;

/**
 * Makes a function that records a step of a proposal in the transaction of its change, and wakes the requests that wait for
 * it. (rules A26, A27)
 */
export function createStepRecorder(deps: Pick<Deps, "clock" | "newId">) {
  const record = createAuditWriter(deps);
  return async (
    tx: Transaction,
    { author, ...run }: Stepped & { readonly author: Author },
    { action, event, facts }: RunStep,
  ): Promise<void> => {
    await record(tx, author, { action, appId: run.appId, target: run.id });
    const at = deps.clock.now().toISOString();
    if (isQuiet(action)) await feedbackThreads.setProposalStatus(tx, run.feedbackId);
    else await noteActivity(tx, run.feedbackId, { at, by: personOf(author), ofProposal: true });
    tx.signal(proposalTopic(run.id));
    if (!event) return;
    await events.insert(tx, {
      id: deps.newId(),
      appId: run.appId,
      type: event,
      subjectId: run.id,
      facts: { feedbackId: run.feedbackId, ...facts },
      createdAt: at,
    });
  };
}

/** Progress makes no thread unread, because no person has to do anything. An outcome does. (rule F50) */
const isQuiet = (action: AuditActionName): boolean =>
  ["run.claim", "run.resume", "run.progress"].includes(action);

/** The person who took the step; undefined for an agent, even if it is the person's own. */
const personOf = ({ caller }: Author): string | undefined =>
  caller.kind === "agentToken" ? undefined : caller.userId;

/**
 * Returns a proposal of the viewer after all other changes of its thread have ended. Throws `not_found`. Each step of a
 * proposal begins with this, so that of two steps at once the second one sees the first.
 */
export async function lockedRun(tx: Transaction, runId: string, viewer: Viewer): Promise<ProposalRow> {
  const found = await visibleRun(tx, runId, viewer);
  return (await tx.lock(found.feedbackId)) ? visibleRun(tx, runId, viewer) : found;
}

/** Returns a proposal of the viewer as it is in the transaction. Throws `not_found`. */
export async function visibleRun(tx: Transaction, runId: string, viewer: Viewer): Promise<ProposalRow> {
  const run = await proposals.find(tx, runId, viewer);
  if (!run) throw new ApiError("not_found");
  return run;
}

/** Whether a worker holds the claim of the proposal. */
export const isHeld = ({ claimId, releasedAt }: Pick<ProposalRow, "claimId" | "releasedAt">): boolean =>
  claimId !== null && releasedAt === null;

type Settling = Pick<Deps, "clock" | "database" | "newId">;

/**
 * Stores that an approval is over, or that an agent has read it for the first time, before an answer says so: what was
 * read as expired is never approved again. Returns the proposal as it is then, or "as it was" if it was read for the first
 * time: then nothing has changed since it was decided. (rules A22, A23)
 */
export async function settle(
  deps: Settling,
  runId: string,
): Promise<OwnedProposal | "as it was" | undefined> {
  if (await noteFirstRead(deps, runId)) return "as it was";
  return deps.database.write(async (tx) => {
    const seen = await proposals.findOwned(tx, runId);
    const run = seen && (await tx.lock(seen.feedbackId)) ? await proposals.findOwned(tx, runId) : seen;
    if (!run) return undefined;
    const isOver = await expiredApprovals.store(tx, run, { now: deps.clock.now(), newId: deps.newId });
    return isOver ? proposals.findOwned(tx, runId) : run;
  });
}

/**
 * One statement without the lock of the thread, because an agent waits for it. It is a transaction of its own: on
 * PostgreSQL it may keep the row locked, and who has the lock of the thread may wait for that row.
 */
const noteFirstRead = ({ clock, database }: Settling, runId: string): Promise<boolean> =>
  database.write(async (tx) => {
    const isFirst = await proposals.markRead(tx, runId, clock.now().toISOString());
    if (isFirst) tx.signal(proposalTopic(runId));
    return isFirst;
  });

/** Whether `settle` has something to store before an agent reads the proposal. */
export const needsSettling = (
  run: Pick<ProposalRow, "status" | "decision" | "decidedAt" | "expiresAt" | "firstReadAt">,
  now: Date,
): boolean => run.status === "approved" && (run.firstReadAt === null || stateAt(run, now) !== run);

/** The time of this request, and how far it can be believed. */
export const momentOf = ({ clock, time }: Pick<Deps, "clock" | "time">): Moment => ({
  now: clock.now(),
  doubtful: time.isDoubtful(),
  behindMs: time.behindMs(),
});
