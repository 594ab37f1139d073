import { closeSync, openSync, readSync } from "node:fs";
import { systemClock } from "../../../clock.ts";
import type { Connection, WrittenBack } from "../drivers/connection.ts";
import type { LogMark } from "../write-log.ts";
import { dataVersion } from "./foreign-changes.ts";
import { logHeaderLength } from "./log-frames.ts";

/** The end of the log of a file. Call it between two transactions of the writing connection. */
export async function markOf(writing: Connection, file: string): Promise<LogMark> {
  // First, so that a commit of another process between the two statements changes a later version.
  const version = await dataVersion(writing);
  const { log } = await lengthOf(writing);
  return { run: saltOf(file), frames: log, at: systemClock.now(), version };
}

/** How long the log is. Call it between two transactions of the writing connection. */
export async function lengthOf(writing: Connection): Promise<WrittenBack> {
  const row = await writing.get<WrittenBack>("PRAGMA wal_checkpoint(NOOP)", []);
  if (!row || row.log < 0) throw new Error("SQLite does not say where its log ends.");
  return row;
}

/** The salt in the header of the log; empty if there is none. */
function saltOf(file: string): string {
  const header = Buffer.alloc(logHeaderLength);
  let descriptor: number | undefined;
  try {
    descriptor = openSync(`${file}-wal`, "r");
    return readSync(descriptor, header) < logHeaderLength ? "" : header.toString("hex", 16, 24);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
