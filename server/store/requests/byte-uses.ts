import type { Transaction } from "../engine/database.ts";
import type { RateVerdict } from "./rate-limits.ts";

/** So many bytes that a key wants to send, of those that it may send within an hour. */
export interface ByteUse {
  readonly keyId: string;
  readonly bytes: number;
  readonly most: number;
  readonly now: Date;
}

const minutesInHour = 60;
const minuteMs = 60_000;

/** Counts the bytes, if the hour has room for them; otherwise tells when it will have, and counts nothing. */
export async function useBytes(tx: Transaction, { keyId, bytes, most, now }: ByteUse): Promise<RateVerdict> {
  const minute = Math.floor(now.getTime() / minuteMs);
  await tx.lock(`bytes:${keyId}`);
  // Beyond the present is what was counted before a clock was set back.
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

/** Counts bytes that have come, whatever room there was for them. */
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

/** Gives back bytes that were counted, the newest first: a repeat uses up no limit. */
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
