import { randomFillSync } from "node:crypto";
import { v7 } from "uuid";

const idBytes = 16;
const idsAtOnce = 256;

/**
 * Creates a generator of ids: UUIDs of version 7. Each id is greater than the one before, even if the clock is set back.
 * Random bytes are fetched for many ids together, because fetching 16 bytes takes longer than the rest of the work.
 */
export function createNewId(): () => string {
  const pool = new Uint8Array(idBytes * idsAtOnce);
  let used = pool.length;
  let msecs = 0;
  let seq = 0;

  function random(): Uint8Array {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    used += idBytes;
    return pool.subarray(used - idBytes, used);
  }

  return () => {
    const bytes = random();
    const now = Date.now();
    if (now > msecs) {
      msecs = now;
      // The sequence starts in the lower half of its range, so a millisecond has room for two thousand million more ids.
      seq = new DataView(bytes.buffer, bytes.byteOffset).getUint32(6) >>> 1;
    } else {
      seq += 1;
    }
    return v7({ random: bytes, msecs, seq });
  };
}
