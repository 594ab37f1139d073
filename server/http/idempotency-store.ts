import { createHash } from "node:crypto";
import { valueAt } from "../../src/contract/json.ts";
import { admitted, type Viewer } from "../access/members/visibility.ts";
import type { Reader, Transaction } from "../database/database.ts";

/** The path parameters that are ids of records, each with the statement that finds the app of the record. */
const appsOfParameters: readonly (readonly [name: string, sql: string])[] = [
  ["appId", `SELECT id AS "appId" FROM apps WHERE id = ?`],
  ["id", `SELECT app_id AS "appId" FROM feedback WHERE id = ?`],
  ["runId", `SELECT app_id AS "appId" FROM runs WHERE id = ?`],
  ["faqId", `SELECT app_id AS "appId" FROM faqs WHERE id = ?`],
  ["entryId", `SELECT app_id AS "appId" FROM changelog_entries WHERE id = ?`],
  ["listingId", `SELECT app_id AS "appId" FROM listings WHERE id = ?`],
  [
    "cycleId",
    `SELECT l.app_id AS "appId" FROM cycles c JOIN listings l ON l.id = c.listing_id WHERE c.id = ?`,
  ],
  [
    "slotId",
    `SELECT l.app_id AS "appId" FROM slots s JOIN cycles c ON c.id = s.cycle_id
       JOIN listings l ON l.id = c.listing_id WHERE s.id = ?`,
  ],
];

/** Returns the app of the record in the path of a request. Returns undefined if the record does not exist. */
export async function appOfRequest(reader: Reader, params: unknown): Promise<string | undefined> {
  for (const [name, sql] of appsOfParameters) {
    const id = valueAt(params, name);
    if (typeof id === "string") return (await reader.get<{ appId: string }>(sql, id))?.appId;
  }
  return undefined;
}

/**
 * Whether `viewer` may still get the stored answer. Former members get only empty answers. May throw
 * `forbidden`. (rule K23)
 */
export async function mayStillGet(
  reader: Reader,
  { scope, key }: KnownKey,
  { viewer, body }: { readonly viewer: Viewer; readonly body: string },
): Promise<boolean> {
  const kept = await reader.get<{ appId: string | null; role: Viewer["needs"] | null }>(
    `SELECT i.app_id AS "appId", v.role FROM idempotency i
       LEFT JOIN app_members v ON v.app_id = i.app_id AND v.user_id = ?
     WHERE i.scope = ? AND i.key = ?`,
    ...[viewer.userId, scopeHash(scope), key],
  );
  if (!kept || kept.appId === null) return true;
  if (kept.role === null) return body === "";
  return admitted(kept.role, viewer);
}

const defaultLifetimeSeconds = 86_400;

/** The key of a request that the client may repeat. */
export interface IdempotencyKey {
  /** The credential, method and path of the request. Only the hash of this text is stored. */
  readonly scope: string;
  /** The value of the header, without its quotes. */
  readonly key: string;
  /** The fingerprint of the whole request. A repeat has the same fingerprint. */
  readonly fingerprint: string;
  /** How long the answer is stored. The default is 24 hours. */
  readonly lifetimeSeconds?: number;
  /** The app that the request is about, if the request needs a role in it. */
  readonly appId?: string | undefined;
  /**
   * Set while the server does not trust its clock. `behindMs` is how far the clock may be behind, in
   * milliseconds.
   */
  readonly inDoubt?: { readonly behindMs: number };
}

/** An IdempotencyKey without `fingerprint`. The fingerprint is not known before the body has arrived. */
export type KnownKey = Pick<IdempotencyKey, "scope" | "key" | "inDoubt">;

export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
}

export interface FoundAnswer extends StoredAnswer {
  /** The fingerprint of the answered request. */
  readonly fingerprint: string;
}

/**
 * `in_progress` means that another transaction has claimed the key. `stored` means that there is already an answer for
 * the key.
 */
type Claim = "claimed" | "in_progress" | "stored";

/** The answers to requests with an Idempotency-Key. */
export const idempotency = {
  /** Returns the stored answer to the request with this key, if it has not expired. */
  find(reader: Reader, request: KnownKey, now: Date): Promise<FoundAnswer | undefined> {
    const { scope, key } = request;
    return reader.get<FoundAnswer>(
      `SELECT fingerprint, status, body FROM idempotency
       WHERE scope = ? AND key = ? AND status IS NOT NULL AND expires_at > ?`,
      scopeHash(scope),
      key,
      expiredBy(request, now),
    );
  },

  /**
   * Reserves the key for this transaction. Without `answer`, the transaction must later call `store` or throw.
   */
  async claim(tx: Transaction, request: IdempotencyKey, now: Date, answer?: StoredAnswer): Promise<Claim> {
    const scope = scopeHash(request.scope);
    if (!(await lockAtOnce(tx, `idempotency ${scope} ${request.key}`))) return "in_progress";
    const { fingerprint, key } = request;
    const claimed = await tx.run(
      `INSERT INTO idempotency (scope, key, fingerprint, expires_at, app_id, status, body)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (scope, key) DO UPDATE
       SET fingerprint = excluded.fingerprint, expires_at = excluded.expires_at, app_id = excluded.app_id,
         status = excluded.status, body = excluded.body
       WHERE idempotency.status IS NULL OR idempotency.expires_at <= ?`,
      ...[scope, key, fingerprint, expiryOf(request, now), request.appId ?? null],
      ...[answer?.status ?? null, answer?.body ?? null, expiredBy(request, now)],
    );
    return claimed > 0 ? "claimed" : "stored";
  },

  /** Deletes all stored answers of these `scopes`. Keeps the key that this transaction has reserved. */
  async forget(tx: Transaction, scopes: readonly string[]): Promise<void> {
    const marks = scopes.map(() => "?").join(", ");
    await tx.run(
      `DELETE FROM idempotency WHERE status IS NOT NULL AND scope IN (${marks})`,
      ...scopes.map(scopeHash),
    );
  },

  /** Stores the answer to a claimed request, in the same transaction as the changes of the request. */
  async store(
    tx: Transaction,
    { scope, key }: IdempotencyKey,
    { status, body }: StoredAnswer,
  ): Promise<void> {
    await tx.run(
      "UPDATE idempotency SET status = ?, body = ? WHERE scope = ? AND key = ?",
      ...[status, body, scopeHash(scope), key],
    );
  },

  /** Removes up to `most` expired answers. Returns their number. */
  prune(tx: Transaction, now: Date, most = 1_000): Promise<number> {
    const at = now.toISOString();
    return tx.run(
      `DELETE FROM idempotency WHERE expires_at <= ?
       AND (scope, key) IN (SELECT scope, key FROM idempotency WHERE expires_at <= ? LIMIT ?)`,
      ...[at, at, most],
    );
  },
};

function expiryOf({ inDoubt, lifetimeSeconds }: IdempotencyKey, now: Date): string {
  const seconds = lifetimeSeconds ?? defaultLifetimeSeconds;
  return new Date(now.getTime() + (inDoubt?.behindMs ?? 0) + seconds * 1_000).toISOString();
}

/**
 * Returns the time up to which answers have expired. With `inDoubt`, returns 1970, so that no answer has
 * expired.
 */
const expiredBy = ({ inDoubt }: KnownKey, now: Date): string => (inDoubt ? new Date(0) : now).toISOString();

/**
 * Locks `name` until the transaction ends. Returns false if another transaction has locked it. SQLite has only
 * one writer.
 */
async function lockAtOnce(tx: Transaction, name: string): Promise<boolean> {
  if (tx.engine === "sqlite") return true;
  const row = await tx.get<{ taken: number }>(
    "SELECT pg_try_advisory_xact_lock(hashtextextended(?, 0)) AS taken",
    name,
  );
  return row?.taken === 1;
}

/** Returns the scope of an Idempotency-Key: the sender, the method and the path. (rule H12) */
export const scopeOf = (whose: readonly string[], method: string, path: string): string =>
  [...whose, method, sameAddress(path)].join("\n");

/** Returns the path in lower case, without slashes at its end. An id in capitals is the same id. */
const sameAddress = (path: string): string => path.toLowerCase().replace(/(?<!\/)\/+$/, "");

/** Returns a text that is the same for a request and its repeats, and for no other request. */
export const nameOf = ({ scope, key }: KnownKey): string => scopeHash(`${scope}\n${key}`);

function scopeHash(scope: string): string {
  return createHash("sha256").update(scope).digest("base64url");
}
