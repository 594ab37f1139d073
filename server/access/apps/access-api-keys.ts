import type { AppKey } from "../../../src/contract/keys.ts";
import type { Reader, Transaction } from "../../database/database.ts";

export interface NewApiKeyRow {
  readonly id: string;
  readonly appId: string;
  readonly label: string;
  readonly kind: AppKey["kind"];
  readonly prefix: string;
  readonly keyHash: string;
  readonly createdAt: string;
}

/** The columns that change when a key gets a new secret. */
export type FreshKey = Pick<NewApiKeyRow, "prefix" | "keyHash" | "createdAt">;

const columns = `id, label, kind, prefix, created_at AS "createdAt", last_used_at AS "lastUsedAt"`;

/** The keys of apps. */
export const apiKeys = {
  list: (reader: Reader, appId: string) =>
    reader.all<AppKey>(`SELECT ${columns} FROM app_keys WHERE app_id = ? ORDER BY created_at, id`, appId),

  insert: (tx: Transaction, key: NewApiKeyRow) =>
    tx.insert("app_keys", {
      id: key.id,
      app_id: key.appId,
      label: key.label,
      kind: key.kind,
      prefix: key.prefix,
      key_hash: key.keyHash,
      created_at: key.createdAt,
    }),

  /** Gives a key a new secret; undefined if the app has no such key. */
  renew: (tx: Transaction, { appId, id }: { readonly appId: string; readonly id: string }, fresh: FreshKey) =>
    tx.get<AppKey>(
      `UPDATE app_keys SET prefix = ?, key_hash = ?, created_at = ?, last_used_at = NULL
       WHERE app_id = ? AND id = ? RETURNING ${columns}`,
      fresh.prefix,
      fresh.keyHash,
      fresh.createdAt,
      appId,
      id,
    ),

  /** Revokes a key; undefined if the app has no such key. */
  remove: (tx: Transaction, appId: string, id: string) =>
    tx.get<{ label: string }>("DELETE FROM app_keys WHERE app_id = ? AND id = ? RETURNING label", appId, id),
};
