import { runWork } from "../../../src/contract/runs.ts";
import type { Transaction } from "../../database/database.ts";
import { idempotency, scopeOf } from "../../http/idempotency-store.ts";
import { type EndedClaim, type NewOutcome, type Release, runClaims } from "./store/claims.ts";

/** Releases a claim, unless it was released before. */
export async function releaseClaim(tx: Transaction, id: string, release: Release): Promise<void> {
  await forgetClaimAnswers(tx, await runClaims.release(tx, id, release));
}

/** Stores the outcome of the work on a claim, unless the claim has one already. */
export async function finishClaim(tx: Transaction, id: string, outcome: NewOutcome): Promise<void> {
  await forgetClaimAnswers(tx, await runClaims.setOutcome(tx, id, outcome));
}

/** Deletes the stored answers for repeats of the claim. They still say that the worker has the proposal. */
async function forgetClaimAnswers(tx: Transaction, ended: EndedClaim | undefined): Promise<void> {
  if (!ended) return;
  const { method, path } = runWork.claimRun;
  const scope = scopeOf(["agentToken", ended.tokenId], method, path.replace(":runId", ended.runId));
  await idempotency.forget(tx, [scope]);
}
