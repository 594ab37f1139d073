import type { AuditActionName, AuditChange } from "../../../src/contract/audit.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { AgentCaller, ConsoleCaller } from "../../http/handler.ts";
import { audit } from "./store.ts";

/** The person or program that did something, and its network address. */
export interface Author {
  readonly caller:
    | Pick<ConsoleCaller, "kind" | "id" | "userId" | "email">
    | Pick<AgentCaller, "kind" | "id" | "userId">;
  readonly address: string;
}

export interface AuditAction {
  readonly action: AuditActionName;
  readonly appId?: string | null;
  /** The id of the object. */
  readonly target?: string;
  /** The label of the token or key that was created or deleted. */
  readonly label?: string;
  /** What it changes. */
  readonly changes?: readonly AuditChange[];
}

/**
 * Makes a function that writes an audit entry in the same transaction as the change: no change can be stored without its
 * entry.
 */
export const createAuditWriter =
  ({ newId, clock }: Pick<Deps, "newId" | "clock">) =>
  (
    tx: Transaction,
    { caller, address }: Author,
    { action, appId = null, target, label, changes = [] }: AuditAction,
  ): Promise<void> =>
    audit.insert(tx, {
      id: newId(),
      at: clock.now().toISOString(),
      ownerId: caller.userId,
      actor: actorOf(caller),
      action,
      appId,
      target: target ?? null,
      address,
      label: label ?? null,
      changes: [...changes],
    });

function actorOf(caller: Author["caller"]): string {
  if (caller.kind === "agentToken") return `agent, token ${caller.id}`;
  return caller.kind === "session" ? caller.email : `${caller.email}, token ${caller.id}`;
}
