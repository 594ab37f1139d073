import type { Device } from "../../../src/contract/sign-in.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/access.ts";
import { listed, select, sessionsTopic, tokensTopic, userTopic } from "../../database/transaction.ts";
import { noticeBrowsers } from "../../notices/browsers/store.ts";

/** A row of `devices`. `scopes` is a JSON array. */
interface DeviceRow extends Omit<Device, "scopes"> {
  readonly scopes: string;
}

interface ProfileRow {
  readonly timezone: string;
  readonly isTester: number;
}

const devicesOf = select(
  tables.devices,
  ["id", "name", "prefix", "scopes", "createdAt", "expiresAt", "lastUsedAt"],
  "WHERE user_id = ? AND expires_at > ? ORDER BY created_at DESC, id DESC",
);

/** The devices with which people test apps. Each device has one row, one account and one token. */
export const devices = {
  /** Locks a device and its codes against other transactions until the transaction `tx` ends. */
  lock: (tx: Transaction, deviceId: string) => tx.lock(`device:${deviceId}`),

  /** Returns the account for which the device has a valid token. */
  findHolder: (tx: Transaction, deviceId: string, now: string) =>
    tx.get<{ userId: string }>(
      `SELECT user_id AS "userId" FROM devices WHERE device_id = ? AND expires_at > ?`,
      deviceId,
      now,
    ),

  /** Whether a device is linked to an account with this e-mail address, even with an expired token. */
  isLinked: async (reader: Reader, deviceId: string, email: string): Promise<boolean> =>
    (await reader.get(
      `SELECT 1 AS one FROM devices JOIN users ON users.id = devices.user_id
       WHERE devices.device_id = ? AND users.email = ?`,
      deviceId,
      email,
    )) !== undefined,

  /**
   * Links a device to an account and replaces an earlier link. For the same account, the row keeps its `id`.
   */
  async link(
    tx: Transaction,
    device: Omit<DeviceRow, "lastUsedAt"> & {
      /** The id that the device has chosen. */
      readonly deviceId: string;
      readonly userId: string;
      readonly pushToken: string | null;
      readonly tokenHash: string;
    },
  ): Promise<string> {
    const row = await tx.get<{ id: string }>(
      `INSERT INTO devices (id, device_id, user_id, name, push_token, scopes, prefix, token_hash, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (device_id) DO UPDATE SET
         id = CASE WHEN devices.user_id = excluded.user_id THEN devices.id ELSE excluded.id END,
         user_id = excluded.user_id, name = excluded.name, push_token = excluded.push_token,
         scopes = excluded.scopes, prefix = excluded.prefix, token_hash = excluded.token_hash,
         created_at = excluded.created_at, expires_at = excluded.expires_at, last_used_at = NULL
       RETURNING id`,
      ...[device.id, device.deviceId, device.userId, device.name, device.pushToken, device.scopes],
      ...[device.prefix, device.tokenHash, device.createdAt, device.expiresAt],
    );
    return row?.id ?? device.id;
  },

  /** Returns the devices of an account that have a valid token, newest first. */
  list: (reader: Reader, userId: string, now: string): Promise<DeviceRow[]> =>
    reader.all(devicesOf, userId, now),

  /** Signs a device out. Returns false if the account has no such device. */
  remove: async (tx: Transaction, userId: string, id: string): Promise<boolean> =>
    (await tx.run("DELETE FROM devices WHERE user_id = ? AND id = ?", userId, id)) === 1,

  /** Sets the token with which push messages are sent to a device. Null turns the messages off. */
  setPushToken: (tx: Transaction, id: string, pushToken: string | null) =>
    tx.run("UPDATE devices SET push_token = ? WHERE id = ?", pushToken, id),

  /**
   * Returns what devices may read of an account. `isTester` is 1 if the account has or had a slot. (rule S21)
   */
  findProfile: (reader: Reader, userId: string) =>
    reader.get<ProfileRow>(
      `SELECT timezone, CASE WHEN EXISTS (SELECT 1 FROM slots WHERE tester_id = users.id) THEN 1 ELSE 0 END AS "isTester"
       FROM users WHERE id = ?`,
      userId,
    ),
};

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

  /**
   * Ends a session and its browser's notices. `id` is the id in the API. Returns false for an unknown session.
   */
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
  /** The encrypted code, which a waiting device receives; null if the person refused the sign-in. */
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

/** The last decision of a person about a sign-in request: the code if the person approved it, or `refused`. */
type DecidedSignInCode = { readonly codeSealed: string } | "refused" | undefined;

/** Codes that devices exchange for tokens. A code is valid until it is used, replaced or expired. */
export const signInCodes = {
  /**
   * Returns the row with this or the next hash, so an unknown code takes equally long. The caller must compare
   * `codeHash`.
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

  /** Adds the only valid code of a device. An earlier code becomes invalid. The caller must have locked the device. */
  async mint(tx: Transaction, code: NewSignInCode): Promise<void> {
    await tx.run(
      `UPDATE sign_in_codes SET replaced_at = ?
       WHERE device_id = ? AND used_at IS NULL AND replaced_at IS NULL`,
      code.createdAt,
      code.deviceId,
    );
    await insert(tx, code, null);
  },

  /** Stores a refusal. The refusal replaces an earlier approval of the same request. */
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
   * Marks a code as used. Returns false if the code is no longer valid. Only one parallel call succeeds.
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

  /**
   * Returns the last decision on a sign-in request. Undefined if there is none, or if its code is not valid.
   */
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

/** Stores a code or a refusal. A refusal is stored as replaced, because it is never valid. */
const insert = (tx: Transaction, code: NewSignInCode, replacedAt: string | null): Promise<void> =>
  tx.insert(tables.signInCodes, { ...code, replacedAt });

type LinkKind = "sign_up" | "recovery";

interface NewAccountLink {
  readonly tokenHash: string;
  readonly email: string;
  readonly now: string;
  readonly expiresAt: string;
  /**
   * The encrypted secret of the invitation whose page opens after the person has used the link; null without an
   * invitation.
   */
  readonly invitationSealed: string | null;
}

interface AccountLinkRow {
  /** The account that gets a new password; null if the link creates a new account. */
  readonly userId: string | null;
  readonly email: string;
}

/**
 * The mailed links for a new account or password. A new link replaces the address's earlier link of that kind.
 */
export const accountLinks = {
  /** Stores a link for a new account, even if the address already has an account. */
  async addSignUp(tx: Transaction, { now, ...row }: NewAccountLink): Promise<void> {
    await removeEarlier(tx, "sign_up", row.email, now);
    await tx.insert(tables.accountLinks, { ...row, kind: "sign_up" });
  },

  /** Stores the link if the address has an account with a password. Runs the same statements for every address. */
  async addRecovery(tx: Transaction, link: NewAccountLink): Promise<void> {
    await removeEarlier(tx, "recovery", link.email, link.now);
    await tx.run(
      `INSERT INTO account_links (token_hash, kind, user_id, email, expires_at, invitation_sealed)
       SELECT CAST(? AS TEXT), 'recovery', id, email, CAST(? AS TEXT), CAST(? AS TEXT) FROM users
       WHERE email = ? AND password_hash <> ''`,
      ...[link.tokenHash, link.expiresAt, link.invitationSealed, link.email],
    );
  },

  /** Deletes the mail that was queued for a link, if the link was not stored. */
  dropMailWithoutLink: (tx: Transaction, mailId: string, tokenHash: string) =>
    tx.run(
      `DELETE FROM mails WHERE id = ? AND NOT EXISTS (SELECT 1 FROM account_links WHERE token_hash = ?)`,
      ...[mailId, tokenHash],
    ),

  /** Deletes and returns a valid link. Undefined if the link is unknown, used, replaced or expired. */
  take: (tx: Transaction, { kind, tokenHash, now }: { kind: LinkKind; tokenHash: string; now: string }) =>
    tx.get<AccountLinkRow>(
      `DELETE FROM account_links WHERE token_hash = ? AND kind = ? AND expires_at > ?
       RETURNING user_id AS "userId", email`,
      ...[tokenHash, kind, now],
    ),

  /**
   * Returns the encrypted secret of the link's invitation. Undefined if the link is invalid or has no
   * invitation.
   */
  async invitationOf(reader: Reader, tokenHash: string, now: string): Promise<string | undefined> {
    const sql = `SELECT invitation_sealed AS "sealed" FROM account_links WHERE token_hash = ? AND expires_at > ?`;
    return (await reader.get<{ sealed: string | null }>(sql, tokenHash, now))?.sealed ?? undefined;
  },

  removeAll: (tx: Transaction, userId: string) =>
    tx.run("DELETE FROM account_links WHERE user_id = ?", userId),
};

async function removeEarlier(tx: Transaction, kind: LinkKind, email: string, now: string): Promise<void> {
  await tx.run("DELETE FROM account_links WHERE expires_at <= ?", now);
  await tx.run("DELETE FROM account_links WHERE email = ? AND kind = ?", email, kind);
}

/**
 * Ends credentials of an account, because a stranger may have created the account. Password, second factor and
 * console sessions stay. (rule S30)
 */
export async function removeUnprovenAccess(tx: Transaction, userId: string): Promise<void> {
  const tables = ["identities", "tokens", "oauth_codes", "devices", "sign_in_codes"];
  for (const table of tables) await tx.run(`DELETE FROM ${table} WHERE user_id = ?`, userId);
  tx.signal(userTopic(userId));
  tx.signal(tokensTopic);
}
