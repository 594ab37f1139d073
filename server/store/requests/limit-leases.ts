import type { RateLimit } from "../../domain/limits/use-log.ts";
import type { Reader, Transaction } from "../engine/database.ts";

/** A share of a limit, which one server may use up alone. */
export interface Lease {
  readonly id: string;
  readonly uses: number;
}

export type LeaseVerdict =
  | { readonly allowed: true; readonly lease: Lease }
  | { readonly allowed: false; readonly retryAfterSeconds: number };

/** What a server asks for. `lastsMs`: for how long it may use its share. `offsetMs`: the clock of a test. */
export interface LeaseWish {
  readonly id: string;
  readonly key: string;
  readonly rule: RateLimit;
  readonly most: number;
  readonly lastsMs: number;
  readonly offsetMs: number;
}

interface Held {
  readonly ends_at: string;
  readonly uses: number;
}

/**
 * Shares of limits on PostgreSQL. All of a share counts as used at the end of its lease, until the server says how many it
 * has used. So no window ever has more uses than the limit. (rule H16)
 */
export const limitLeases = {
  /** Takes up to `most` uses of a limit, as part of the transaction. */
  async take(tx: Transaction, wish: LeaseWish): Promise<LeaseVerdict> {
    const { id, key, rule, lastsMs } = wish;
    await tx.lock(`limit ${key}`);
    const windowMs = rule.windowSeconds * 1_000;
    const now = await nowOf(tx, wish.offsetMs);
    // After a clock was set back by more than a window, what is later than this says nothing.
    const last = now + windowMs + lastsMs;
    await tx.run("DELETE FROM limit_leases WHERE key = ? AND stale_at <= ?", key, now);
    const held = await tx.all<Held>(
      "SELECT ends_at, uses FROM limit_leases WHERE key = ? AND ends_at > ? AND ends_at <= ? ORDER BY ends_at",
      key,
      now - windowMs,
      last,
    );
    const free = rule.limit - held.reduce((sum, { uses }) => sum + uses, 0);
    if (free < 1)
      return { allowed: false, retryAfterSeconds: secondsUntilFree(held, free, { now, windowMs }) };
    const uses = Math.min(wish.most, free);
    const endsAt = now + lastsMs;
    await tx.insert("limit_leases", { id, key, ends_at: endsAt, uses, stale_at: endsAt + windowMs });
    return { allowed: true, lease: { id, uses } };
  },

  /** The verdict that `take` would give. */
  async look(
    reader: Reader,
    { key, rule, offsetMs }: Pick<LeaseWish, "key" | "rule" | "offsetMs">,
  ): Promise<{ readonly allowed: true } | { readonly allowed: false; readonly retryAfterSeconds: number }> {
    const now = await nowOf(reader, offsetMs);
    const windowMs = rule.windowSeconds * 1_000;
    const sql = "SELECT ends_at, uses FROM limit_leases WHERE key = ? AND ends_at > ? ORDER BY ends_at";
    const held = await reader.all<Held>(sql, key, now - windowMs);
    const free = rule.limit - held.reduce((sum, { uses }) => sum + uses, 0);
    return free > 0
      ? { allowed: true }
      : { allowed: false, retryAfterSeconds: secondsUntilFree(held, free, { now, windowMs }) };
  },

  /** Stores how many uses of ended leases count. */
  async settle(tx: Transaction, leases: readonly Lease[]): Promise<void> {
    const used = leases.filter(({ uses }) => uses > 0);
    const unused = leases.filter(({ uses }) => uses === 0);
    for (const { id, uses } of used) await tx.run("UPDATE limit_leases SET uses = ? WHERE id = ?", uses, id);
    for (const { id } of unused) await tx.run("DELETE FROM limit_leases WHERE id = ?", id);
  },

  /** Removes up to `most` leases that no longer matter. Gives their number. `now`: milliseconds since 1970. */
  prune: (tx: Transaction, now: number, most: number): Promise<number> =>
    tx.run(
      `DELETE FROM limit_leases WHERE stale_at < ?
       AND id IN (SELECT id FROM limit_leases WHERE stale_at < ? LIMIT ?)`,
      now,
      now,
      most,
    ),
};

/** The time of the database, so that servers with different clocks agree. */
async function nowOf(reader: Reader, offsetMs: number): Promise<number> {
  const row = await reader.get<{ now: string }>(
    "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000) + CAST(? AS bigint) AS now",
    offsetMs,
  );
  return Number(row?.now);
}

interface Moment {
  readonly now: number;
  readonly windowMs: number;
}

/** After how many whole seconds one use is free: at most the window, although a share counts from its end. */
function secondsUntilFree(held: readonly Held[], free: number, { now, windowMs }: Moment): number {
  let freed = free;
  for (const { ends_at, uses } of held) {
    freed += uses;
    if (freed > 0)
      return Math.max(1, Math.ceil(Math.min(windowMs, Number(ends_at) + windowMs - now) / 1_000));
  }
  return 1;
}
