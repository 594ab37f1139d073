import type { Reader, Transaction } from "../../../database/database.ts";
import * as tables from "../../../database/schema/feedback.ts";

/** The worker that makes a claim, and the account and the token that it uses. */
export interface Worker {
  readonly runId: string;
  readonly userId: string;
  readonly tokenId: string;
  readonly worker: string;
}

export interface ClaimRow extends Omit<Worker, "userId"> {
  readonly id: string;
  /** Null for a claim that was imported. */
  readonly userId: string | null;
  readonly claimedAt: string;
  readonly releasedAt: string | null;
  readonly resumedAs: string | null;
  readonly progressCount: number;
  readonly progressAt: string | null;
  readonly outcomeStatus: string | null;
  /** 1 if the token with which the claim was created is still valid. */
  readonly tokenWorks: number;
}

export interface NewProgress {
  readonly id: string;
  readonly claimId: string;
  readonly text: string;
  readonly createdAt: string;
}

/** The proposal of a claim, and the token that made the claim. */
export type EndedClaim = Pick<ClaimRow, "runId" | "tokenId">;

export interface Release {
  readonly at: string;
  /** Who releases the claim. Null if the server itself releases it, or if another claim replaces it. */
  readonly by: string | null;
  /** The id of the claim that replaces the released one. */
  readonly resumedAs?: string;
}

export interface NewOutcome {
  readonly status: string;
  readonly summary: string;
  readonly links: readonly string[];
  readonly at: string;
}

const columns = `c.id, c.run_id AS "runId", c.user_id AS "userId", c.token_id AS "tokenId", c.worker,
  c.claimed_at AS "claimedAt", c.released_at AS "releasedAt", c.resumed_as AS "resumedAs",
  c.progress_count AS "progressCount", c.progress_at AS "progressAt", c.outcome_status AS "outcomeStatus",
  CASE WHEN EXISTS (SELECT 1 FROM tokens t WHERE t.id = c.token_id
    AND (t.expires_at IS NULL OR t.expires_at > ?) AND (t.kind <> 'oauth' OR EXISTS
    (SELECT 1 FROM oauth_tokens o WHERE o.connection_id = t.id AND o.expires_at > ?))) THEN 1 ELSE 0 END AS "tokenWorks"`;

/** The condition for claims that a caller may use. Claims from older versions of the server have no account. */
const ofCaller = "(c.user_id = ? OR c.token_id = ?)";

/** The claims of workers on approved proposals. Each proposal has at most one claim that is not released. */
export const runClaims = {
  /** Returns the claim on this proposal that is not released. */
  held: (reader: Reader, runId: string, now: string) =>
    reader.get<ClaimRow>(
      `SELECT ${columns} FROM run_claims c WHERE c.run_id = ? AND c.released_at IS NULL`,
      ...[now, now, runId],
    ),

  /** Returns the claim with this id, if this account or token made it. */
  find: (
    reader: Reader,
    { id, runId, userId, tokenId }: Pick<Worker, "runId" | "userId" | "tokenId"> & Pick<ClaimRow, "id">,
    now: string,
  ) =>
    reader.get<ClaimRow>(
      `SELECT ${columns} FROM run_claims c WHERE c.id = ? AND c.run_id = ? AND ${ofCaller}`,
      ...[now, now, id, runId, userId, tokenId],
    ),

  insert: (tx: Transaction, claim: Worker & Pick<ClaimRow, "id" | "claimedAt">) =>
    tx.insert(tables.runClaims, claim),

  /** Releases a claim. Returns undefined if it was released before. */
  release: (tx: Transaction, id: string, { at, by, resumedAs }: Release) =>
    tx.get<EndedClaim>(
      `UPDATE run_claims SET released_at = ?, released_by = ?, resumed_as = ? WHERE id = ? AND released_at IS NULL
       RETURNING run_id AS "runId", token_id AS "tokenId"`,
      ...[at, by, resumedAs ?? null, id],
    ),

  /** Adds a progress report and stores it as the newest one. */
  async addProgress(tx: Transaction, { id, claimId, text, createdAt }: NewProgress): Promise<void> {
    await tx.insert(tables.runProgress, { id, claimId, text, createdAt });
    await tx.run(
      "UPDATE run_claims SET progress_count = progress_count + 1, progress_text = ?, progress_at = ? WHERE id = ?",
      text,
      createdAt,
      claimId,
    );
  },

  /** Stores the outcome of the work. Returns undefined if the claim has one already. */
  setOutcome: (tx: Transaction, id: string, { status, summary, links, at }: NewOutcome) =>
    tx.get<EndedClaim>(
      `UPDATE run_claims SET outcome_status = ?, outcome_summary = ?, outcome_links = ?, outcome_at = ?
       WHERE id = ? AND outcome_status IS NULL RETURNING run_id AS "runId", token_id AS "tokenId"`,
      ...[status, summary, JSON.stringify(links), at, id],
    ),
};
