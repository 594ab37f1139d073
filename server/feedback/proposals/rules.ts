import type { RunDecision, RunStatus } from "../../../src/contract/runs.ts";

export interface RunState {
  readonly status: RunStatus;
  readonly decision: RunDecision | null;
  readonly decidedAt: string | null;
  /** The time at which the approval expires; null without a limit, or after a claim. */
  readonly expiresAt: string | null;
}

/** The time of a request, and whether the server's clock may be wrong. */
export interface Moment {
  readonly now: Date;
  readonly doubtful: boolean;
  /** The maximum number of milliseconds by which `now` is behind the true time, if `doubtful` is true. */
  readonly behindMs: number;
}

/**
 * Returns `over` if an approval has expired, `unknown` if the server cannot know because of its clock, or else
 * `good`. (rules A23, D12)
 */
export function expiryOf(
  { status, expiresAt }: Pick<RunState, "status" | "expiresAt">,
  { now, doubtful, behindMs }: Moment,
): "good" | "over" | "unknown" {
  if (status !== "approved" || expiresAt === null) return "good";
  const left = Date.parse(expiresAt) - now.getTime();
  if (!doubtful) return left > 0 ? "good" : "over";
  return left > behindMs ? "good" : "unknown";
}

/** Returns the state at `now`: an expired approval is `rejected`, even if this is not stored yet. (rule A23) */
export function stateAt<State extends RunState>(run: State, now: Date): State {
  if (expiryOf(run, { now, doubtful: false, behindMs: 0 }) === "good") return run;
  return { ...run, status: "rejected", decision: "expired", decidedAt: run.expiresAt };
}

const hourMilliseconds = 3_600_000;

/**
 * Returns when an approval expires, or null. `from` is when the approval was given or a claim was released.
 */
export const expiresAfter = (from: Date, hours: number | null): string | null =>
  hours === null ? null : new Date(from.getTime() + hours * hourMilliseconds).toISOString();

/** Returns the status after a person's decision. Every decision except `approve` results in `rejected`. (rule A16) */
export const statusOf = (decision: RunDecision): "approved" | "rejected" =>
  decision === "approve" ? "approved" : "rejected";

/** Returns why an approval cannot be recalled; undefined if it can be recalled. (rule A22) */
export function recallRefusal(
  run: Pick<RunState, "status" | "expiresAt">,
  { held, moment }: { readonly held: boolean; readonly moment: Moment },
): "wrong_state" | "run_claimed" | undefined {
  if (run.status !== "approved" || expiryOf(run, moment) === "over") return "wrong_state";
  return held ? "run_claimed" : undefined;
}

/** Returns the text of the internal note that shows a proposal in its thread. (rule A7) */
export const proposalNote = ({
  summary,
  plan,
}: {
  readonly summary: string;
  readonly plan: string;
}): string => `${proposalNoteStart}\n\n${summary}\n\nPlan:\n\n${plan}`;

const proposalNoteStart = "An agent proposes:";

/** Whether a note of an agent shows a proposal. `body` may be only the beginning of the note. */
export const isProposalNote = (body: string): boolean => body.startsWith(proposalNoteStart);

/** Returns `now`, but at least 1 ms after `earlier`. Clocks can differ or be set back. */
export const later = (now: Date, earlier: string | null): Date =>
  earlier === null ? now : new Date(Math.max(now.getTime(), Date.parse(earlier) + 1));

interface Compared {
  readonly id: string;
  readonly decision: RunDecision | null;
}

/**
 * Returns the earlier proposal with which `id` is compared; undefined if there is none. `proposals` are sorted,
 * oldest first. (rule A50)
 */
export function comparedProposal<P extends Compared>(
  proposals: readonly P[],
  { id, readId = "" }: { readonly id: string; readonly readId?: string },
): P | undefined {
  const at = proposals.findIndex((proposal) => proposal.id === id);
  const earlier = proposals.slice(0, Math.max(at, 0));
  // First choice: the proposal that the person has just read.
  const read = earlier.find((proposal) => proposal.id === readId);
  if (read) return read;
  // Second choice: the last proposal that was not replaced, if it must be changed, was recalled or has expired.
  const answered = earlier.findLast(({ decision }) => decision !== "replaced");
  if (answered && toBeChanged.has(answered.decision)) return answered;
  // Third choice: the previous proposal, if it was replaced.
  const previous = earlier.at(-1);
  return previous?.decision === "replaced" ? previous : undefined;
}

const toBeChanged: ReadonlySet<RunDecision | null> = new Set(["request_changes", "recalled", "expired"]);
