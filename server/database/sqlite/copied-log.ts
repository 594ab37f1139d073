/** So long grows the log of SQLite only if the program that copies it and writes it back has stopped. */
const mostBytes = 64 * 1_048_576;

export const isTooLong = (bytes: number): boolean => bytes > mostBytes;

export const longLog =
  "The log of SQLite is longer than 64 MiB: Litestream does not write it back. Is it running?";
