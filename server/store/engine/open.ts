import { closeSync, openSync } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { type Clock, systemClock } from "../../clock.ts";
import type { Database } from "./database.ts";
import type { SqliteDriver } from "./drivers/connection.ts";
import { nodeSqliteDriver } from "./drivers/node-sqlite.ts";
import { migrations } from "./migrations/all-migrations.ts";
import { type Migration, migrate } from "./migrations/migrate.ts";
import { isSound, openSqlite } from "./sqlite/sqlite.ts";

/** A SQLite file, or the URL of a PostgreSQL database. */
export type DatabaseAddress = { readonly file: string } | { readonly url: string };

export interface OpenOptions {
  /** PostgreSQL: the most connections beside the listening one. */
  readonly poolSize?: number;
  /** PostgreSQL: how long a call may take; without limit unless given. */
  readonly patienceMs?: number;
  /** SQLite: the driver to use instead of the best one there is. */
  readonly driver?: "sqlite3" | "node-sqlite" | SqliteDriver;
  /** What to bring the schema to; `none` leaves it as it is. */
  readonly migrations?: readonly Migration[] | "none";
  readonly clock?: Clock;
}

/** Opens a database with its schema brought up to date. Throws a sentence for the operator where it cannot be used. */
export async function openDatabase(address: DatabaseAddress, options: OpenOptions = {}): Promise<Database> {
  const database =
    "file" in address ? await openFile(address.file, options) : await openUrl(address.url, options);
  const wanted = options.migrations ?? migrations;
  if (wanted === "none") return database;
  try {
    await migrate(database, wanted, options.clock ?? systemClock);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

async function openUrl(url: string, { poolSize, patienceMs }: OpenOptions): Promise<Database> {
  const { openPostgres } = await import("./drivers/postgres.ts");
  return openPostgres(url, { poolSize, patienceMs }).catch((cause: unknown) => {
    throw new Error(`PostgreSQL cannot be used (${reasonOf(cause)}). Check INNKEEP_DATABASE_URL.`, { cause });
  });
}

async function openFile(file: string, { driver }: OpenOptions): Promise<Database> {
  const sqlite = typeof driver === "object" ? driver : await sqliteDriver(driver);
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await makePrivate(file);
    return await openSqlite(sqlite, file);
  } catch (cause) {
    throw new Error(`${file} cannot be used as the database (${reasonOf(cause)}).`, { cause });
  }
}

/** Only the owner can read the database. SQLite makes its log with the mode of the database. */
async function makePrivate(file: string): Promise<void> {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch {
    // It exists. Somebody else's file stays as it is: SQLite says whether it can be used.
    for (const ending of ["", "-wal", "-shm"]) await chmod(file + ending, 0o600).catch(() => undefined);
  }
}

/** Where a name has several addresses, the error has no message but a code. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ("code" in error ? String(error.code) : error.name);
}

/** The driver of that name, or the best one there is. Throws a sentence where it is missing. */
export async function sqliteDriver(name?: "sqlite3" | "node-sqlite"): Promise<SqliteDriver> {
  const builtIn = nodeSqliteDriver();
  if (name === "node-sqlite" && builtIn === undefined)
    throw new Error("This Node.js has no SQLite of its own.");
  const use = name ?? (isSound(process.versions.sqlite ?? "0") ? "node-sqlite" : "sqlite3");
  if (builtIn !== undefined && use === "node-sqlite") return builtIn;
  return npmDriver();
}

async function npmDriver(): Promise<SqliteDriver> {
  try {
    return (await import("./drivers/sqlite3.ts")).sqlite3Driver;
  } catch (cause) {
    throw new Error(
      "This Node.js has no sound SQLite of its own, and the package sqlite3 is not installed. Use Node.js 24 or newer, or install sqlite3, or use PostgreSQL.",
      { cause },
    );
  }
}
