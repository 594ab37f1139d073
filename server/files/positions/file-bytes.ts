import { readSync, writeSync } from "node:fs";

/**
 * The bytes of an open file. Only one part (the window) is in memory. Changes are written when the window
 * moves.
 */
export interface FileBytes {
  readonly size: number;
  /** Returns `length` bytes from `at`, or fewer at the file's end. The buffer is valid until the next call. */
  read(at: number, length: number): Buffer;
  /** Returns the bytes in memory from `at`, at least `least`. Fewer are returned only at the file's end. */
  readAhead(at: number, least: number): Buffer;
  write(at: number, bytes: Uint8Array): void;
  /** Overwrites bytes with zeros, or with `byte`. Does nothing if `length` is not positive. */
  erase(at: number, length: number, byte?: number): void;
  /** Returns the position of the first `pattern` between `from` and `end`; -1 if there is none. */
  find(pattern: Uint8Array, from: number, end?: number): number;
  /** Writes the changed bytes that are in memory to the file. Call `flush` at the end. */
  flush(): void;
}

const windowLength = 65_536;

/** Opens the bytes of a file of `size` bytes by its descriptor. */
export function openBytes(descriptor: number, size: number): FileBytes {
  let from = 0;
  let held = Buffer.alloc(0);
  let isChanged = false;

  const isHeld = (at: number, length: number) => at >= from && at + length <= from + held.length;
  const flush = () => {
    if (isChanged) writeAll(descriptor, held, from);
    isChanged = false;
  };
  const load = (at: number, length: number) => {
    flush();
    const buffer = Buffer.alloc(Math.max(0, Math.min(Math.max(length, windowLength), size - at)));
    from = at;
    held = buffer.subarray(0, readAll(descriptor, buffer, at));
  };
  const read = (at: number, length: number) => {
    if (!isHeld(at, length)) load(at, length);
    return held.subarray(at - from, at - from + length);
  };
  const readAhead = (at: number, least: number) => {
    if (!isHeld(at, least)) load(at, least);
    return held.subarray(at - from);
  };
  const write = (at: number, bytes: Uint8Array) => {
    if (isHeld(at, bytes.length)) {
      held.set(bytes, at - from);
      isChanged = true;
      return;
    }
    flush();
    held = Buffer.alloc(0);
    writeAll(descriptor, bytes, at);
  };
  return {
    size,
    read,
    readAhead,
    write,
    flush,
    erase(at, length, byte = 0) {
      const end = Math.min(at + length, size);
      if (end <= at) return;
      const fill = Buffer.alloc(Math.min(windowLength, end - at), byte);
      for (let next = at; next < end; next += fill.length) write(next, fill.subarray(0, end - next));
    },
    find(pattern, start, end = size) {
      for (let at = Math.max(0, start); at + pattern.length <= end; ) {
        const held = readAhead(at, pattern.length);
        const found = held.indexOf(pattern);
        if (found !== -1) return at + found + pattern.length <= end ? at + found : -1;
        at += Math.max(1, held.length - pattern.length + 1);
      }
      return -1;
    },
  };
}

function writeAll(descriptor: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(descriptor, bytes, done, bytes.length - done, at + done);
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
