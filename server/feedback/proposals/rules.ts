import type { RunDecision, RunStatus } from "../../../src/contract/runs.ts";

/** The state of a proposal. */
export interface RunState {
  readonly status: RunStatus;
  readonly decision: RunDecision | null;
  readonly decidedAt: string | null;
  /**
   * When the approval expires. Null if it never expires: the app sets no limit, or a worker has claimed the proposal.
   */
  readonly expiresAt: string | null;
}

/** The time of a request, and whether the server's clock may be wrong. */
export interface Moment {
  readonly now: Date;
  readonly doubtful: boolean;
  /** By how many milliseconds the clock may be slow, if it may be wrong. */
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

/** The active claim on a proposal, and the rights of the caller. */
export interface HeldClaim {
  /** Whether the caller created this claim with the same worker name and token. */
  readonly own: boolean;
  readonly finished: boolean;
  readonly mayResume: boolean;
}

export interface ClaimFacts {
  readonly run: Pick<RunState, "status" | "expiresAt">;
  readonly held: HeldClaim | undefined;
  readonly resume: boolean;
  /** The id of a newer proposal of the thread that is or was approved. */
  readonly newerApproval: string | undefined;
}

export type ClaimVerdict =
  | "new"
  | "same"
  | "resumed"
  | "time_in_doubt"
  | "wrong_state"
  | "run_claimed"
  | "run_superseded";

/** Decides whether a worker may claim a proposal. (rules A18, A20) */
export function claimVerdict({ run, held, resume, newerApproval }: ClaimFacts, moment: Moment): ClaimVerdict {
  if (held) return heldVerdict(held, resume);
  const expiry = expiryOf(run, moment);
  if (run.status !== "approved" || expiry === "over") return "wrong_state";
  if (expiry === "unknown") return "time_in_doubt";
  return newerApproval === undefined ? "new" : "run_superseded";
}

function heldVerdict({ own, finished, mayResume }: HeldClaim, resume: boolean): ClaimVerdict {
  if (resume && mayResume) return finished ? "same" : "resumed";
  return own ? "same" : "run_claimed";
}

/**
 * How long a worker must be silent before another token of the same account may resume its claim. If the worker's token
 * was revoked or has expired, there is no wait.
 */
const silentMilliseconds = 15 * 60_000;

/**
 * Whether a caller may resume a claim that is not released. If the clock may be wrong, it is not certain that the
 * worker was silent. (rule A32)
 */
export function mayResume(
  {
    ofAccount,
    ofToken,
    tokenEnded,
    heardAt,
  }: {
    readonly ofAccount: boolean;
    readonly ofToken: boolean;
    /** Whether the token with which the claim was created was revoked or has expired. */
    readonly tokenEnded: boolean;
    /** The time of the worker's last report; without a report, the time of the claim. */
    readonly heardAt: string;
  },
  { now, doubtful }: Pick<Moment, "now" | "doubtful">,
): boolean {
  if (!ofAccount) return false;
  if (ofToken || tokenEnded) return true;
  return !doubtful && now.getTime() - Date.parse(heardAt) >= silentMilliseconds;
}

/** Returns why a person may not recall an approval; undefined if the person may. (rule A22) */
export function recallRefusal(
  run: Pick<RunState, "status" | "expiresAt">,
  { held, moment }: { readonly held: boolean; readonly moment: Moment },
): "wrong_state" | "run_claimed" | undefined {
  if (run.status !== "approved" || expiryOf(run, moment) === "over") return "wrong_state";
  return held ? "run_claimed" : undefined;
}

/** Returns why a claim has ended; undefined if it has not ended. (rules A21, A32) */
export function endOfClaim({
  releasedAt,
  resumedAs,
}: {
  readonly releasedAt: string | null;
  /** The id of the claim that replaced this one. */
  readonly resumedAs: string | null;
}): "claim_released" | "claim_resumed" | undefined {
  if (releasedAt === null) return undefined;
  return resumedAs === null ? "claim_released" : "claim_resumed";
}

/** Returns the text of the internal note about an outcome. (rule A25) */
export const outcomeNote = ({
  status,
  summary,
  links,
}: {
  readonly status: string;
  readonly summary: string;
  readonly links: readonly string[];
}): string =>
  [`An agent reports: ${status}`, summary, ...(links.length > 0 ? [links.join("\n")] : [])].join("\n\n");

/** Returns the text of the internal note about a proposal. (rule A7) */
export const proposalNote = ({
  summary,
  plan,
}: {
  readonly summary: string;
  readonly plan: string;
}): string => `An agent proposes:\n\n${summary}\n\nPlan:\n\n${plan}`;

/**
 * Returns the current time, or a time just after `earlier` if that is later. Clocks can be set back, and the clocks of
 * two servers can differ.
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
