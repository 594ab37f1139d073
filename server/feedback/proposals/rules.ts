import type { RunDecision, RunStatus } from "../../../src/contract/runs.ts";

/** The state of a proposal. */
export interface RunState {
  readonly status: RunStatus;
  readonly decision: RunDecision | null;
  readonly decidedAt: string | null;
  /** When the approval expires. Null if it does not: it has no lifetime, or a worker has claimed it. */
  readonly expiresAt: string | null;
}

/** The time of a request, and whether the clock is in doubt. */
export interface Moment {
  readonly now: Date;
  readonly doubtful: boolean;
  /** By how many milliseconds a clock in doubt may be behind. */
  readonly behindMs: number;
}

/**
 * Returns whether an approval has expired at that moment. `unknown` means that the clock is in doubt and the answer
 * depends on it. (rules A23, D12)
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
 * Returns the proposal in its state at that time. An expired approval is `rejected`, even if that is not stored yet.
 * (rule A23)
 */
export function stateAt<State extends RunState>(run: State, now: Date): State {
  if (expiryOf(run, { now, doubtful: false, behindMs: 0 }) === "good") return run;
  return { ...run, status: "rejected", decision: "expired", decidedAt: run.expiresAt };
}

const hourMilliseconds = 3_600_000;

/**
 * Returns when an approval expires that begins at `from`: with the decision, or with the release of a claim. Null if
 * the app sets no lifetime.
 */
export const expiresAfter = (from: Date, hours: number | null): string | null =>
  hours === null ? null : new Date(from.getTime() + hours * hourMilliseconds).toISOString();

/** Returns the status after a decision of a person. Each decision but an approval gives `rejected`. (rule A16) */
export const statusOf = (decision: RunDecision): "approved" | "rejected" =>
  decision === "approve" ? "approved" : "rejected";

/** The held claim on a proposal, and how a caller may use it. */
export interface HeldClaim {
  /** Whether the caller made it, with the same worker name and token. */
  readonly own: boolean;
  readonly finished: boolean;
  readonly mayResume: boolean;
}

export interface ClaimFacts {
  readonly run: Pick<RunState, "status" | "expiresAt">;
  readonly held: HeldClaim | undefined;
  readonly resume: boolean;
  /** A newer proposal of the thread that is or was approved. */
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

/** Decides whether a worker may claim a proposal. (rules A18 to A21) */
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
 * How long a worker must report nothing before another token of its account may resume its claim, if its own token
 * still works.
 */
const silentMilliseconds = 15 * 60_000;

/**
 * Decides whether a caller may resume a held claim. A clock in doubt does not prove that the worker was silent. (rule
 * A32)
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
    /** Whether the token that made the claim was revoked or has expired. */
    readonly tokenEnded: boolean;
    /** The last report of its worker, or the time of the claim. */
    readonly heardAt: string;
  },
  { now, doubtful }: Pick<Moment, "now" | "doubtful">,
): boolean {
  if (!ofAccount) return false;
  if (ofToken || tokenEnded) return true;
  return !doubtful && now.getTime() - Date.parse(heardAt) >= silentMilliseconds;
}

/** Returns why a person may not recall an approval; undefined if it is possible. (rule A22) */
export function recallRefusal(
  run: Pick<RunState, "status" | "expiresAt">,
  { held, moment }: { readonly held: boolean; readonly moment: Moment },
): "wrong_state" | "run_claimed" | undefined {
  if (run.status !== "approved" || expiryOf(run, moment) === "over") return "wrong_state";
  return held ? "run_claimed" : undefined;
}

/** Returns why a claim has ended; undefined if it is held. (rule A24) */
export function endOfClaim({
  releasedAt,
  resumedAs,
}: {
  readonly releasedAt: string | null;
  /** The claim that replaced this one. */
  readonly resumedAs: string | null;
}): "claim_released" | "claim_resumed" | undefined {
  if (releasedAt === null) return undefined;
  return resumedAs === null ? "claim_released" : "claim_resumed";
}

/** The text of the internal note for an outcome. */
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

/** The text of the internal note for a proposal. */
export const proposalNote = ({
  summary,
  plan,
}: {
  readonly summary: string;
  readonly plan: string;
}): string => `An agent proposes:\n\n${summary}\n\nPlan:\n\n${plan}`;

/**
 * Returns the present time, but always later than `earlier`: clocks can be set back, and the clocks of two servers
 * differ.
 */
export const later = (now: Date, earlier: string | null): Date =>
  earlier === null ? now : new Date(Math.max(now.getTime(), Date.parse(earlier) + 1));

interface Compared {
  readonly id: string;
  readonly decision: RunDecision | null;
}

/**
 * Returns the earlier proposal with which the page compares this one; undefined if there is none. It is the proposal
 * that the person has just read (`readId`). Otherwise it is the last one for which changes were requested, or which was
 * recalled or expired. Otherwise it is the one that this proposal replaced. `proposals` are those of the thread, oldest
 * first. (rule A50)
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
