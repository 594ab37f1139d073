import type { AuditActionName, AuditChange } from "../../../src/contract/audit.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { AgentCaller, ConsoleCaller } from "../../http/handler.ts";
import { audit } from "./store.ts";

/** The person or program that does an action. */
export interface Author {
  readonly caller:
    | Pick<ConsoleCaller, "kind" | "id" | "userId" | "email">
    | Pick<AgentCaller, "kind" | "id" | "userId">;
  /** The network address of the person or program. */
  readonly address: string;
}

/**
 * Creates a function that writes an audit entry, unless `changes` is empty. Call the function in the change's
 * transaction. (rule O4)
 */
export const createAuditWriter =
  ({ newId, clock }: Pick<Deps, "newId" | "clock">) =>
  async (
    tx: Transaction,
    { caller, address }: Author,
    {
      action,
      appId = null,
      target,
      label,
      changes,
    }: {
      readonly action: AuditActionName;
      readonly appId?: string | null;
      /** The id of the object that the action is about. */
      readonly target?: string;
      /** The name of the target at the time of the action, such as the label of a key. */
      readonly label?: string;
      /** Only for an update: the fields that have a new value. */
      readonly changes?: readonly AuditChange[] | undefined;
    },
  ): Promise<void> => {
    if (changes?.length === 0) return;
    await audit.insert(tx, {
      id: newId(),
      at: clock.now().toISOString(),
      ownerId: caller.userId,
      actor: actorOf(caller),
      action,
      appId,
      target: target ?? null,
      address,
      label: label ?? null,
      changes: changes ? [...changes] : [],
    });
  };

function actorOf(caller: Author["caller"]): string {
  if (caller.kind === "agentToken") return `agent, token ${caller.id}`;
  return caller.kind === "session" ? caller.email : `${caller.email}, token ${caller.id}`;
}
