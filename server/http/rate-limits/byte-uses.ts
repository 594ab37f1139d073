import type { Transaction } from "../../database/database.ts";
import type { RateVerdict } from "./store.ts";

/** The bytes that a key wants to send now, and the most that it may send within an hour. */
export interface ByteUse {
  readonly keyId: string;
  readonly bytes: number;
  readonly most: number;
  readonly now: Date;
}

const minutesInHour = 60;
const minuteMs = 60_000;

/** Counts the bytes if the hourly limit allows them. Otherwise counts nothing and says when the limit will allow them. */
export async function useBytes(tx: Transaction, { keyId, bytes, most, now }: ByteUse): Promise<RateVerdict> {
  const minute = Math.floor(now.getTime() / minuteMs);
  await tx.lock(`bytes:${keyId}`);
  // Minutes in the future were counted before the clock was set back.
  await tx.run("DELETE FROM byte_uses WHERE minute <= ? OR minute > ?", minute - minutesInHour, minute + 1);
  const uses = await tx.all<{ minute: number; bytes: number }>(
    "SELECT minute, bytes FROM byte_uses WHERE key_id = ? ORDER BY minute",
    keyId,
  );
  let over = uses.reduce((sum, use) => sum + use.bytes, bytes) - most;
  if (over > 0) {
    const room = uses.find((use) => {
      over -= use.bytes;
      return over <= 0;
    });
    const until = ((room?.minute ?? minute) + minutesInHour) * minuteMs;
    return { allowed: false, retryAfterSeconds: Math.ceil((until - now.getTime()) / 1_000) };
  }
  await addBytes(tx, { keyId, bytes, now });
  return { allowed: true };
}

/** Counts received bytes, even beyond the limit. */
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

/**
 * Takes back counted bytes from the newest minute that has enough, because a repeated request must not use up the limit.
 */
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
