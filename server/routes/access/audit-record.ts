import type { Deps } from "../../deps.ts";
import type { ConsoleCaller } from "../../http/handler.ts";
import { audit } from "../../store/access/audit.ts";
import type { Transaction } from "../../store/engine/database.ts";

/** Who did something, and from which network address. */
export interface Author {
  readonly caller: Pick<ConsoleCaller, "kind" | "id" | "userId" | "email">;
  readonly address: string;
}

export interface AuditAction {
  /** Thing and verb, such as `app.create`. */
  readonly action: string;
  readonly appId?: string | null;
  /** The id of the thing. */
  readonly target?: string;
  /** The label of the token or key that was made or deleted. */
  readonly label?: string;
}

/** Makes what writes the audit: in the transaction of the deed, so that there is no deed without its entry. */
export const createRecord =
  ({ newId, clock }: Pick<Deps, "newId" | "clock">) =>
  (
    tx: Transaction,
    { caller, address }: Author,
    { action, appId = null, target, label }: AuditAction,
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
    });

const actorOf = ({ kind, id, email }: Author["caller"]): string =>
  kind === "session" ? email : `${email}, token ${id}`;
