import type { AppChange } from "../../../src/contract/console/apps.ts";
import { assignments } from "../engine/assignments.ts";
import type { Reader, Transaction } from "../engine/database.ts";
import type { Viewer } from "../feedback/feedback.ts";

/** The stored form of an app. Switches are 0 and 1. */
export interface AppRow {
  readonly id: string;
  readonly name: string;
  readonly feedbackEnabled: number;
  readonly changelogEnabled: number;
  readonly chatWebhookUrl: string | null;
  readonly githubRepository: string | null;
  readonly createdAt: string;
}

const columns = `id, name, feedback_enabled AS "feedbackEnabled", changelog_enabled AS "changelogEnabled",
  chat_webhook_url AS "chatWebhookUrl", github_repository AS "githubRepository", created_at AS "createdAt"`;

/** The apps of owners. */
export const apps = {
  list: (reader: Reader, viewer: Viewer) =>
    reader.all<AppRow>(
      `SELECT ${columns} FROM apps WHERE owner_id = ? AND id = coalesce(?, id) ORDER BY created_at, id`,
      viewer.userId,
      viewer.appId,
    ),

  find: (reader: Reader, id: string, viewer: Viewer) =>
    reader.get<AppRow>(
      `SELECT ${columns} FROM apps WHERE id = ? AND owner_id = ? AND id = coalesce(?, id)`,
      id,
      viewer.userId,
      viewer.appId,
    ),

  /** The account that owns an app, for the operator. */
  findOwner: (reader: Reader, id: string) =>
    reader.get<{ ownerId: string }>(`SELECT owner_id AS "ownerId" FROM apps WHERE id = ?`, id),

  /** Whether the database has any app. */
  exist: async (reader: Reader): Promise<boolean> =>
    (await reader.get("SELECT 1 AS one FROM apps LIMIT 1")) !== undefined,

  insert: (tx: Transaction, ownerId: string, app: AppRow) =>
    tx.insert("apps", {
      id: app.id,
      owner_id: ownerId,
      name: app.name,
      feedback_enabled: app.feedbackEnabled,
      changelog_enabled: app.changelogEnabled,
      chat_webhook_url: app.chatWebhookUrl,
      github_repository: app.githubRepository,
      created_at: app.createdAt,
    }),

  /** Sets the given fields. */
  async update(tx: Transaction, id: string, change: AppChange): Promise<void> {
    const { sql, values } = assignments({
      name: change.name,
      feedback_enabled: asSwitch(change.feedbackEnabled),
      changelog_enabled: asSwitch(change.changelogEnabled),
      chat_webhook_url: change.chatWebhookUrl,
      github_repository: change.githubRepository,
    });
    if (sql !== "") await tx.run(`UPDATE apps SET ${sql} WHERE id = ?`, ...values, id);
  },

  /** Deletes an app with its keys, tokens, FAQ, changelog and remaining threads. */
  remove: (tx: Transaction, id: string) => tx.run("DELETE FROM apps WHERE id = ?", id),
};

const asSwitch = (on: boolean | undefined): number | undefined => (on === undefined ? undefined : Number(on));
