import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/access.ts";
import { sessionsTopic, tokensTopic, userTopic } from "../../database/signals.ts";
import { listed } from "../../database/statements.ts";
import { noticeBrowsers } from "../../notices/browsers/store.ts";

interface NewConsoleSession {
  readonly id: string;
  readonly tokenHash: string;
  readonly userId: string;
  /** The name of the browser, such as `Firefox on Linux`. */
  readonly browser: string | null;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly expiresAt: string;
}

type ConsoleSessionRow = Omit<NewConsoleSession, "userId" | "lastUsedAt"> & {
  readonly lastUsedAt: string | null;
};

const sessionFields = ["id", "tokenHash", "browser", "createdAt", "lastUsedAt", "expiresAt"] as const;
const sessionColumns = listed(tables.sessions, sessionFields);

/** The sessions of people who are signed in to the console. */
export const consoleSessions = {
  /** Returns the sessions of an account that have not expired, newest first. */
  list: (reader: Reader, userId: string, now: string) =>
    reader.all<ConsoleSessionRow>(
      `SELECT ${sessionColumns} FROM sessions
       WHERE user_id = ? AND expires_at > ? ORDER BY created_at DESC, id DESC`,
      userId,
      now,
    ),

  insert: (tx: Transaction, session: NewConsoleSession) => tx.insert(tables.sessions, session),

  async remove(tx: Transaction, tokenHash: string): Promise<void> {
    await noticeBrowsers.removeOfSession(tx, tokenHash);
    await tx.run("DELETE FROM sessions WHERE token_hash = ?", tokenHash);
    tx.signal(sessionsTopic);
  },

  /** Ends a session of an account by the id that the API shows. Returns false if the account has no such session. */
  async removeById(tx: Transaction, userId: string, id: string): Promise<boolean> {
    const ended = await tx.all<{ tokenHash: string }>(
      `DELETE FROM sessions WHERE user_id = ? AND id = ? RETURNING token_hash AS "tokenHash"`,
      ...[userId, id],
    );
    for (const { tokenHash } of ended) await noticeBrowsers.removeOfSession(tx, tokenHash);
    tx.signal(sessionsTopic);
    return ended.length === 1;
  },

  /** Ends all sessions of an account. Returns their number. */
  async removeAll(tx: Transaction, userId: string): Promise<number> {
    tx.signal(sessionsTopic);
    await noticeBrowsers.removeAll(tx, userId);
    return tx.run("DELETE FROM sessions WHERE user_id = ?", userId);
  },

  /** Ends all sessions of an account except one. */
  async removeOthers(tx: Transaction, userId: string, kept: string): Promise<void> {
    await noticeBrowsers.removeOthers(tx, userId, kept);
    await tx.run("DELETE FROM sessions WHERE user_id = ? AND token_hash <> ?", userId, kept);
    tx.signal(sessionsTopic);
  },

  removeExpired: (tx: Transaction, userId: string, now: string) =>
    tx.run("DELETE FROM sessions WHERE user_id = ? AND expires_at <= ?", userId, now),
};

interface NewSignInCode {
  readonly codeHash: string;
  /** The sealed code, which a waiting device receives; null if the person refused the sign-in. */
  readonly codeSealed: string | null;
  readonly userId: string;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly challenge: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

export interface SignInCodeRow {
  readonly codeHash: string;
  readonly userId: string;
  readonly email: string;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly challenge: string;
  readonly expiresAt: string;
  readonly usedAt: string | null;
  readonly replacedAt: string | null;
}

/** The last decision on a sign-in request: a code, or a refusal. */
type DecidedSignInCode = { readonly codeSealed: string } | "refused" | undefined;

/** Codes that devices exchange for tokens. A code is valid until it is used, replaced or expired. */
export const signInCodes = {
  /**
   * Returns the code with this hash, or another code if there is none. The caller must compare `codeHash`. An empty
   * result would be faster, and the time would reveal that the code does not exist.
   */
  findNearest: (reader: Reader, codeHash: string) =>
    reader.get<SignInCodeRow>(
      `SELECT c.code_hash AS "codeHash", c.user_id AS "userId", u.email, c.device_id AS "deviceId", c.device_name AS "deviceName",
              c.challenge, c.expires_at AS "expiresAt", c.used_at AS "usedAt", c.replaced_at AS "replacedAt"
       FROM sign_in_codes c JOIN users u ON u.id = c.user_id
       WHERE c.code_hash = coalesce((SELECT min(code_hash) FROM sign_in_codes WHERE code_hash >= ?),
                                    (SELECT min(code_hash) FROM sign_in_codes))`,
      codeHash,
    ),

  /** Adds the only valid code of a device, and replaces an earlier one. The device must be locked. */
  async mint(tx: Transaction, code: NewSignInCode): Promise<void> {
    await tx.run(
      `UPDATE sign_in_codes SET replaced_at = ?
       WHERE device_id = ? AND used_at IS NULL AND replaced_at IS NULL`,
      code.createdAt,
      code.deviceId,
    );
    await insert(tx, code, null);
  },

  /** Stores a refusal. It replaces an earlier approval of the same request. */
  async refuse(tx: Transaction, refusal: NewSignInCode): Promise<void> {
    await tx.run(
      `UPDATE sign_in_codes SET replaced_at = ?
       WHERE device_id = ? AND challenge = ? AND used_at IS NULL AND replaced_at IS NULL`,
      refusal.createdAt,
      refusal.deviceId,
      refusal.challenge,
    );
    await insert(tx, refusal, refusal.createdAt);
  },

  /**
   * Marks a code as used. Returns false if the code is no longer valid. Of several concurrent calls only one succeeds.
   * (rule S10)
   */
  use: async (tx: Transaction, codeHash: string, now: string): Promise<boolean> =>
    (await tx.run(
      `UPDATE sign_in_codes SET used_at = ?, code_sealed = NULL
       WHERE code_hash = ? AND used_at IS NULL AND replaced_at IS NULL AND expires_at > ?`,
      now,
      codeHash,
      now,
    )) === 1,

  /** Returns the last decision on a sign-in request; undefined if there is none or it has expired. */
  async decided(
    reader: Reader,
    { deviceId, challenge }: { readonly deviceId: string; readonly challenge: string },
    now: string,
  ): Promise<DecidedSignInCode> {
    const row = await reader.get<{ codeSealed: string | null; replacedAt: string | null }>(
      `SELECT code_sealed AS "codeSealed", replaced_at AS "replacedAt" FROM sign_in_codes
       WHERE device_id = ? AND challenge = ? AND expires_at > ?
       ORDER BY created_at DESC, CASE WHEN replaced_at IS NULL THEN 0 ELSE 1 END LIMIT 1`,
      deviceId,
      challenge,
      now,
    );
    if (!row) return undefined;
    if (row.replacedAt !== null) return row.codeSealed === null ? "refused" : undefined;
    return row.codeSealed === null ? undefined : { codeSealed: row.codeSealed };
  },

  /** Removes up to `most` expired codes. Returns their number. */
  prune: (tx: Transaction, now: Date, most = 1_000): Promise<number> =>
    tx.run(
      `DELETE FROM sign_in_codes WHERE code_hash IN
         (SELECT code_hash FROM sign_in_codes WHERE expires_at <= ? LIMIT ?)`,
      now.toISOString(),
      most,
    ),
};

/** Stores a code or a refusal. A refusal is stored as already replaced, so that it is never a valid code. */
const insert = (tx: Transaction, code: NewSignInCode, replacedAt: string | null): Promise<void> =>
  tx.insert(tables.signInCodes, { ...code, replacedAt });

type LinkKind = "sign_up" | "recovery";

interface NewAccountLink {
  readonly tokenHash: string;
  readonly email: string;
  readonly now: string;
  readonly expiresAt: string;
}

interface AccountLinkRow {
  /** The account that gets a new password; null if the link creates a new account. */
  readonly userId: string | null;
  readonly email: string;
}

/** Links in mails, which create an account or set a new password. A new link replaces an earlier one of its kind. */
export const accountLinks = {
  /** Stores a link for a new account, even if the address already has an account. */
  async addSignUp(tx: Transaction, { tokenHash, email, now, expiresAt }: NewAccountLink): Promise<void> {
    await removeEarlier(tx, "sign_up", email, now);
    await tx.insert(tables.accountLinks, { tokenHash, kind: "sign_up", email, expiresAt });
  },

  /**
   * Stores a link for a new password, if the address has an account with a password. For any other address, the same
   * statements run without an effect.
   */
  async addRecovery(tx: Transaction, { tokenHash, email, now, expiresAt }: NewAccountLink): Promise<void> {
    await removeEarlier(tx, "recovery", email, now);
    await tx.run(
      `INSERT INTO account_links (token_hash, kind, user_id, email, expires_at)
       SELECT CAST(? AS TEXT), 'recovery', id, email, CAST(? AS TEXT) FROM users
       WHERE email = ? AND password_hash <> ''`,
      ...[tokenHash, expiresAt, email],
    );
  },

  /** Deletes the mail that was queued for a link, if the link was not stored. */
  dropMailWithoutLink: (tx: Transaction, mailId: string, tokenHash: string) =>
    tx.run(
      `DELETE FROM mails WHERE id = ? AND NOT EXISTS (SELECT 1 FROM account_links WHERE token_hash = ?)`,
      ...[mailId, tokenHash],
    ),

  /** Deletes a link when it is used. Returns undefined if the link is unknown, used, replaced or expired. */
  take: (tx: Transaction, { kind, tokenHash, now }: { kind: LinkKind; tokenHash: string; now: string }) =>
    tx.get<AccountLinkRow>(
      `DELETE FROM account_links WHERE token_hash = ? AND kind = ? AND expires_at > ?
       RETURNING user_id AS "userId", email`,
      ...[tokenHash, kind, now],
    ),

  /** Ends the links of an account. */
  removeAll: (tx: Transaction, userId: string) =>
    tx.run("DELETE FROM account_links WHERE user_id = ?", userId),
};

async function removeEarlier(tx: Transaction, kind: LinkKind, email: string, now: string): Promise<void> {
  await tx.run("DELETE FROM account_links WHERE expires_at <= ?", now);
  await tx.run("DELETE FROM account_links WHERE email = ? AND kind = ?", email, kind);
}

/**
 * Ends all credentials of an account except its password and its second factor: identities of providers, tokens,
 * connections, devices, and codes for them. Call it for an account that somebody else may have created. (rule S30)
 */
export async function removeUnprovenAccess(tx: Transaction, userId: string): Promise<void> {
  const tables = ["identities", "tokens", "oauth_codes", "devices", "sign_in_codes"];
  for (const table of tables) await tx.run(`DELETE FROM ${table} WHERE user_id = ?`, userId);
  tx.signal(userTopic(userId));
  tx.signal(tokensTopic);
}
