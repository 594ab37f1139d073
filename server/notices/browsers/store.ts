import type { NoticeKind } from "../../../src/contract/notices.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/notices.ts";
import { insert, listed, pushesTopic } from "../../database/transaction.ts";

/** The keys with which this server proves its identity to push services. */
export interface PushKeysRow {
  readonly publicKey: string;
  readonly privateSealed: string;
}

const keysId = "vapid";

const insertKeys = insert(tables.pushKeys, "ON CONFLICT (id) DO NOTHING");

/**
 * The keys that all servers of this database use for push services. The first server creates the keys.
 * (rule N11)
 */
export const pushKeys = {
  find: (reader: Reader) =>
    reader.get<PushKeysRow>(
      `SELECT public_key AS "publicKey", private_sealed AS "privateSealed" FROM push_keys WHERE id = ?`,
      keysId,
    ),

  /** Stores the keys. Does nothing if another server has already stored keys. */
  insert: (tx: Transaction, keys: PushKeysRow & { readonly createdAt: string }) =>
    insertKeys(tx, { id: keysId, ...keys }),
};

/** The data of a browser in a list. */
export interface BrowserRow {
  readonly id: string;
  readonly sessionHash: string;
  readonly browser: string | null;
  readonly createdAt: string;
  readonly lastNoticeAt: string | null;
  readonly expiresAt: string;
}

/** A browser to which a notice is sent. */
export interface BrowserAddress {
  readonly id: string;
  readonly userId: string;
  readonly endpointSealed: string;
  readonly p256dh: string;
  readonly authSealed: string;
  /**
   * The time until which the push service accepts no notices; null if the service has never set such a time.
   */
  readonly pausedUntil: string | null;
}

interface NewBrowser extends Omit<BrowserRow, "lastNoticeAt">, Omit<BrowserAddress, "pausedUntil"> {
  readonly endpointHash: string;
}

const browserColumns = listed(tables.noticeBrowsers, [
  ...(["id", "sessionHash", "browser", "createdAt", "lastNoticeAt", "expiresAt"] as const),
]);

/** The browsers that show notices to people. (rule N10) */
export const noticeBrowsers = {
  /** Returns the browsers of a person that get notices now, newest first. */
  list: (reader: Reader, userId: string, now: string) =>
    reader.all<BrowserRow>(
      `SELECT ${browserColumns} FROM notice_browsers WHERE user_id = ? AND expires_at > ?
       ORDER BY created_at DESC, id DESC`,
      ...[userId, now],
    ),

  async count(reader: Reader, userId: string, now: string): Promise<number> {
    const row = await reader.get<{ count: number }>(
      "SELECT count(*) AS count FROM notice_browsers WHERE user_id = ? AND expires_at > ?",
      ...[userId, now],
    );
    return Number(row?.count ?? 0);
  },

  /** Returns the browser with an address at a push service, and its owner. */
  findByEndpoint: (reader: Reader, endpointHash: string) =>
    reader.get<{ id: string; userId: string }>(
      `SELECT id, user_id AS "userId" FROM notice_browsers WHERE endpoint_hash = ?`,
      endpointHash,
    ),

  find: (reader: Reader, userId: string, id: string) =>
    reader.get<BrowserRow>(
      `SELECT ${browserColumns} FROM notice_browsers WHERE user_id = ? AND id = ?`,
      ...[userId, id],
    ),

  /** Returns the address of a browser; undefined if the browser gets no notices now. */
  address: (reader: Reader, id: string, now: string) =>
    reader.get<BrowserAddress>(
      `SELECT id, user_id AS "userId", endpoint_sealed AS "endpointSealed", p256dh, auth_sealed AS "authSealed",
         paused_until AS "pausedUntil"
       FROM notice_browsers WHERE id = ? AND expires_at > ?`,
      ...[id, now],
    ),

  /** Returns the name of the browser of a session, and the end of the session. */
  session: (reader: Reader, tokenHash: string) =>
    reader.get<{ browser: string | null; expiresAt: string }>(
      `SELECT browser, expires_at AS "expiresAt" FROM sessions WHERE token_hash = ?`,
      tokenHash,
    ),

  /** Stores the time until which the push service accepts no notices for a browser. */
  pause: (tx: Transaction, id: string, until: string) =>
    tx.run("UPDATE notice_browsers SET paused_until = ? WHERE id = ?", until, id),

  insert: (tx: Transaction, browser: NewBrowser) => tx.insert(tables.noticeBrowsers, browser),

  /** Updates the address and the keys of a browser, and the session to which it belongs now. */
  renew: (tx: Transaction, { id, ...browser }: NewBrowser) =>
    tx.run(
      `UPDATE notice_browsers SET session_hash = ?, endpoint_hash = ?, endpoint_sealed = ?, p256dh = ?,
         auth_sealed = ?, browser = ?, expires_at = ? WHERE id = ?`,
      ...[browser.sessionHash, browser.endpointHash, browser.endpointSealed, browser.p256dh],
      ...[browser.authSealed, browser.browser, browser.expiresAt, id],
    ),

  /** Connects a browser with the new session of its owner, who has signed in again in the same browser. */
  move: (
    tx: Transaction,
    of: {
      readonly userId: string;
      readonly before: string;
      readonly after: string;
      readonly expiresAt: string;
    },
  ) =>
    tx.run(
      "UPDATE notice_browsers SET session_hash = ?, expires_at = ? WHERE session_hash = ? AND user_id = ?",
      ...[of.after, of.expiresAt, of.before, of.userId],
    ),

  noteSent: (tx: Transaction, id: string, now: string) =>
    tx.run("UPDATE notice_browsers SET last_notice_at = ? WHERE id = ?", now, id),

  remove: (tx: Transaction, id: string) => tx.run("DELETE FROM notice_browsers WHERE id = ?", id),

  removeOfSession: (tx: Transaction, sessionHash: string) =>
    tx.run("DELETE FROM notice_browsers WHERE session_hash = ?", sessionHash),

  removeAll: (tx: Transaction, userId: string) =>
    tx.run("DELETE FROM notice_browsers WHERE user_id = ?", userId),

  /** Removes all browsers of a person except the browser of this session. */
  removeOthers: (tx: Transaction, userId: string, sessionHash: string) =>
    tx.run("DELETE FROM notice_browsers WHERE user_id = ? AND session_hash <> ?", userId, sessionHash),

  /** Removes the browsers of a person who is no longer a member of any app. */
  removeWithoutApps: (tx: Transaction, userId: string) =>
    tx.run(
      `DELETE FROM notice_browsers WHERE user_id = ?
         AND NOT EXISTS (SELECT 1 FROM app_members m WHERE m.user_id = notice_browsers.user_id)`,
      userId,
    ),

  /** Removes at most `most` browsers whose sessions ended before the time `before`. Returns their number. */
  removeEnded: (tx: Transaction, before: string, most: number) =>
    tx.run(
      "DELETE FROM notice_browsers WHERE id IN (SELECT id FROM notice_browsers WHERE expires_at < ? LIMIT ?)",
      ...[before, most],
    ),
};

/**
 * The content of a notice. The notice describes one object, or only says that `count` objects need the member's
 * attention.
 */
export interface Push {
  readonly id: string;
  readonly userId: string;
  readonly appId: string;
  /** Null if the notice only says that `count` objects need the member's attention. */
  readonly kind: NoticeKind | null;
  readonly subjectId: string | null;
  readonly feedbackId: string | null;
  readonly count: number;
  readonly createdAt: string;
}

/** A notice that this server sends now. */
export interface DuePush extends Push {
  readonly tries: number;
  readonly dueAt: string;
}

/** The current time, the end of the reservation, and the maximum number of notices to reserve. */
interface PushClaim {
  readonly now: string;
  readonly until: string;
  readonly most: number;
}

/** Notices that are queued for browsers. Each browser has its own queue. (rule N11) */
export const noticePushes = {
  async insert(tx: Transaction, push: Push & { readonly browserId: string }): Promise<void> {
    await tx.insert(tables.noticePushes, { ...push, dueAt: push.createdAt, tries: 0 });
    tx.signal(pushesTopic);
  },

  /** Returns the browsers with due notices that are not in `busy`, the longest waiting first. */
  dueBrowsers: (reader: Reader, now: string, busy: readonly string[], most: number) =>
    reader.all<{ browserId: string }>(
      `SELECT browser_id AS "browserId" FROM notice_pushes WHERE due_at <= ?
         ${busy.length === 0 ? "" : `AND browser_id NOT IN (${busy.map(() => "?").join(", ")})`}
       GROUP BY browser_id ORDER BY min(due_at) LIMIT ?`,
      ...[now, ...busy, most],
    ),

  /** Returns when the next notice is due. Ignores notices for the browsers in `busy`. */
  nextDue: (reader: Reader, busy: readonly string[]) =>
    reader.get<{ dueAt: string | null }>(
      `SELECT min(due_at) AS "dueAt" FROM notice_pushes
       ${busy.length === 0 ? "" : `WHERE browser_id NOT IN (${busy.map(() => "?").join(", ")})`}`,
      ...busy,
    ),

  /** Reserves due notices of a browser, so that no other server sends them. Returns them, oldest first. */
  async claimDue(tx: Transaction, browserId: string, { now, until, most }: PushClaim): Promise<DuePush[]> {
    const claimed = await tx.all<DuePush>(
      `UPDATE notice_pushes SET due_at = ?, tries = tries + 1 WHERE due_at <= ? AND id IN (
         SELECT id FROM notice_pushes WHERE browser_id = ? AND due_at <= ? ORDER BY due_at, id LIMIT ?)
       RETURNING id, user_id AS "userId", app_id AS "appId", kind, subject_id AS "subjectId",
         feedback_id AS "feedbackId", count, created_at AS "createdAt", tries, due_at AS "dueAt"`,
      ...[until, now, browserId, now, most],
    );
    return claimed.sort((a, b) => (a.id < b.id ? -1 : 1));
  },

  /** Sets a later time at which a notice is sent. */
  postpone: (tx: Transaction, { id, dueAt }: DuePush, later: string) =>
    tx.run("UPDATE notice_pushes SET due_at = ? WHERE id = ? AND due_at = ?", later, id, dueAt),

  /** Cancels the reservation of a notice that was not sent. */
  release: (tx: Transaction, { id, dueAt }: DuePush, now: string) =>
    tx.run(
      "UPDATE notice_pushes SET due_at = ?, tries = tries - 1 WHERE id = ? AND due_at = ?",
      ...[now, id, dueAt],
    ),

  remove: (tx: Transaction, id: string) => tx.run("DELETE FROM notice_pushes WHERE id = ?", id),

  removeOfMember: (tx: Transaction, { userId, appId }: { readonly userId: string; readonly appId: string }) =>
    tx.run("DELETE FROM notice_pushes WHERE user_id = ? AND app_id = ?", userId, appId),
};
