import { runWork } from "../../../../src/contract/run.ts";
import type { Reader, Transaction } from "../../engine/database.ts";
import { idempotency, scopeOf } from "../../requests/idempotency.ts";

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

  /** Ends a claim, and forgets the stored answers that still say that the worker has it. */
  async release(tx: Transaction, id: string, { at, by }: Released): Promise<void> {
    const ended = await tx.get<Pick<ClaimRow, "runId" | "tokenId">>(
      `UPDATE run_claims SET released_at = ?, released_by = ? WHERE id = ? AND released_at IS NULL
       RETURNING run_id AS "runId", token_id AS "tokenId"`,
      ...[at, by, id],
    );
    if (ended) await idempotency.forget(tx, [scopeOfClaim(ended)]);
  },

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

  /** Stores how the work ended, and forgets the stored answers that still say that it goes on. */
  async setOutcome(tx: Transaction, id: string, { status, summary, links, at }: NewOutcome): Promise<void> {
    const ended = await tx.get<Pick<ClaimRow, "runId" | "tokenId">>(
      `UPDATE run_claims SET outcome_status = ?, outcome_summary = ?, outcome_links = ?, outcome_at = ?
       WHERE id = ? AND outcome_status IS NULL RETURNING run_id AS "runId", token_id AS "tokenId"`,
      ...[status, summary, JSON.stringify(links), at, id],
    );
    if (ended) await idempotency.forget(tx, [scopeOfClaim(ended)]);
  },
};

interface Released {
  readonly at: string;
  /** Null if the server itself releases it. */
  readonly by: string | null;
}

const { method, path } = runWork.claimRun;

/** The requests with one token to claim one proposal. */
const scopeOfClaim = ({ runId, tokenId }: Pick<ClaimRow, "runId" | "tokenId">): string =>
  scopeOf(["agentToken", tokenId], method, path.replace(":runId", runId));
