import { closeSync, openSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "../../src/credentials/folders.ts";
import { type Clock, systemClock } from "../clock.ts";
import type { Database } from "./database.ts";
import { explainFullDisk } from "./full-disk.ts";
import { type Migration, migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { isSafeVersion, nodeSqliteDriver, openSqlite, type SqliteDriver, sqlite3Driver } from "./sqlite.ts";

/** A SQLite file, or the URL of a PostgreSQL database. */
export type DatabaseAddress = { readonly file: string } | { readonly url: string };

export interface OpenOptions {
  /**
   * PostgreSQL: the maximum number of connections in the pool. The connection that listens for signals does not
   * count.
   */
  readonly poolSize?: number;
  /** PostgreSQL: how long a call may take. The default is no limit. */
  readonly patienceMs?: number;
  /** SQLite: the driver. The default is the best available driver. */
  readonly driver?: "sqlite3" | "node-sqlite" | SqliteDriver;
  /**
   * SQLite: whether another program, such as Litestream, copies the write-ahead log (WAL) and then writes it into the
   * database file.
   */
  readonly isCopied?: boolean;
  /** The migrations to apply. `none` leaves the schema unchanged. */
  readonly migrations?: readonly Migration[] | "none";
  readonly clock?: Clock;
}

/** Opens a database and updates its schema. Throws an Error for the operator if that fails. */
export async function openDatabase(address: DatabaseAddress, options: OpenOptions = {}): Promise<Database> {
  const database =
    "file" in address ? await openFile(address.file, options) : await openUrl(address.url, options);
  const wanted = options.migrations ?? migrations;
  if (wanted === "none") return database;
  try {
    await migrate(database, wanted, options.clock ?? systemClock);
  } catch (error) {
    await database.close();
    throw "file" in address ? await explainFullDisk(error, dirname(address.file)) : error;
  }
  return database;
}

async function openUrl(url: string, { poolSize, patienceMs }: OpenOptions): Promise<Database> {
  const { openPostgres } = await import("./postgres.lazy.ts");
  return openPostgres(url, { poolSize, patienceMs }).catch((cause: unknown) => {
    throw new Error(`PostgreSQL cannot be used (${reasonOf(cause)}). Check INNKEEP_DATABASE_URL.`, { cause });
  });
}

async function openFile(file: string, { driver, isCopied = false }: OpenOptions): Promise<Database> {
  const sqlite = typeof driver === "object" ? driver : await sqliteDriver(driver);
  try {
    makeFolder(dirname(file), 0o700);
    await makePrivate(file);
    return await openSqlite(sqlite, file, { isCopied });
  } catch (cause) {
    const fault = await explainFullDisk(cause, dirname(file));
    if (fault !== cause) throw fault;
    throw new Error(`${file} cannot be used as the database (${reasonOf(cause)}).`, { cause });
  }
}

/** Makes the database file readable by its owner only. SQLite creates its write-ahead log with the same mode. */
async function makePrivate(file: string): Promise<void> {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch {
    // The file already exists. A failure is ignored, because SQLite reports later whether the file can be used.
    for (const ending of ["", "-wal", "-shm"]) await chmod(file + ending, 0o600).catch(() => undefined);
  }
}

/** Returns the message of an error, or its code. The message is empty if several addresses are unreachable. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ("code" in error ? String(error.code) : error.name);
}

/** Returns the driver with this name, or the best one. Throws an Error for the operator if there is none. */
export async function sqliteDriver(name?: "sqlite3" | "node-sqlite"): Promise<SqliteDriver> {
  const builtIn = nodeSqliteDriver();
  if (name === "node-sqlite" && builtIn === undefined)
    throw new Error("This version of Node.js has no built-in SQLite.");
  const use = name ?? (isSafeVersion(process.versions.sqlite ?? "0") ? "node-sqlite" : "sqlite3");
  if (builtIn !== undefined && use === "node-sqlite") return builtIn;
  return npmDriver();
}

async function npmDriver(): Promise<SqliteDriver> {
  try {
    const { default: sqlite3 } = await import("sqlite3");
    return sqlite3Driver(sqlite3);
  } catch (cause) {
    throw new Error(
      "This version of Node.js has no usable built-in SQLite, and the package sqlite3 is not installed. Use Node.js 24 or newer, or install sqlite3, or use PostgreSQL.",
      { cause },
    );
  }
}
