import type { Reader, Transaction } from "../../engine/database.ts";

/** The worker that makes a claim, and the token that it uses. */
export interface Worker {
  readonly runId: string;
  readonly tokenId: string;
  readonly worker: string;
}

export interface ClaimRow extends Worker {
  readonly id: string;
  readonly claimedAt: string;
  readonly releasedAt: string | null;
  readonly progressCount: number;
  readonly outcomeStatus: string | null;
}

export interface NewProgress {
  readonly id: string;
  readonly claimId: string;
  readonly text: string;
  readonly createdAt: string;
}

export interface NewOutcome {
  readonly status: string;
  readonly summary: string;
  readonly links: readonly string[];
  readonly at: string;
}

const columns = `id, run_id AS "runId", token_id AS "tokenId", worker, claimed_at AS "claimedAt",
  released_at AS "releasedAt", progress_count AS "progressCount", outcome_status AS "outcomeStatus"`;

/** The claims of workers on approved proposals. At most one of a proposal is not released. */
export const runClaims = {
  /** The claim that this worker made with this token, released or not. */
  ofWorker: (reader: Reader, { runId, tokenId, worker }: Worker) =>
    reader.get<ClaimRow>(
      `SELECT ${columns} FROM run_claims WHERE run_id = ? AND token_id = ? AND worker = ?`,
      runId,
      tokenId,
      worker,
    ),

  /** The claim with this id that was made with this token. */
  find: (reader: Reader, { id, runId, tokenId }: Pick<ClaimRow, "id" | "runId" | "tokenId">) =>
    reader.get<ClaimRow>(
      `SELECT ${columns} FROM run_claims WHERE id = ? AND run_id = ? AND token_id = ?`,
      id,
      runId,
      tokenId,
    ),

  insert: (tx: Transaction, claim: Worker & Pick<ClaimRow, "id" | "claimedAt">) =>
    tx.insert("run_claims", {
      id: claim.id,
      run_id: claim.runId,
      token_id: claim.tokenId,
      worker: claim.worker,
      claimed_at: claim.claimedAt,
    }),

  release: (tx: Transaction, id: string, { at, by }: { readonly at: string; readonly by: string }) =>
    tx.run(
      "UPDATE run_claims SET released_at = ?, released_by = ? WHERE id = ? AND released_at IS NULL",
      at,
      by,
      id,
    ),

  /** Adds a step of progress and keeps it as the newest one. */
  async addProgress(tx: Transaction, { id, claimId, text, createdAt }: NewProgress): Promise<void> {
    await tx.insert("run_progress", { id, claim_id: claimId, text, created_at: createdAt });
    await tx.run(
      "UPDATE run_claims SET progress_count = progress_count + 1, progress_text = ?, progress_at = ? WHERE id = ?",
      text,
      createdAt,
      claimId,
    );
  },

  setOutcome: (tx: Transaction, id: string, { status, summary, links, at }: NewOutcome) =>
    tx.run(
      `UPDATE run_claims SET outcome_status = ?, outcome_summary = ?, outcome_links = ?, outcome_at = ?
       WHERE id = ? AND outcome_status IS NULL`,
      status,
      summary,
      JSON.stringify(links),
      at,
      id,
    ),
};
