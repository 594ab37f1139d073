import { readSync, writeSync } from "node:fs";

/** The bytes of an open file, read through a window and overwritten in place. */
export interface FileBytes {
  readonly size: number;
  /** At most `length` bytes from `at`, fewer at the end of the file. Good until the next call. */
  read(at: number, length: number): Buffer;
  write(at: number, bytes: Uint8Array): void;
  /** Overwrites with zeros. */
  erase(at: number, length: number): void;
  /** Where `pattern` next begins; -1 where it does not. */
  find(pattern: Uint8Array, from: number): number;
}

const windowLength = 65_536;
const zeros = Buffer.alloc(windowLength);

export function openBytes(descriptor: number, size: number): FileBytes {
  let from = 0;
  let held = Buffer.alloc(0);

  const load = (at: number, length: number) => {
    const room = Buffer.alloc(Math.max(0, Math.min(Math.max(length, windowLength), size - at)));
    from = at;
    held = room.subarray(0, readAll(descriptor, room, at));
  };
  const read = (at: number, length: number) => {
    if (at < from || at + length > from + held.length) load(at, length);
    return held.subarray(at - from, at - from + length);
  };
  const write = (at: number, bytes: Uint8Array) => {
    held = Buffer.alloc(0);
    for (let done = 0; done < bytes.length; )
      done += writeSync(descriptor, bytes, done, bytes.length - done, at + done);
  };
  return {
    size,
    read,
    write,
    erase(at, length) {
      const end = Math.min(at + length, size);
      for (let next = at; next < end; next += zeros.length) write(next, zeros.subarray(0, end - next));
    },
    find(pattern, start) {
      for (let at = Math.max(0, start); at < size; at += windowLength - pattern.length) {
        const found = read(at, windowLength).indexOf(pattern);
        if (found !== -1) return at + found;
      }
      return -1;
    },
  };
}

function readAll(descriptor: number, into: Buffer, at: number): number {
  let done = 0;
  while (done < into.length) {
    const length = readSync(descriptor, into, done, into.length - done, at + done);
    if (length === 0) break;
    done += length;
  }
  return done;
}
