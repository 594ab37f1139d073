import { createHash } from "node:crypto";
import type { Clock } from "../../clock.ts";
import type { Database, Engine, Reader, Transaction } from "./database.ts";
import { everyTopic } from "./topics.ts";

/** A step of the schema. Each text is one statement. If the engines differ, each engine has its own list. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly statements: readonly string[] | Readonly<Record<Engine, readonly string[]>>;
}

interface Applied {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

/**
 * Applies the missing migrations in one transaction. If several servers start at the same time, one migrates and the
 * others wait. Throws an Error with a message for the operator if the database is newer than this program, or if an
 * applied migration differs.
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
    for (const migration of pending(migrations, await appliedMigrations(tx), tx.engine))
      await apply(tx, migration, clock);
    // Servers of the release before may still run, and remember what a migration has changed.
    tx.signal(everyTopic);
  }, "long");
}

/** Whether the database has all migrations. Throws the same errors as `migrate`. */
export async function isCurrent(reader: Reader, migrations: readonly Migration[]): Promise<boolean> {
  if (!(await wasMigrated(reader))) return false;
  return pending(migrations, await appliedMigrations(reader), reader.engine).length === 0;
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

/** The migrations that were applied to the database, in their order. */
export function appliedMigrations(reader: Reader): Promise<Applied[]> {
  return reader.all<Applied>("SELECT number, name, checksum FROM migrations ORDER BY number");
}

function pending(migrations: readonly Migration[], applied: readonly Applied[], engine: Engine): Migration[] {
  const byNumber = new Map(migrations.map((migration) => [migration.number, migration]));
  for (const { number, name, checksum } of applied) {
    const known = byNumber.get(number);
    if (known === undefined)
      throw new Error(`${newer(number, name)} Update Innkeep, or restore a backup made before.`);
    if (checksumOf(known, engine) !== checksum)
      throw new Error(
        `Migration ${number} "${name}" is not the one that made this database. Install the release of Innkeep that made it.`,
      );
    byNumber.delete(number);
  }
  return [...byNumber.values()].sort((one, other) => one.number - other.number);
}

const newer = (number: number, name: string) =>
  `A newer Innkeep has changed this database: migration ${number} "${name}" is unknown here.`;

async function apply(tx: Transaction, migration: Migration, clock: Clock): Promise<void> {
  for (const statement of statementsFor(migration, tx.engine)) {
    assertSingle(statement);
    await tx.run(statement);
  }
  await tx.insert("migrations", {
    number: migration.number,
    name: migration.name,
    checksum: checksumOf(migration, tx.engine),
    applied_at: clock.now().toISOString(),
  });
}

/** SQLite would run the first of several statements and silently ignore the others. */
function assertSingle(statement: string): void {
  const code = statement.replace(/'[^']*'|"[^"]*"|--[^\n]*/g, "");
  if (/;\s*\S/.test(code) && !/^\s*CREATE TRIGGER/i.test(code))
    throw new Error(`A migration has several statements in one text: ${statement}`);
}

function statementsFor({ statements }: Migration, engine: Engine): readonly string[] {
  return "sqlite" in statements ? statements[engine] : statements;
}

function checksumOf(migration: Migration, engine: Engine): string {
  return createHash("sha256")
    .update(JSON.stringify(statementsFor(migration, engine)))
    .digest("hex");
}
