import { createHash } from "node:crypto";
import type { Clock } from "../clock.ts";
import type { Database, Engine, Reader, Transaction } from "./database.ts";
import { everyTopic } from "./transaction.ts";

/** One change of the schema. Each text is one statement. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly statements: readonly string[] | Readonly<Record<Engine, readonly string[]>>;
  /** The number of an older migration. This migration runs before it, so that the older migration is faster. */
  readonly runsBefore?: number;
  /**
   * The earlier migrations that this migration replaces. A database with exactly those migrations already has
   * everything that this migration creates.
   */
  readonly replaces?: Replaced;
}

/**
 * Applies the missing migrations in one transaction. Throws an Error if the database is newer, too old, or
 * different.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  clock: Clock,
): Promise<void> {
  if (await isCurrent(database, migrations)) return;
  await database.write(async (tx) => {
    await tx.lock("innkeep migrations");
    await tx.run(`CREATE TABLE IF NOT EXISTS migrations (
      number BIGINT PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at TEXT NOT NULL)`);
    const applied = await appliedMigrations(tx);
    const replacing = standIn(migrations, applied, tx.engine);
    if (replacing) await replaceRows(tx, replacing, clock);
    const present = replacing ? [rowOf(replacing, tx.engine)] : applied;
    for (const migration of pending(migrations, present, tx.engine)) await apply(tx, migration, clock);
    // Servers of the previous release may still run. This signal empties their caches, which may contain old data.
    tx.signal(everyTopic);
  }, "long");
}

/** Whether the database has all migrations. Throws the same errors as `migrate`. */
export async function isCurrent(reader: Reader, migrations: readonly Migration[]): Promise<boolean> {
  if (!(await wasMigrated(reader))) return false;
  const applied = await appliedMigrations(reader);
  if (standIn(migrations, applied, reader.engine)) return false;
  return pending(migrations, applied, reader.engine).length === 0;
}

/** Whether the database was ever migrated. */
export async function wasMigrated(reader: Reader): Promise<boolean> {
  const row = await reader.get(
    reader.engine === "sqlite"
      ? "SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'"
      : "SELECT 1 AS found WHERE to_regclass('migrations') IS NOT NULL",
  );
  return row !== undefined;
}

/** Returns the migrations that were applied to the database, in order. */
export function appliedMigrations(reader: Reader): Promise<Applied[]> {
  return reader.all<Applied>("SELECT number, name, checksum FROM migrations ORDER BY number");
}

/**
 * Returns the migrations of a database or backup. Returns `older` or `newer` if this program lacks some of
 * them.
 */
export function schemaOf(
  applied: readonly Named[],
  migrations: readonly Migration[],
): readonly Migration[] | "older" | "newer" {
  const [first] = migrations;
  if (first?.replaces && isFromBefore(applied, first.replaces))
    return hasNamesOf(applied, first.replaces) ? [first] : "older";
  const known = migrations.filter(({ number, name }) =>
    applied.some((other) => other.number === number && other.name === name),
  );
  return known.length === applied.length ? known : "newer";
}

/**
 * Returns the first migration if the database has exactly the replaced migrations. Throws an Error for other
 * old databases.
 */
function standIn(migrations: readonly Migration[], applied: readonly Applied[], engine: Engine) {
  const [first] = migrations;
  if (!first?.replaces || !isFromBefore(applied, first.replaces)) return undefined;
  if (hasAllOf(applied, first.replaces, engine)) return first;
  throw tooOld("database", applied, first.replaces);
}

function pending(migrations: readonly Migration[], applied: readonly Applied[], engine: Engine): Migration[] {
  const byNumber = new Map(migrations.map((migration) => [migration.number, migration]));
  for (const { number, name, checksum } of applied) {
    const known = byNumber.get(number);
    if (known === undefined)
      throw new Error(
        `${newer(number, name)} Update Innkeep, or restore a backup that was created before that change.`,
      );
    if (checksumOf(known, engine) !== checksum)
      throw new Error(
        `Migration ${number} "${name}" differs from the migration that was applied to this database. Install the release of Innkeep that created the database.`,
      );
    byNumber.delete(number);
  }
  return [...byNumber.values()].sort((one, other) => placeOf(one) - placeOf(other));
}

const placeOf = ({ number, runsBefore }: Migration): number =>
  runsBefore === undefined ? number : runsBefore - 0.5;

const newer = (number: number, name: string) =>
  `A newer Innkeep has changed this database: migration ${number} "${name}" is not in this version.`;

async function apply(tx: Transaction, migration: Migration, clock: Clock): Promise<void> {
  for (const statement of statementsFor(migration, tx.engine)) {
    assertSingle(statement);
    await tx.run(statement);
  }
  await note(tx, migration, clock);
}

async function replaceRows(tx: Transaction, migration: Migration, clock: Clock): Promise<void> {
  await tx.run("DELETE FROM migrations");
  await note(tx, migration, clock);
}

const note = (tx: Transaction, migration: Migration, clock: Clock): Promise<void> =>
  tx.insert("migrations", { ...rowOf(migration, tx.engine), applied_at: clock.now().toISOString() });

const rowOf = (migration: Migration, engine: Engine): Applied => ({
  number: migration.number,
  name: migration.name,
  checksum: checksumOf(migration, engine),
});

/** Throws an Error if a text contains several statements. SQLite would silently ignore all except the first. */
function assertSingle(statement: string): void {
  const code = statement.replace(/'[^']*'|"[^"]*"|--[^\n]*/g, "");
  if (/;\s*\S/.test(code) && !/^\s*CREATE TRIGGER/i.test(code))
    throw new Error(`A migration has several statements in one text: ${statement}`);
}

function statementsFor({ statements }: Migration, engine: Engine): readonly string[] {
  return "sqlite" in statements ? statements[engine] : statements;
}

/** A migration that replaces others has the checksum of the replaced migrations. So its statements may be rewritten. */
const checksumOf = (migration: Migration, engine: Engine): string =>
  migration.replaces?.checksums[engine] ?? hashOf(statementsFor(migration, engine));

/**
 * The description of the migrations that another migration replaces. This program no longer contains their
 * statements.
 */
export interface Replaced {
  /** The last commit that contains these migrations. */
  readonly commit: string;
  readonly count: number;
  /** The number of the last replaced migration. */
  readonly last: number;
  /** The hash of the numbers and names of the replaced migrations. */
  readonly names: string;
  /** The hash of the numbers, names and checksums of the replaced migrations. */
  readonly checksums: Readonly<Record<Engine, string>>;
}

/**
 * The number and the name of an applied migration. The checksum is missing, because a backup does not contain
 * checksums.
 */
export interface Named {
  readonly number: number;
  readonly name: string;
}

interface Applied extends Named {
  readonly checksum: string;
}

/** Whether `applied` contains migrations, and none of them is newer than the last replaced migration. */
const isFromBefore = (applied: readonly Named[], { last }: Replaced): boolean =>
  applied.length > 0 && applied.every(({ number }) => number <= last);

/** Whether a backup has exactly the replaced migrations. */
const hasNamesOf = (applied: readonly Named[], { names }: Replaced): boolean =>
  hashOf(applied.map(({ number, name }) => [number, name])) === names;

/** Whether a database has exactly the replaced migrations. */
const hasAllOf = (applied: readonly Applied[], { checksums }: Replaced, engine: Engine): boolean =>
  hashOf(applied.map(({ number, name, checksum }) => [number, name, checksum])) === checksums[engine];

/** Returns an error for the operator, because some replaced migrations are missing or different. */
export function tooOld(what: "database" | "backup", applied: readonly Named[], replaced: Replaced): Error {
  const { commit, count, last } = replaced;
  const newest = applied.at(-1);
  const found =
    applied.length < count
      ? `it has ${applied.length} migrations up to ${newest?.number} "${newest?.name}", but this version needs all ${count} migrations up to ${last}`
      : `its migrations are not the ${count} migrations that this version can continue`;
  const restore = what === "backup" ? `Restore it with commit ${commit} of \`main\`. ` : "";
  return new Error(
    `This version of Innkeep cannot use this ${what}: ${found}. ${restore}Start once with commit ${commit} of \`main\`, then with this version.`,
  );
}

const hashOf = (value: unknown): string => createHash("sha256").update(JSON.stringify(value)).digest("hex");
