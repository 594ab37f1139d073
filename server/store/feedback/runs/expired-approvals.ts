import { audit } from "../../access/audit.ts";
import type { Reader, Transaction } from "../../engine/database.ts";
import { proposalTopic } from "../../engine/topics.ts";
import { events } from "../events.ts";
import { feedbackThreads } from "../feedback.ts";
import { noteActivity } from "../looks/activity.ts";
import { type OwnedProposal, proposals } from "./proposals.ts";

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
    { now, newId }: { readonly now: Date; readonly newId: () => string },
  ): Promise<boolean> {
    const at = now.toISOString();
    if (!(await proposals.expire(tx, run.id, at))) return false;
    await feedbackThreads.setProposalStatus(tx, run.feedbackId);
    await noteActivity(tx, run.feedbackId, { at });
    const { accountId: ownerId, appId, feedbackId, id: target } = run;
    const entry = { id: newId(), at, ownerId, actor: "server", action: "run.expire", appId, target };
    await audit.insert(tx, { ...entry, address: null });
    const facts = { feedbackId, decision: "expired" };
    const event = {
      id: newId(),
      appId,
      type: "run.decided",
      subjectId: target,
      facts,
      createdAt: at,
    } as const;
    await events.insert(tx, event);
    tx.signal(proposalTopic(target));
    return true;
  },
};
