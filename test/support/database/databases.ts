import { randomUUID } from "node:crypto";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import type { Database, Engine } from "../../../server/database/database.ts";
import { type DatabaseAddress, type OpenOptions, openDatabase } from "../../../server/database/open.ts";
import { isSafeVersion } from "../../../server/database/sqlite.ts";
import { quickFolder } from "../files/quick-folder.ts";
import { atCluster, createDatabase, databaseUrl } from "./migrated-templates.ts";

/** A separate database. */
export interface TestDatabase {
  readonly address: DatabaseAddress;
  /** Opens it, and migrates it by default. `remove` closes the opened connections. */
  open(options?: OpenOptions): Promise<Database>;
  remove(): Promise<void>;
}

export interface TestEngine {
  /** The driver: `sqlite3`, `node-sqlite` or `postgres`. */
  readonly name: string;
  readonly engine: Engine;
  /** A database with the whole schema and no rows. */
  create(): Promise<TestDatabase>;
  /** A database without a schema. */
  createEmpty(): Promise<TestDatabase>;
}

/** The default engine of this Node.js without a database server. */
export const sqlite: TestEngine = {
  name: isSafeVersion(process.versions.sqlite ?? "0") ? "node-sqlite" : "sqlite3",
  engine: "sqlite",
  async create() {
    const database = await createSqliteDatabase();
    await copyFile(inject("templates").sqliteFile, database.address.file);
    return database;
  },
  createEmpty: createSqliteDatabase,
};

export const postgres: TestEngine = {
  name: "postgres",
  engine: "postgres",
  create: () => createPostgresDatabase(inject("postgresUrl"), inject("templates").postgresName),
  createEmpty: () => createPostgresDatabase(inject("postgresUrl")),
};

/**
 * The engines of this group of tests (see vitest.config.ts), for tests whose subject depends on the database:
 * `describe.each(databases)("… on $name", (engine) => …)`.
 */
export const databases: readonly TestEngine[] = [sqlite, postgres].filter(({ engine }) =>
  enginesOfGroup().includes(engine),
);

/** The pictures are drawn by a separate program, which belongs to no group. */
function enginesOfGroup() {
  return process.env.VITEST === undefined ? [] : inject("engines");
}

/** The engines that several servers on several machines can share. The first tier has none. */
export const sharedDatabases: readonly TestEngine[] = databases.filter(({ engine }) => engine === "postgres");

async function createSqliteDatabase() {
  const folder = await mkdtemp(join(quickFolder, "innkeep-db-"));
  const address = { file: join(folder, "innkeep.sqlite") };
  return { ...testDatabase(address, () => rm(folder, { recursive: true, force: true })), address };
}

/** A new database in the cluster whose maintenance database is at `clusterUrl`, as a copy of `template`. */
export async function createPostgresDatabase(
  clusterUrl: string,
  template = "template0",
): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await atCluster(clusterUrl, createDatabase(name, template));
  const drop = () => atCluster(clusterUrl, `DROP DATABASE ${name} WITH (FORCE)`);
  return testDatabase({ url: databaseUrl(clusterUrl, name) }, drop);
}

function testDatabase(address: DatabaseAddress, drop: () => Promise<unknown>): TestDatabase {
  const opened: Database[] = [];
  return {
    address,
    async open(options) {
      const database = await openDatabase(address, options);
      opened.push(database);
      return database;
    },
    async remove() {
      await Promise.all(opened.map((database) => database.close()));
      await drop();
    },
  };
}
