import type { AuditActionName } from "../../../src/contract/audit.ts";
import type { RunDecision } from "../../../src/contract/runs.ts";
import { audit } from "../../access/audit/store.ts";
import type { Transaction } from "../../database/database.ts";
import { proposalTopic } from "../../database/signals.ts";
import { noteActivity } from "../unread/store/activity.ts";
import { events } from "./events.ts";
import type { OwnedProposal } from "./store.ts";

/** The time, and ids for what is recorded. */
export interface Recording {
  readonly now: Date;
  readonly newId: () => string;
}

/**
 * Records what the server itself did with a proposal, as the step of a person or an agent is recorded: in the audit, on its
 * thread, and as an event if the proposal has ended. (rules A26, A27)
 */
export async function recordServerStep(
  tx: Transaction,
  run: Pick<OwnedProposal, "id" | "appId" | "feedbackId" | "accountId">,
  step: { readonly action: AuditActionName; readonly decision?: RunDecision } & Recording,
): Promise<void> {
  const { action, decision, newId } = step;
  const at = step.now.toISOString();
  await noteActivity(tx, run.feedbackId, { at, ofProposal: true });
  const { accountId: ownerId, appId, feedbackId, id: target } = run;
  const entry = { id: newId(), at, ownerId, actor: "server", action, appId, target };
  await audit.insert(tx, { ...entry, address: null });
  tx.signal(proposalTopic(target));
  if (decision === undefined) return;
  await events.insert(tx, {
    ...{ id: newId(), appId, type: "run.decided", subjectId: target },
    ...{ facts: { feedbackId, decision }, createdAt: at },
  });
}
