import type { AppChange } from "../../../src/contract/apps.ts";
import type { AppKey } from "../../../src/contract/keys.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { assignments } from "../../database/statements.ts";
import { members } from "../members/store.ts";
import { oneForViewer, type Seen, type Viewer, visibleTo } from "../members/visibility.ts";

/** The stored form of an app. Switches are 0 and 1. */
export interface AppRow {
  readonly id: string;
  readonly name: string;
  readonly feedbackEnabled: number;
  readonly changelogEnabled: number;
  readonly senderPages: number;
  readonly chatWebhookUrl: string | null;
  readonly githubRepository: string | null;
  readonly approvalHours: number | null;
  readonly retentionDays: number | null;
  readonly createdAt: string;
}

const columns = `a.id, a.name, a.feedback_enabled AS "feedbackEnabled", a.changelog_enabled AS "changelogEnabled",
  a.sender_pages AS "senderPages",
  a.chat_webhook_url AS "chatWebhookUrl", a.github_repository AS "githubRepository",
  a.approval_hours AS "approvalHours", a.retention_days AS "retentionDays", a.created_at AS "createdAt"`;

const appOf = oneForViewer<AppRow>({ columns, from: "FROM apps a", app: "a.id", where: "a.id = ?" });

/** The apps, as their members see them. */
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

  /**
   * Waits for others that have locked or change the app, and keeps it from being deleted until the transaction ends. Who
   * changes a row of the app and then the app itself takes this lock first: a deletion locks the app before its rows. On SQLite there is one writer.
   */
  async lock(tx: Transaction, id: string): Promise<void> {
    if (tx.engine === "postgres")
      await tx.run("SELECT 1 AS one FROM apps WHERE id = ? FOR NO KEY UPDATE", id);
  },

  /** The account that made an app, or the oldest owner that is left: uploads count against its budget. */
  findOwner: (reader: Reader, id: string) =>
    reader.get<{ ownerId: string }>(`SELECT owner_id AS "ownerId" FROM apps WHERE id = ?`, id),

  /** Whether the database has any app. */
  exist: async (reader: Reader): Promise<boolean> =>
    (await reader.get("SELECT 1 AS one FROM apps LIMIT 1")) !== undefined,

  /** Adds an app with its first owner. */
  async insert(tx: Transaction, ownerId: string, app: AppRow): Promise<void> {
    await tx.insert("apps", {
      id: app.id,
      owner_id: ownerId,
      name: app.name,
      feedback_enabled: app.feedbackEnabled,
      changelog_enabled: app.changelogEnabled,
      sender_pages: app.senderPages,
      chat_webhook_url: app.chatWebhookUrl,
      github_repository: app.githubRepository,
      approval_hours: app.approvalHours,
      retention_days: app.retentionDays,
      created_at: app.createdAt,
    });
    await members.insert(tx, { appId: app.id, userId: ownerId, role: "owner", createdAt: app.createdAt });
  },

  /** Sets the given fields, and who set them when. */
  async update(
    tx: Transaction,
    id: string,
    { by, at, ...change }: AppChange & { readonly by: string; readonly at: string },
  ): Promise<void> {
    const { sql, values } = assignments({
      name: change.name,
      feedback_enabled: asSwitch(change.feedbackEnabled),
      changelog_enabled: asSwitch(change.changelogEnabled),
      sender_pages: asSwitch(change.senderPages),
      chat_webhook_url: change.chatWebhookUrl,
      github_repository: change.githubRepository,
      approval_hours: change.approvalHours,
      retention_days: change.retentionDays,
    });
    if (sql === "") return;
    await tx.run(
      `UPDATE apps SET ${sql}, updated_by = ?, updated_at = ? WHERE id = ?`,
      ...values,
      by,
      at,
      id,
    );
  },

  /** Deletes an app with its keys, tokens, FAQ, changelog and remaining threads. Its owners keep its audit. */
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

interface NewApiKeyRow {
  readonly id: string;
  readonly appId: string;
  readonly label: string;
  readonly kind: AppKey["kind"];
  readonly prefix: string;
  readonly keyHash: string;
  readonly createdAt: string;
}

/** The columns that change when a key gets a new secret. */
type FreshKey = Pick<NewApiKeyRow, "prefix" | "keyHash" | "createdAt">;

const keyColumns = `id, label, kind, prefix, created_at AS "createdAt", last_used_at AS "lastUsedAt"`;

/** The keys of apps. */
export const apiKeys = {
  list: (reader: Reader, appId: string) =>
    reader.all<AppKey>(`SELECT ${keyColumns} FROM app_keys WHERE app_id = ? ORDER BY created_at, id`, appId),

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
       WHERE app_id = ? AND id = ? RETURNING ${keyColumns}`,
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
