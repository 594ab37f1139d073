import type { Reader, Transaction } from "../database/database.ts";
import * as tables from "../database/schema/deployment.ts";

/** The columns with encrypted values. Addresses that an older version stored are plain text. */
const sealedColumns = [
  { table: "slots", column: "key_sealed" },
  { table: "apps", column: "chat_webhook_url" },
  { table: "outbox", column: "target" },
  { table: "mails", column: "content" },
  { table: "mail_originals", column: "key_sealed" },
  { table: "second_factors", column: "secret_sealed" },
  { table: "erasures", column: "email_sealed" },
  { table: "drafts", column: "content" },
  { table: "webhooks", column: "url" },
  { table: "webhooks", column: "secret" },
  { table: "webhooks", column: "old_secret" },
  { table: "push_keys", column: "private_sealed" },
  { table: "notice_browsers", column: "endpoint_sealed" },
  { table: "notice_browsers", column: "auth_sealed" },
] as const;

const checkName = "secret_check";
const atOnce = 500;

/** The values that are encrypted with the deployment's secret. */
export const sealed = {
  /** The name of the check text in the table `deployment`. */
  checkName,

  /**
   * Returns the encrypted check text. The plain text is known, so the check text shows whether a secret is correct.
   */
  async check(reader: Reader): Promise<string | undefined> {
    const sql = "SELECT value FROM deployment WHERE name = ?";
    return (await reader.get<{ value: string }>(sql, checkName))?.value;
  },

  async setCheck(tx: Transaction, value: string): Promise<void> {
    await tx.run("DELETE FROM deployment WHERE name = ?", checkName);
    await tx.insert(tables.deployment, { name: checkName, value });
  },

  /** Returns any encrypted test key; undefined if there is none. It is used if a database has no check text. */
  async sample(reader: Reader): Promise<string | undefined> {
    const sql = "SELECT key_sealed AS value FROM slots WHERE key_sealed IS NOT NULL ORDER BY id DESC LIMIT 1";
    return (await reader.get<{ value: string }>(sql))?.value;
  },

  /**
   * Deletes all encrypted values after the secret was lost. Returns the numbers of test keys, chat addresses
   * and authenticator secrets.
   */
  async forgetAll(tx: Transaction) {
    await tx.run("DELETE FROM deployment WHERE name = ?", checkName);
    await tx.run(
      "UPDATE outbox SET status = 'failed', last_error = 'The encryption secret of this server was lost', payload = '{}' WHERE status = 'pending' AND target LIKE 'sealed:%'",
    );
    await tx.run(
      `UPDATE mails SET status = 'failed', last_error = 'The encryption secret of this server was lost', settled_at = created_at, content = NULL
       WHERE status = 'waiting'`,
    );
    await tx.run(
      "UPDATE erasures SET status = 'stopped', email_sealed = NULL WHERE email_sealed IS NOT NULL",
    );
    await tx.run("DELETE FROM drafts");
    await tx.run("DELETE FROM webhooks");
    await tx.run("DELETE FROM notice_browsers");
    await tx.run("DELETE FROM push_keys");
    await tx.run("DELETE FROM uploads WHERE name IN (SELECT upload FROM mail_originals)");
    return {
      testKeys: await tx.run(
        "UPDATE slots SET key_hash = NULL, key_sealed = NULL WHERE key_sealed IS NOT NULL",
      ),
      chatAddresses: await tx.run(
        "UPDATE apps SET chat_webhook_url = NULL WHERE chat_webhook_url LIKE 'sealed:%'",
      ),
      authenticatorApps: await tx.run(
        "UPDATE second_factors SET secret_sealed = NULL WHERE secret_sealed IS NOT NULL",
      ),
    };
  },

  /**
   * Replaces every value in the encrypted columns with the result of `change`. Returns the number of changed values.
   */
  async replaceAll(tx: Transaction, change: (stored: string) => string): Promise<number> {
    let count = 0;
    for (const column of sealedColumns) count += await replaceIn(tx, column, change);
    return count;
  },
};

type SealedColumn = (typeof sealedColumns)[number];

async function replaceIn(
  tx: Transaction,
  { table, column }: SealedColumn,
  change: (stored: string) => string,
) {
  let count = 0;
  for (let last = ""; ; ) {
    const rows = await tx.all<{ id: string; value: string }>(
      `SELECT id, ${column} AS value FROM ${table} WHERE ${column} IS NOT NULL AND id > ? ORDER BY id LIMIT ?`,
      last,
      atOnce,
    );
    for (const { id, value } of rows) {
      const next = change(value);
      if (next === value) continue;
      await tx.run(`UPDATE ${table} SET ${column} = ? WHERE id = ?`, next, id);
      count += 1;
    }
    const end = rows.at(-1);
    if (!end || rows.length < atOnce) return count;
    last = end.id;
  }
}
