import { stat } from "node:fs/promises";
import type { Writer } from "./writer.ts";

/**
 * In pages: the write-ahead log may grow to 16 MiB before SQLite copies it into the database file. So a page that
 * changes often is copied only once.
 */
export const checkpointPages = 4_000;

/**
 * Copies SQLite's write-ahead log into the database file and empties the log. Returns false if another connection needs
 * the log.
 */
export const emptyLog = (writer: Writer): Promise<boolean> =>
  writer.between(async (writing) => {
    const row = await writing.get<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)", []);
    return row?.busy === 0;
  });

/** Returns the length of the write-ahead log of a SQLite file, in bytes. */
export const logBytes = (file: string): Promise<number> =>
  stat(`${file}-wal`).then(
    ({ size }) => size,
    () => 0,
  );

/**
 * The write-ahead log becomes longer than this only if the program that copies it and writes it into the database file
 * has stopped.
 */
const mostBytes = 64 * 1_048_576;

export const isTooLong = (bytes: number): boolean => bytes > mostBytes;

export const longLog =
  "The log of SQLite is longer than 64 MiB: Litestream does not write it back. Is it running?";
