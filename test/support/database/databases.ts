import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { inject } from "vitest";
import type { Database, Engine } from "../../../server/store/engine/database.ts";
import { type DatabaseAddress, type OpenOptions, openDatabase } from "../../../server/store/engine/open.ts";
import { isSound } from "../../../server/store/engine/sqlite/sqlite.ts";

/** An empty database of its own. */
export interface TestDatabase {
  readonly address: DatabaseAddress;
  /** Opens it, migrated unless told otherwise. What was opened is closed by `remove`. */
  open(options?: OpenOptions): Promise<Database>;
  remove(): Promise<void>;
}

export interface TestEngine {
  /** The driver: `sqlite3`, `node-sqlite` or `postgres`. */
  readonly name: string;
  readonly engine: Engine;
  create(): Promise<TestDatabase>;
}

/** The engine every deployment of this Node.js gets without a database server. */
export const sqlite: TestEngine = {
  name: isSound(process.versions.sqlite ?? "0") ? "node-sqlite" : "sqlite3",
  engine: "sqlite",
  async create() {
    const folder = await mkdtemp(join(tmpdir(), "innkeep-db-"));
    return testDatabase({ file: join(folder, "innkeep.sqlite") }, () =>
      rm(folder, { recursive: true, force: true }),
    );
  },
};

export const postgres: TestEngine = {
  name: "postgres",
  engine: "postgres",
  create: () => createPostgresDatabase(inject("postgresUrl")),
};

/** Every engine that tests must pass on: `describe.each(databases)("… on $name", ({ create }) => …)`. */
export const databases: readonly TestEngine[] = [sqlite, postgres];

/** A new database in the cluster whose maintenance database is at `clusterUrl`. */
export async function createPostgresDatabase(clusterUrl: string): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const url = new URL(clusterUrl);
  url.pathname = name;
  await atCluster(clusterUrl, `CREATE DATABASE ${name} TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`);
  return testDatabase({ url: url.href }, () => atCluster(clusterUrl, `DROP DATABASE ${name} WITH (FORCE)`));
}

async function atCluster(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql).finally(() => client.end());
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
