import type { Transaction } from "../engine/database.ts";
import { jsonOfRows } from "../engine/units.ts";
import {
  type Claim,
  expiredBy,
  expiryOf,
  type IdempotencyKey,
  type StoredAnswer,
  scopeHash,
} from "./idempotency.ts";

/** A request that claims its key, with its answer. */
export interface Claiming {
  readonly request: IdempotencyKey;
  readonly answer: StoredAnswer;
}

/**
 * SQLite: reserves the keys of several requests as `idempotency.claim` does, and stores their answers, in one statement. Of two requests with the same key, the second is in progress: the first has an answer after the commit.
 */
export async function claimTogether(
  tx: Transaction,
  claiming: readonly Claiming[],
  now: Date,
): Promise<Claim[]> {
  const named = claiming.map(({ request, answer }) => {
    const scope = scopeHash(request.scope);
    return { request, answer, scope, name: nameOf(scope, request.key), expired: expiredBy(request, now) };
  });
  const firsts = new Map(named.toReversed().map((one) => [one.name, one]));
  const claimed = new Set<string>();
  // More than one only at the moment at which the time is in doubt, or no longer.
  for (const expired of new Set(named.map((one) => one.expired))) {
    const rows = [...firsts.values()]
      .filter((one) => one.expired === expired)
      .map(({ scope, request, answer }) => [
        ...[scope, request.key, request.fingerprint, expiryOf(request, now), request.appId ?? null],
        ...[answer.status, answer.body],
      ]);
    const found = await tx.all<{ scope: string; key: string }>(claimSql, jsonOfRows(rows), expired);
    for (const { scope, key } of found) claimed.add(nameOf(scope, key));
  }
  return named.map((one) => {
    if (firsts.get(one.name) !== one) return "in_progress";
    return claimed.has(one.name) ? "claimed" : "stored";
  });
}

const claimSql = `INSERT INTO idempotency (scope, key, fingerprint, expires_at, app_id, status, body)
  SELECT ${[0, 1, 2, 3, 4, 5, 6].map((place) => `value ->> ${place}`).join(", ")} FROM jsonb_each(?) WHERE true
  ON CONFLICT (scope, key) DO UPDATE
  SET fingerprint = excluded.fingerprint, expires_at = excluded.expires_at, app_id = excluded.app_id,
    status = excluded.status, body = excluded.body
  WHERE idempotency.status IS NULL OR idempotency.expires_at <= ?
  RETURNING scope, key`;

const nameOf = (scope: string, key: string): string => `${scope} ${key}`;
