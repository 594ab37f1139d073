import type { Clock } from "../../clock.ts";
import type { Engine, Reader, Transaction, Value } from "../engine/database.ts";

/** At most `limit` in any `windowSeconds`. */
export interface RateLimit {
  readonly limit: number;
  readonly windowSeconds: number;
}

export type RateVerdict =
  | { readonly allowed: true }
  /** Whole seconds: after so many it is allowed, one second earlier it is not. */
  | { readonly allowed: false; readonly retryAfterSeconds: number };

/**
 * Counts one use of `key`, if the limit allows it; refusals are not counted. It stands or falls with the transaction.
 * A row holds the times of the last uses: the one `limit` uses ago decides. On PostgreSQL the row is locked until the
 * transaction ends and time is the database's, so that servers whose clocks differ agree; on SQLite it is `clock`'s.
 */
export async function consume(
  tx: Transaction,
  key: string,
  rule: RateLimit,
  clock: Clock,
): Promise<RateVerdict> {
  for (;;) {
    const now = clock.now().getTime();
    if ((await tx.run(consumeSql(tx.engine, rule), ...consumeValues(tx.engine, key, rule, clock, now))) > 0)
      return { allowed: true };
    const verdict = await judge(tx, key, rule, clock, now);
    if (!verdict.allowed) return verdict;
  }
}

/** Gives back the last use of `key`: for what counts only when it fails, and had to be counted before it was tried. */
export async function giveBack(tx: Transaction, key: string): Promise<void> {
  // Whatever the row holds: on PostgreSQL a condition would be judged by how it was before others had their turn.
  await tx.run(
    `UPDATE rate_limits SET times = substr(times, 1, length(times) - ${digits}) WHERE key = ?`,
    key,
  );
  await tx.run("DELETE FROM rate_limits WHERE key = ? AND times = ''", key);
}

/** What `consume` would answer now. Counts nothing. */
export function peek(reader: Reader, key: string, rule: RateLimit, clock: Clock): Promise<RateVerdict> {
  return judge(reader, key, rule, clock, clock.now().getTime());
}

/** Forgets all uses of some keys. */
export async function forget(tx: Transaction, keys: readonly string[]): Promise<void> {
  await tx.run(`DELETE FROM rate_limits WHERE key IN (${keys.map(() => "?").join(", ")})`, ...keys);
}

/** Removes up to `most` keys whose uses no longer matter, and gives how many there were. */
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
  key: string,
  { limit, windowSeconds }: RateLimit,
  clock: Clock,
  sqliteNow: number,
): Promise<RateVerdict> {
  const row = await (reader.engine === "sqlite"
    ? reader.get<Uses>("SELECT times FROM rate_limits WHERE key = ?", key)
    : reader.get<Uses>(
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

/** A time is this many digits of milliseconds since 1970, so that a row of times can be cut by its length. */
const digits = 13;

const postgresNow = "(floor(extract(epoch FROM clock_timestamp()) * 1000) + CAST(? AS bigint))";

/** `given` is the time of this use as it is stored; `now` is the present in milliseconds, as the conflict clause may read it. */
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
  const name = `${engine} ${rule.limit} ${rule.windowSeconds}`;
  const known = texts.get(name);
  if (known !== undefined) return known;
  const sql = textFor(engine, rule);
  texts.set(name, sql);
  return sql;
}

/**
 * A clock that was set back by more than a window begins anew; one that was set back by less never makes a later use look
 * earlier than the one before. On PostgreSQL `now` is read again after the wait for the row, hence not from `excluded`.
 */
function textFor(engine: Engine, { limit, windowSeconds }: RateLimit): string {
  const { given, now, right, greatest } = dialects[engine];
  const windowMs = windowSeconds * 1_000;
  const times = "rate_limits.times";
  const last = right(times, digits);
  const stamp = engine === "sqlite" ? "excluded.times" : given;
  const deciding = `substr(${right(times, digits * limit)}, 1, ${digits})`;
  const setBack = `CAST(${last} AS BIGINT) > ${now} + ${windowMs}`;
  return `INSERT INTO rate_limits (key, times, stale_hour) VALUES (?, ${given}, ?)
    ON CONFLICT (key) DO UPDATE SET
      times = CASE WHEN ${setBack} THEN ${stamp}
        ELSE ${right(`${times} || ${greatest}(${last}, ${stamp})`, digits * limit)} END,
      stale_hour = excluded.stale_hour
    WHERE octet_length(${times}) < ${digits * limit} OR CAST(${deciding} AS BIGINT) <= ${now} - ${windowMs} OR ${setBack}`;
}

function consumeValues(engine: Engine, key: string, rule: RateLimit, clock: Clock, now: number): Value[] {
  const staleHour = hourOf(now + rule.windowSeconds * 1_000) + 1;
  if (engine === "sqlite") return [key, String(now).padStart(digits, "0"), staleHour];
  const { offsetMs } = clock;
  return [key, offsetMs, staleHour, offsetMs, offsetMs, offsetMs, offsetMs, offsetMs];
}

/** Hours since 1970: as precise as pruning needs, and rarely new, so that most uses touch no index. */
function hourOf(ms: number): number {
  return Math.floor(ms / 3_600_000);
}
