import type { Reader, Transaction } from "../../database/database.ts";
import { type Recording, recordServerStep } from "./server-step.ts";
import { type OwnedProposal, proposals } from "./store.ts";

/** Approvals whose time is over. */
export const expiredApprovals = {
  /** Some that are not stored as expired yet, of all apps. */
  list: (reader: Reader, now: Date, most: number) =>
    reader.all<{ id: string }>(
      "SELECT id FROM runs WHERE status = 'approved' AND expires_at <= ? ORDER BY expires_at LIMIT ?",
      now.toISOString(),
      most,
    ),

  /**
   * Stores that an approval is over, with its entry in the audit and its event, if it is over at `now` and nobody has
   * claimed it. Gives whether it is. (rule A23)
   */
  async store(
    tx: Transaction,
    run: Pick<OwnedProposal, "id" | "appId" | "feedbackId" | "accountId">,
    { now, newId }: Recording,
  ): Promise<boolean> {
    if (!(await proposals.expire(tx, run.id, now.toISOString()))) return false;
    await recordServerStep(tx, run, { action: "run.expire", decision: "expired", now, newId });
    return true;
  },
};
