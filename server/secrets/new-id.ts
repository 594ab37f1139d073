import { randomFillSync } from "node:crypto";
import { v7 } from "uuid";

const idBytes = 16;
const idsAtOnce = 256;

/**
 * Gives ids: UUIDs of version 7, each greater than the one before, in a process whose clock was set back, too. Random
 * bytes are fetched for many at once: to ask for sixteen costs more than all else of an id.
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
      // A random beginning in the lower half, so that a millisecond has room for two thousand million more.
      seq = new DataView(bytes.buffer, bytes.byteOffset).getUint32(6) >>> 1;
    } else {
      seq += 1;
    }
    return v7({ random: bytes, msecs, seq });
  };
}
