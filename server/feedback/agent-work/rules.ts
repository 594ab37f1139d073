import { expiryOf, type Moment, type RunState } from "../proposals/rules.ts";

/**
 * The claim that a proposal has now. The fields are computed for the caller that tries to claim the proposal.
 */
export interface HeldClaim {
  /** Whether the claim was created with the caller's token and worker name. */
  readonly own: boolean;
  readonly finished: boolean;
  readonly mayResume: boolean;
}

export interface ClaimFacts {
  readonly run: Pick<RunState, "status" | "expiresAt">;
  readonly held: HeldClaim | undefined;
  readonly resume: boolean;
  /**
   * The id of a newer proposal of the thread, if a person approved that proposal. The approval may have ended.
   */
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

/** After this time without a progress report, another token of the account may resume the claim. */
const silentMilliseconds = 15 * 60_000;

/**
 * Whether a caller may resume an unreleased claim. If `doubtful` is true, the time since the worker's last
 * report is ignored. (rule A32)
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
    /** Whether the token of the claim was revoked or has expired. */
    readonly tokenEnded: boolean;
    /** The time of the worker's last report. If there is no report, the time of the claim. */
    readonly heardAt: string;
  },
  { now, doubtful }: Pick<Moment, "now" | "doubtful">,
): boolean {
  if (!ofAccount) return false;
  if (ofToken || tokenEnded) return true;
  return !doubtful && now.getTime() - Date.parse(heardAt) >= silentMilliseconds;
}

/** Returns why a claim has ended; undefined if it has not ended. (rules A21, A32) */
export function endOfClaim({
  releasedAt,
  resumedAs,
}: {
  readonly releasedAt: string | null;
  /** The id of the claim that replaced this claim; null if no claim replaced it. */
  readonly resumedAs: string | null;
}): "claim_released" | "claim_resumed" | undefined {
  if (releasedAt === null) return undefined;
  return resumedAs === null ? "claim_released" : "claim_resumed";
}

/** Returns the text of the internal note about the outcome, for the team. (rule A25) */
export const outcomeNote = ({
  status,
  summary,
  links,
}: {
  readonly status: string;
  readonly summary: string;
  readonly links: readonly string[];
}): string =>
  [`${outcomeNoteStart} ${status}`, summary, ...(links.length > 0 ? [links.join("\n")] : [])].join("\n\n");

const outcomeNoteStart = "An agent reports:";

/** Whether a note of an agent contains an outcome. `body` may be only the beginning of the note. */
export const isOutcomeNote = (body: string): boolean => body.startsWith(outcomeNoteStart);
