import type { RunDecision, RunStatus } from "../../../src/contract/runs.ts";

/** The state of a proposal. */
export interface RunState {
  readonly status: RunStatus;
  readonly decision: RunDecision | null;
  readonly decidedAt: string | null;
  /**
   * When the approval expires. Null if it does not expire, because the app sets no limit or a worker has claimed the
   * proposal.
   */
  readonly expiresAt: string | null;
}

/** The time of a request, and whether the server's clock may be wrong. */
export interface Moment {
  readonly now: Date;
  readonly doubtful: boolean;
  /** How many milliseconds the clock may be behind the true time, if it may be wrong. */
  readonly behindMs: number;
}

/**
 * Returns whether an approval is still valid (`good`) or has expired (`over`). `unknown` means that the clock may be
 * wrong and the answer depends on it. (rules A23, D12)
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

/**
 * Returns the proposal in the state that it has at the time `now`. An expired approval is `rejected`, even if the
 * database does not say so yet. (rule A23)
 */
export function stateAt<State extends RunState>(run: State, now: Date): State {
  if (expiryOf(run, { now, doubtful: false, behindMs: 0 }) === "good") return run;
  return { ...run, status: "rejected", decision: "expired", decidedAt: run.expiresAt };
}

const hourMilliseconds = 3_600_000;

/**
 * Returns when an approval expires. `from` is the time of the decision, or of the release of a claim. Returns null if
 * the app sets no limit.
 */
export const expiresAfter = (from: Date, hours: number | null): string | null =>
  hours === null ? null : new Date(from.getTime() + hours * hourMilliseconds).toISOString();

/** Returns the status after a person's decision. Every decision except `approve` results in `rejected`. (rule A16) */
export const statusOf = (decision: RunDecision): "approved" | "rejected" =>
  decision === "approve" ? "approved" : "rejected";

/** Returns why a person may not recall an approval; undefined if the person may. (rule A22) */
export function recallRefusal(
  run: Pick<RunState, "status" | "expiresAt">,
  { held, moment }: { readonly held: boolean; readonly moment: Moment },
): "wrong_state" | "run_claimed" | undefined {
  if (run.status !== "approved" || expiryOf(run, moment) === "over") return "wrong_state";
  return held ? "run_claimed" : undefined;
}

/** Returns the text of the internal note about a proposal. (rule A7) */
export const proposalNote = ({
  summary,
  plan,
}: {
  readonly summary: string;
  readonly plan: string;
}): string => `An agent proposes:\n\n${summary}\n\nPlan:\n\n${plan}`;

/**
 * Returns the current time, or a time just after `earlier` if that is later. This is necessary because clocks can be
 * set back, and the clocks of two servers can differ.
 */
export const later = (now: Date, earlier: string | null): Date =>
  earlier === null ? now : new Date(Math.max(now.getTime(), Date.parse(earlier) + 1));

interface Compared {
  readonly id: string;
  readonly decision: RunDecision | null;
}

/**
 * Returns the earlier proposal with which the page compares this one; undefined if there is none. `proposals` are all
 * proposals of the thread, oldest first. The first choice is the proposal that the person has just read (`readId`). The
 * second is the last proposal for which changes were requested, or which was recalled or expired. The third is the
 * proposal that this one replaced. (rule A50)
 */
export function comparedProposal<P extends Compared>(
  proposals: readonly P[],
  { id, readId = "" }: { readonly id: string; readonly readId?: string },
): P | undefined {
  const at = proposals.findIndex((proposal) => proposal.id === id);
  const earlier = proposals.slice(0, Math.max(at, 0));
  const read = earlier.find((proposal) => proposal.id === readId);
  if (read) return read;
  const answered = earlier.findLast(({ decision }) => decision !== "replaced");
  if (answered && toBeChanged.has(answered.decision)) return answered;
  const previous = earlier.at(-1);
  return previous?.decision === "replaced" ? previous : undefined;
}

const toBeChanged: ReadonlySet<RunDecision | null> = new Set(["request_changes", "recalled", "expired"]);
