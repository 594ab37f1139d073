import { stat } from "node:fs/promises";
import type { Writer } from "./writer.ts";

/** The log may grow to 16 MiB before SQLite writes it back, so that a page that changes often is written back once. */
export const checkpointPages = 4_000;

/** Writes the log of SQLite back into the file and empties it. Returns false if another connection needs the log. */
export const emptyLog = (writer: Writer): Promise<boolean> =>
  writer.between(async (writing) => {
    const row = await writing.get<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)", []);
    return row?.busy === 0;
  });

/** Returns the length of the log of a SQLite file on the disk, in bytes. */
export const logBytes = (file: string): Promise<number> =>
  stat(`${file}-wal`).then(
    ({ size }) => size,
    () => 0,
  );

/** The log of SQLite becomes so long only if the program that copies it and writes it back has stopped. */
const mostBytes = 64 * 1_048_576;

export const isTooLong = (bytes: number): boolean => bytes > mostBytes;

export const longLog =
  "The log of SQLite is longer than 64 MiB: Litestream does not write it back. Is it running?";
