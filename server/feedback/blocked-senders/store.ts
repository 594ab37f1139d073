import { oneForViewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { blockedDomainOf, senderKeysOf } from "./rules.ts";

export type BlockKind = "address" | "domain";

export interface BlockedSenderRow {
  readonly id: string;
  readonly kind: BlockKind;
  readonly sender: string;
  readonly blockedBy: string | null;
  readonly createdAt: string;
}

export interface NewBlock {
  readonly id: string;
  readonly appId: string;
  readonly kind: BlockKind;
  readonly sender: string;
  readonly by: string;
  readonly createdAt: string;
}

const columns = `b.id, b.kind, b.sender, b.created_at AS "createdAt",
  (SELECT email FROM users WHERE id = b.created_by) AS "blockedBy"`;

/** The senders whose feedback an app does not show. (rule F34) */
export const blockedSenders = {
  /** What a person typed, as it is stored; undefined for a domain that is none. */
  spellingOf: (kind: BlockKind, given: string): string | undefined =>
    kind === "address" ? senderKeysOf(given).address : blockedDomainOf(given),

  list: (reader: Reader, appId: string) =>
    reader.all<BlockedSenderRow>(
      `SELECT ${columns} FROM blocked_senders b WHERE b.app_id = ? ORDER BY b.created_at DESC, b.id DESC`,
      appId,
    ),

  find: oneForViewer<BlockedSenderRow & { readonly appId: string }>({
    columns: `${columns}, b.app_id AS "appId"`,
    from: "FROM blocked_senders b",
    app: "b.app_id",
    where: "b.id = ?",
  }),

  /** Gives false if it is blocked already. */
  insert: async (tx: Transaction, { id, appId, kind, sender, by, createdAt }: NewBlock): Promise<boolean> =>
    (await tx.run(
      `INSERT INTO blocked_senders (id, app_id, kind, sender, created_by, created_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (app_id, sender, kind) DO NOTHING`,
      ...[id, appId, kind, sender, by, createdAt],
    )) > 0,

  remove: (tx: Transaction, id: string) => tx.run("DELETE FROM blocked_senders WHERE id = ?", id),

  /** The block that one of these contacts meets; undefined for none. */
  async blocking(reader: Reader, appId: string, contacts: readonly (string | null | undefined)[]) {
    const keys = contacts.flatMap((contact) => (contact ? [senderKeysOf(contact)] : []));
    if (keys.length === 0) return undefined;
    const addresses = keys.map(({ address }) => address);
    const domains = keys.flatMap((key) => key.domains);
    const marks = (values: readonly string[]) => values.map(() => "?").join(", ");
    const byDomain = domains.length === 0 ? "" : `OR (kind = 'domain' AND sender IN (${marks(domains)}))`;
    const row = await reader.get<{ id: string }>(
      `SELECT id FROM blocked_senders WHERE app_id = ?
         AND ((kind = 'address' AND sender IN (${marks(addresses)})) ${byDomain}) LIMIT 1`,
      ...[appId, ...addresses, ...domains],
    );
    return row?.id;
  },
};
