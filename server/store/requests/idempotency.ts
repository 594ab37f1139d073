import { createHash } from "node:crypto";
import type { Reader, Transaction } from "../engine/database.ts";

const defaultLifetimeSeconds = 86_400;

/** A request that its sender may repeat. */
export interface IdempotencyKey {
  /** Whose key it is, and for what: credential, method and path. Only its hash is stored. */
  readonly scope: string;
  /** The value of the header, without its quotes. */
  readonly key: string;
  /** Of the whole request: a repeat has the same. */
  readonly fingerprint: string;
  /** How long the answer is kept; 24 hours where it is not said. */
  readonly lifetimeSeconds?: number;
  /** Only while the clock's time is in doubt: no answer expires then, and the clock may be so far behind. */
  readonly inDoubt?: { readonly behindMs: number };
}

/** A key before the body of its request is known. */
export type KnownKey = Pick<IdempotencyKey, "scope" | "key" | "inDoubt">;

export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
}

export interface FoundAnswer extends StoredAnswer {
  /** Of the request that was answered. */
  readonly fingerprint: string;
}

/** `in_progress`: another server is at it. `stored`: it was answered since the caller looked. */
export type Claim = "claimed" | "in_progress" | "stored";

export const idempotency = {
  /** The answer that a request with this key got, if it is still kept. */
  find(reader: Reader, request: KnownKey, now: Date): Promise<FoundAnswer | undefined> {
    const { scope, key } = request;
    return reader.get<FoundAnswer>(
      `SELECT fingerprint, status, body FROM idempotency
       WHERE scope = ? AND key = ? AND status IS NOT NULL AND expires_at > ?`,
      hashOf(scope),
      key,
      expiredBy(request, now),
    );
  },

  /** Makes this transaction the only one that acts on the key. It must `store` its answer, or throw. Never waits for another. */
  async claim(tx: Transaction, request: IdempotencyKey, now: Date): Promise<Claim> {
    const scope = hashOf(request.scope);
    if (!(await lockAtOnce(tx, `idempotency ${scope} ${request.key}`))) return "in_progress";
    const { fingerprint, key, lifetimeSeconds = defaultLifetimeSeconds } = request;
    const behindMs = request.inDoubt?.behindMs ?? 0;
    const expiresAt = new Date(now.getTime() + behindMs + lifetimeSeconds * 1_000);
    const claimed = await tx.run(
      `INSERT INTO idempotency (scope, key, fingerprint, expires_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (scope, key) DO UPDATE
       SET fingerprint = excluded.fingerprint, expires_at = excluded.expires_at, status = NULL, body = NULL
       WHERE idempotency.status IS NULL OR idempotency.expires_at <= ?`,
      ...[scope, key, fingerprint, expiresAt.toISOString(), expiredBy(request, now)],
    );
    return claimed > 0 ? "claimed" : "stored";
  },

  /** Forgets all that was kept for some scopes. */
  async forget(tx: Transaction, scopes: readonly string[]): Promise<void> {
    const places = scopes.map(() => "?").join(", ");
    await tx.run(`DELETE FROM idempotency WHERE scope IN (${places})`, ...scopes.map(hashOf));
  },

  /** Keeps the answer to a claimed request: it commits with what the request did, or not at all. */
  async store(
    tx: Transaction,
    { scope, key }: IdempotencyKey,
    { status, body }: StoredAnswer,
  ): Promise<void> {
    await tx.run(
      "UPDATE idempotency SET status = ?, body = ? WHERE scope = ? AND key = ?",
      ...[status, body, hashOf(scope), key],
    );
  },

  /** Removes up to `most` answers that are no longer kept, and gives how many there were. */
  prune(tx: Transaction, now: Date, most = 1_000): Promise<number> {
    const at = now.toISOString();
    return tx.run(
      `DELETE FROM idempotency WHERE expires_at <= ?
       AND (scope, key) IN (SELECT scope, key FROM idempotency WHERE expires_at <= ? LIMIT ?)`,
      ...[at, at, most],
    );
  },
};

/** Answers that expire later than this are kept. */
const expiredBy = ({ inDoubt }: KnownKey, now: Date): string => (inDoubt ? new Date(0) : now).toISOString();

/** On PostgreSQL, takes a lock that ends with the transaction, or gives false where another has it. SQLite has one writer. */
async function lockAtOnce(tx: Transaction, name: string): Promise<boolean> {
  if (tx.engine === "sqlite") return true;
  const row = await tx.get<{ taken: number }>(
    "SELECT pg_try_advisory_xact_lock(hashtextextended(?, 0)) AS taken",
    name,
  );
  return row?.taken === 1;
}

function hashOf(scope: string): string {
  return createHash("sha256").update(scope).digest("base64url");
}
