import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type DatabaseAddress, openDatabase } from "../../../server/database/open.ts";

/** An empty, migrated database of each engine. To copy one is much faster than to migrate a new one. */
export interface MigratedTemplates {
  /** Path of the SQLite file. */
  readonly sqliteFile: string;
  /** Name of the database in the PostgreSQL cluster. */
  readonly postgresName: string;
}

/**
 * Creates the templates. The second one is in the cluster at `clusterUrl`, if there is a cluster. `remove` deletes the
 * file.
 */
export async function makeTemplates(
  clusterUrl: string | undefined,
): Promise<MigratedTemplates & { remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "innkeep-template-"));
  const sqliteFile = join(folder, "innkeep.sqlite");
  const postgresName = "innkeep_template";
  await migrate({ file: sqliteFile });
  if (clusterUrl !== undefined) {
    await atCluster(clusterUrl, createDatabase(postgresName, "template0"));
    await migrate({ url: databaseUrl(clusterUrl, postgresName) });
  }
  return { sqliteFile, postgresName, remove: () => rm(folder, { recursive: true, force: true }) };
}

async function migrate(address: DatabaseAddress): Promise<void> {
  const database = await openDatabase(address);
  await database.close();
}

/** The statement that creates a database as a copy of `template`, sorted by code points. */
export const createDatabase = (name: string, template: string): string =>
  `CREATE DATABASE ${name} TEMPLATE ${template} LC_COLLATE 'C' LC_CTYPE 'C'`;

/** The URL of another database of a cluster. */
export function databaseUrl(clusterUrl: string, name: string): string {
  const url = new URL(clusterUrl);
  url.pathname = name;
  return url.href;
}

/** Runs one statement on the maintenance database of a cluster. */
export async function atCluster(clusterUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: clusterUrl });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}
