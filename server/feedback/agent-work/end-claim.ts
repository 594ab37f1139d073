import { runWork } from "../../../src/contract/runs.ts";
import type { Transaction } from "../../database/database.ts";
import { idempotency, scopeOf } from "../../http/idempotency-store.ts";
import { type EndedClaim, type NewOutcome, type Release, runClaims } from "./store/work.ts";

/**
 * Releases a claim, if it is not yet released. Deletes the stored answers to the request that made the claim.
 */
export async function releaseClaim(tx: Transaction, id: string, release: Release): Promise<void> {
  await forgetClaimAnswers(tx, await runClaims.release(tx, id, release));
}

/** Stores the first outcome of a claim. Deletes the stored answers to the request that made the claim. */
export async function finishClaim(tx: Transaction, id: string, outcome: NewOutcome): Promise<void> {
  await forgetClaimAnswers(tx, await runClaims.setOutcome(tx, id, outcome));
}

/**
 * Deletes the stored answers to the request that made the claim. A repeated request must not return the ended
 * claim. (rule A21)
 */
async function forgetClaimAnswers(tx: Transaction, ended: EndedClaim | undefined): Promise<void> {
  if (!ended) return;
  const { method, path } = runWork.claimRun;
  const scope = scopeOf(["agentToken", ended.tokenId], method, path.replace(":runId", ended.runId));
  await idempotency.forget(tx, [scope]);
}
