import type { RateLimitName } from "../../../src/contract/limits.ts";
import type { Clock } from "../../clock.ts";
import type { Engine, Reader, Transaction, Value } from "../../database/database.ts";

/** A rule that allows at most `limit` uses within any `windowSeconds` seconds. */
export interface RateLimit {
  readonly limit: number;
  readonly windowSeconds: number;
}

/** A use of a limit. `who` is the key for counting, such as the id of a credential. */
export interface Spending {
  readonly who: string;
  readonly rateLimit: RateLimitName;
}

/** Undoes the counting of one use. */
export type GiveBack = () => void;

/** Counts a mutation as one use, even if its transaction runs several times. */
export interface MutationUse {
  /** Counts one use. Throws `rate_limited` with the seconds to wait. */
  spend(tx: Transaction, spending: Spending): Promise<void>;
  /** Call this after the transaction. If it has not committed, the use is undone. */
  end(hasCommitted: boolean): void;
}

/** The rate limits of endpoints. (rules H16, H17) */
export interface Limiter {
  /** Counts one use outside a transaction. Throws `rate_limited` with the seconds to wait. */
  spend(spending: Spending): Promise<void>;
  /** Counts one use of a limit whose counts are in memory. Returns a function that undoes the counting. */
  spendAtOnce(spending: Spending): GiveBack;
  /** Returns the verdict that a use would get. Does not count a use. */
  look(spending: Spending): Promise<RateVerdict>;
  mutation(): MutationUse;
  /** Deletes all counts that are in memory. */
  forget(): void;
}

/** The bytes that a key is about to send. `most` is the limit for an hour. */
interface ByteUse {
  readonly keyId: string;
  readonly bytes: number;
  readonly most: number;
  readonly now: Date;
}

const minutesInHour = 60;

const minuteMs = 60_000;

/** Counts the bytes if the hourly limit allows them. Returns the verdict. Deletes old counts of all keys. */
export async function useBytes(tx: Transaction, { keyId, bytes, most, now }: ByteUse): Promise<RateVerdict> {
  const minute = Math.floor(now.getTime() / minuteMs);
  await tx.lock(`bytes:${keyId}`);
  // A row for a minute in the future was written before the clock was set back.
  await tx.run("DELETE FROM byte_uses WHERE minute <= ? OR minute > ?", minute - minutesInHour, minute + 1);
  const uses = await tx.all<{ minute: number; bytes: number }>(
    "SELECT minute, bytes FROM byte_uses WHERE key_id = ? ORDER BY minute",
    keyId,
  );
  let over = uses.reduce((sum, use) => sum + use.bytes, bytes) - most;
  if (over > 0) {
    const freeing = uses.find((use) => {
      over -= use.bytes;
      return over <= 0;
    });
    const until = ((freeing?.minute ?? minute) + minutesInHour) * minuteMs;
    return { allowed: false, retryAfterSeconds: Math.ceil((until - now.getTime()) / 1_000) };
  }
  await addBytes(tx, { keyId, bytes, now });
  return { allowed: true };
}

/** Counts received bytes, even above the limit. */
export async function addBytes(
  tx: Transaction,
  { keyId, bytes, now }: Pick<ByteUse, "keyId" | "bytes" | "now">,
): Promise<void> {
  await tx.run(
    `INSERT INTO byte_uses (key_id, minute, bytes) VALUES (?, ?, ?)
     ON CONFLICT (key_id, minute) DO UPDATE SET bytes = byte_uses.bytes + excluded.bytes`,
    keyId,
    Math.floor(now.getTime() / minuteMs),
    bytes,
  );
}

/** Subtracts bytes that must not count, from the newest minute with at least this number of bytes. */
export async function giveBackBytes(tx: Transaction, keyId: string, bytes: number): Promise<void> {
  await tx.lock(`bytes:${keyId}`);
  const newest = await tx.get<{ minute: number }>(
    "SELECT max(minute) AS minute FROM byte_uses WHERE key_id = ? AND bytes >= ?",
    keyId,
    bytes,
  );
  if (newest)
    await tx.run(
      "UPDATE byte_uses SET bytes = bytes - ? WHERE key_id = ? AND minute = ?",
      bytes,
      keyId,
      newest.minute,
    );
}

/** One use of a limit by a key. */
interface LimitedUse {
  readonly key: string;
  readonly rule: RateLimit;
  readonly clock: Clock;
}

export type RateVerdict =
  | { readonly allowed: true }
  /** The smallest number of whole seconds after which the use is allowed. */
  | { readonly allowed: false; readonly retryAfterSeconds: number };

/** Counts one use if the limit allows it. On PostgreSQL, the time comes from the clock of the database. */
export async function consume(tx: Transaction, use: LimitedUse): Promise<RateVerdict> {
  for (;;) {
    const now = use.clock.now().getTime();
    if ((await tx.run(consumeSql(tx.engine, use.rule), ...consumeValues(tx.engine, use, now))) > 0)
      return { allowed: true };
    const verdict = await judge(tx, use, now);
    if (!verdict.allowed) return verdict;
  }
}

/** Removes the last use of `key`, for an attempt that must count only if it fails. */
export async function giveBack(tx: Transaction, key: string): Promise<void> {
  // The only condition is the key. PostgreSQL could check another condition against an old version of a row.
  await tx.run(
    `UPDATE rate_limits SET times = substr(times, 1, length(times) - ${digits}) WHERE key = ?`,
    key,
  );
  await tx.run("DELETE FROM rate_limits WHERE key = ? AND times = ''", key);
}

/** Returns the verdict that `consume` would return now. Does not count a use. */
export function peek(reader: Reader, use: LimitedUse): Promise<RateVerdict> {
  return judge(reader, use, use.clock.now().getTime());
}

/** Deletes all uses of these keys. */
export async function forget(tx: Transaction, keys: readonly string[]): Promise<void> {
  await tx.run(`DELETE FROM rate_limits WHERE key IN (${keys.map(() => "?").join(", ")})`, ...keys);
}

/** Deletes up to `most` rows in which all uses are older than the window. Returns the number of deleted rows. */
export async function prune(tx: Transaction, clock: Clock, most = 1_000): Promise<number> {
  const hour = hourOf(clock.now().getTime());
  return tx.run(
    `DELETE FROM rate_limits WHERE stale_hour < ?
     AND key IN (SELECT key FROM rate_limits WHERE stale_hour < ? LIMIT ?)`,
    hour,
    hour,
    most,
  );
}

async function judge(
  reader: Reader,
  { key, rule: { limit, windowSeconds }, clock }: LimitedUse,
  sqliteNow: number,
): Promise<RateVerdict> {
  const row: Uses | undefined = await (reader.engine === "sqlite"
    ? reader.get<Pick<Uses, "times">>("SELECT times FROM rate_limits WHERE key = ?", key)
    : reader.get<Required<Uses>>(
        `SELECT times, ${postgresNow} AS now FROM rate_limits WHERE key = ?`,
        clock.offsetMs,
        key,
      ));
  if (row === undefined) return { allowed: true };

  const { times, now = sqliteNow } = row;
  const windowMs = windowSeconds * 1_000;
  const last = Number(times.slice(-digits));
  const deciding = times.length < digits * limit ? 0 : Number(times.slice(-digits * limit).slice(0, digits));
  if (last > now + windowMs || deciding <= now - windowMs) return { allowed: true };
  return { allowed: false, retryAfterSeconds: Math.ceil((deciding + windowMs - now) / 1_000) };
}

interface Uses {
  readonly times: string;
  readonly now?: number;
}

/** A time has 13 digits: milliseconds since 1970. The equal length lets SQL divide a text into its times. */
const digits = 13;

const postgresNow = "(floor(extract(epoch FROM clock_timestamp()) * 1000) + CAST(? AS bigint))";

/** SQL expressions. `given` is the time of this use as text. `now` is the current time in milliseconds. */
const dialects = {
  sqlite: {
    given: "?",
    now: "CAST(excluded.times AS INTEGER)",
    right: (text: string, length: number) => `substr(${text}, -${length})`,
    greatest: "max",
  },
  postgres: {
    given: `lpad(CAST(${postgresNow} AS text), ${digits}, '0')`,
    now: postgresNow,
    right: (text: string, length: number) => `right(${text}, ${length})`,
    greatest: "greatest",
  },
} as const;

const texts = new Map<string, string>();

function consumeSql(engine: Engine, rule: RateLimit): string {
  return knownText(`${engine} ${rule.limit} ${rule.windowSeconds}`, () =>
    textFor(engine, rule, `VALUES (?, ${dialects[engine].given}, ?)`),
  );
}

function knownText(name: string, make: () => string): string {
  const sql = texts.get(name) ?? make();
  texts.set(name, sql);
  return sql;
}

/** Returns the statement of `consume`. `setBack` is true if the clock was set back by more than a window. */
function textFor(engine: Engine, { limit, windowSeconds }: RateLimit, rows: string): string {
  const { given, now, right, greatest } = dialects[engine];
  const windowMs = windowSeconds * 1_000;
  const times = "rate_limits.times";
  const last = right(times, digits);
  // On PostgreSQL, `stamp` is the time after the wait for the row lock. `excluded.times` is the time before the
  // wait.
  const stamp = engine === "sqlite" ? "excluded.times" : given;
  const deciding = `substr(${right(times, digits * limit)}, 1, ${digits})`;
  const setBack = `CAST(${last} AS BIGINT) > ${now} + ${windowMs}`;
  return `INSERT INTO rate_limits (key, times, stale_hour) ${rows}
    ON CONFLICT (key) DO UPDATE SET
      times = CASE WHEN ${setBack} THEN ${stamp}
        ELSE ${right(`${times} || ${greatest}(${last}, ${stamp})`, digits * limit)} END,
      stale_hour = excluded.stale_hour
    WHERE octet_length(${times}) < ${digits * limit} OR CAST(${deciding} AS BIGINT) <= ${now} - ${windowMs} OR ${setBack}`;
}

function consumeValues(engine: Engine, { key, rule, clock }: LimitedUse, now: number): Value[] {
  const staleHour = hourOf(now + rule.windowSeconds * 1_000) + 1;
  if (engine === "sqlite") return [key, String(now).padStart(digits, "0"), staleHour];
  const { offsetMs } = clock;
  return [key, offsetMs, staleHour, offsetMs, offsetMs, offsetMs, offsetMs, offsetMs];
}

/**
 * Returns the hours since 1970. A use rarely changes `stale_hour`, so the database rarely updates the index of
 * `stale_hour`.
 */
function hourOf(ms: number): number {
  return Math.floor(ms / 3_600_000);
}
