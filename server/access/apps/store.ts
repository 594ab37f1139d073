import type { AppChange } from "../../../src/contract/apps.ts";
import type { AppKey } from "../../../src/contract/credentials.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/access.ts";
import type { Added, Row } from "../../database/schema/table.ts";
import { listed, select, update } from "../../database/transaction.ts";
import { members } from "../members/store.ts";
import { oneForViewer, type Seen, type Viewer, visibleTo } from "../members/visibility.ts";

/** Returns the app. Throws `not_found` for non-members, and `forbidden` if the role does not suffice. */
export async function ownedApp(reader: Reader, id: string, viewer: Viewer): Promise<Seen<AppRow>> {
  const app = await apps.find(reader, id, viewer);
  if (!app) throw new ApiError("not_found");
  return app;
}

const fields = [
  ...["id", "name", "feedbackEnabled", "changelogEnabled", "senderPages", "chatWebhookUrl", "chatFormat"],
  ...["githubRepository", "approvalHours", "retentionDays", "createdAt"],
] as const;

/** A row of `apps`. Booleans are 0 or 1. */
export type AppRow = Pick<Row<typeof tables.apps>, (typeof fields)[number]>;

const columns = listed(tables.apps, fields, "a");

const appOf = oneForViewer<AppRow>({ columns, from: "FROM apps a", app: "a.id", where: "a.id = ?" });

const updateApp = update(tables.apps, "WHERE id = ?");

export const apps = {
  list: (reader: Reader, viewer: Viewer) => {
    const seen = visibleTo(viewer);
    return reader.all<Seen<AppRow>>(
      `SELECT ${columns}, v.role AS "viewerRole" FROM app_members v JOIN apps a ON a.id = v.app_id
       WHERE ${seen.sql} ORDER BY a.created_at, a.id`,
      ...seen.values,
    );
  },

  find: (reader: Reader, id: string, viewer: Viewer) => appOf(reader, viewer, id),

  /** Locks an app. Lock the app before its rows, as a deletion does. Otherwise, a deadlock is possible. */
  async lock(tx: Transaction, id: string): Promise<void> {
    if (tx.engine === "postgres")
      await tx.run("SELECT 1 AS one FROM apps WHERE id = ? FOR NO KEY UPDATE", id);
  },

  /**
   * Returns the account whose upload budget the app uses. A creator who leaves is replaced by the earliest
   * owner.
   */
  findOwner: (reader: Reader, id: string) =>
    reader.get<{ ownerId: string }>(`SELECT owner_id AS "ownerId" FROM apps WHERE id = ?`, id),

  /** For the development server: returns the oldest app, or the oldest app with the id or name `named`. */
  oldest: (reader: Reader, named: string | undefined) =>
    reader.get<{ id: string; ownerId: string }>(
      `SELECT id, owner_id AS "ownerId" FROM apps
       ${named === undefined ? "" : "WHERE id = ? OR lower(name) = lower(?)"} ORDER BY created_at, id LIMIT 1`,
      ...(named === undefined ? [] : [named, named]),
    ),

  /** Whether the database contains at least one app. */
  exist: async (reader: Reader): Promise<boolean> =>
    (await reader.get("SELECT 1 AS one FROM apps LIMIT 1")) !== undefined,

  /** Adds an app with its first owner. */
  async insert(tx: Transaction, ownerId: string, app: AppRow): Promise<void> {
    await tx.insert(tables.apps, { ...app, ownerId });
    await members.insert(tx, { appId: app.id, userId: ownerId, role: "owner", createdAt: app.createdAt });
  },

  /** Sets the given fields, and stores who changed them and when. */
  async update(
    tx: Transaction,
    id: string,
    { by, at, ...change }: AppChange & { readonly by: string; readonly at: string },
  ): Promise<void> {
    if (Object.values(change).every((value) => value === undefined)) return;
    const switches = {
      feedbackEnabled: asSwitch(change.feedbackEnabled),
      changelogEnabled: asSwitch(change.changelogEnabled),
      senderPages: asSwitch(change.senderPages),
    };
    await updateApp(tx, { ...change, ...switches, updatedBy: by, updatedAt: at }, id);
  },

  /** Deletes an app and all its data. The owners can still read its audit entries. */
  async remove(tx: Transaction, id: string): Promise<void> {
    await tx.run(
      `INSERT INTO former_apps (user_id, app_id) SELECT user_id, app_id FROM app_members
       WHERE app_id = ? AND role = 'owner'`,
      id,
    );
    await tx.run("DELETE FROM apps WHERE id = ?", id);
  },
};

const asSwitch = (on: boolean | undefined): number | undefined => (on === undefined ? undefined : Number(on));

type NewApiKeyRow = Added<typeof tables.appKeys>;

const keyFields = ["id", "label", "kind", "prefix", "createdAt", "lastUsedAt"] as const;

const keyColumns = listed(tables.appKeys, keyFields);

const keysOf = select(tables.appKeys, keyFields, "WHERE app_id = ? ORDER BY created_at, id");

export const apiKeys = {
  list: (reader: Reader, appId: string): Promise<AppKey[]> => reader.all(keysOf, appId),

  insert: (tx: Transaction, key: NewApiKeyRow) => tx.insert(tables.appKeys, key),

  /** Replaces the secret of a key. Returns undefined if the app has no such key. */
  renew: (
    tx: Transaction,
    { appId, id }: { readonly appId: string; readonly id: string },
    fresh: Pick<NewApiKeyRow, "prefix" | "keyHash" | "createdAt">,
  ) =>
    tx.get<AppKey>(
      `UPDATE app_keys SET prefix = ?, key_hash = ?, created_at = ?, last_used_at = NULL
       WHERE app_id = ? AND id = ? RETURNING ${keyColumns}`,
      fresh.prefix,
      fresh.keyHash,
      fresh.createdAt,
      appId,
      id,
    ),

  /** Revokes a key. Returns undefined if the app has no such key. */
  remove: (tx: Transaction, appId: string, id: string) =>
    tx.get<{ label: string }>("DELETE FROM app_keys WHERE app_id = ? AND id = ? RETURNING label", appId, id),
};
