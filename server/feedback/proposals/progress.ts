import type { RunLife } from "../../../src/contract/runs.ts";
import type { Reader } from "../../database/database.ts";
import { outcomeOf } from "./answer.ts";
import { stateAt } from "./rules.ts";
import {
  type LifeClaimRow,
  type LifeProgressRow,
  type LifeRow,
  type NewestRunRow,
  runLives,
} from "./store.ts";

/** The decision on a proposal and the work that followed, as the console shows them. */
export interface ShownLife extends LifeRow {
  /** The claim that is not released comes first. The released ones follow, newest first. */
  readonly claims: readonly ShownClaim[];
}

export interface ShownClaim
  extends Pick<
    LifeClaimRow,
    "worker" | "tokenLabel" | "claimedAt" | "releasedAt" | "releasedBy" | "resumedAs" | "progressCount"
  > {
  /** The newest progress reports, newest first. `progressCount` counts all progress reports. */
  readonly progress: readonly LifeProgressRow[];
  readonly outcome: RunLife["outcome"];
}

const mostClaims = 100;
const mostProgress = 300;

/** Returns the decision on each proposal of a thread, and the work that followed, by the id of the proposal. */
export async function livesOfThread(
  reader: Reader,
  threadId: string,
): Promise<ReadonlyMap<string, ShownLife>> {
  const lives = await runLives.list(reader, threadId);
  const claims = await runLives.claims(reader, threadId, mostClaims);
  const progress = claims.length === 0 ? [] : await runLives.progress(reader, threadId, mostProgress);
  return new Map(
    lives.map((life) => [
      life.runId,
      {
        ...life,
        claims: claims
          .filter(({ runId }) => runId === life.runId)
          .map((claim) =>
            shown(
              claim,
              progress.filter(({ claimId }) => claimId === claim.id),
            ),
          ),
      },
    ]),
  );
}

/** The state of the newest proposal of a thread, for a list. */
export type NewestProposal =
  | "waiting"
  | "approved"
  | "in_work"
  | "succeeded"
  | "failed"
  | "request_changes"
  | "recalled"
  | "expired"
  | "rejected";

/**
 * Returns the state that the newest proposal of each of these threads has at the time `now`, by the id of the thread.
 */
export async function newestProposals(
  reader: Reader,
  threadIds: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, NewestProposal>> {
  const rows = threadIds.length === 0 ? [] : await runLives.newest(reader, threadIds);
  return new Map(rows.map((row) => [row.feedbackId, progressOf(row, now)]));
}

function progressOf(row: NewestRunRow, now: Date): NewestProposal {
  const { status, decision } = stateAt(row, now);
  if (status === "awaiting_approval") return "waiting";
  if (status === "approved") return row.claimId === null ? "approved" : (row.outcomeStatus ?? "in_work");
  return decision === "request_changes" || decision === "recalled" || decision === "expired"
    ? decision
    : "rejected";
}

const shown = (claim: LifeClaimRow, progress: readonly LifeProgressRow[]): ShownClaim => ({
  ...claim,
  progress,
  outcome: outcomeOf(claim),
});
