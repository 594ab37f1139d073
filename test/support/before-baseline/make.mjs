// Creates the fixtures of this folder. README.md describes how.
//
//   node test/support/before-baseline/make.mjs <URL of an empty PostgreSQL database>
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import pg from "pg";
import { postgresSecret, sqliteSecret } from "./secrets.mjs";

const [databaseUrl] = process.argv.slice(2);
if (databaseUrl === undefined) throw new Error("The URL of an empty PostgreSQL database is missing.");
const here = new URL("./", import.meta.url);
const program = new URL("../../../dist/innkeep.cjs", import.meta.url).pathname;
const statements = readFileSync(new URL("rows.sql", here), "utf8")
  .replaceAll(/^--.*\n/gm, "")
  .split(/;\n\n|;\n$/)
  .filter((statement) => statement.trim() !== "");

await make("sqlite", [], sqliteSecret, async (data) => {
  const file = join(data, "innkeep.db");
  const database = await openFile(file);
  await database.run("PRAGMA foreign_keys = ON");
  for (const statement of statements) await database.run(statement);
  await database.run("VACUUM");
  await database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  await database.close();
  return readFileSync(file);
});

await make("postgres", ["--database-url", databaseUrl], postgresSecret, async () => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
  const dump = execFileSync("pg_dump", ["--inserts", "--no-owner", "--no-privileges", databaseUrl], {
    encoding: "utf8",
  });
  // Lines that begin with a backslash are commands of psql.
  return dump.replaceAll(/^\\.*\n/gm, "");
});

/** Fills a new deployment with the demo and with `addRows`, and writes its database and its backup. */
async function make(engine, place, secret, addRows) {
  const data = mkdtempSync(join(tmpdir(), "innkeep-fixture-"));
  const env = { ...process.env, INNKEEP_SECRET: secret };
  const flags = ["--data", data, ...place];
  try {
    await makeDemo(flags, env);
    const database = await addRows(data);
    writeFileSync(new URL(engine === "sqlite" ? "sqlite.db.gz" : "postgres.sql.gz", here), packed(database));
    const backup = join(data, "backup.tar");
    execFileSync(process.execPath, [program, "admin", "backup", backup, "--prove", ...flags], { env });
    writeFileSync(new URL(`${engine}-backup.tar.gz`, here), packed(readFileSync(backup)));
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

async function makeDemo(flags, env) {
  const server = spawn(process.execPath, [program, "serve", "--demo", "--port", "0", ...flags], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  server.stderr.setEncoding("utf8").on("data", (text) => {
    const isFirst = !said.includes("Data folder");
    said += text;
    // The search index is filled by then.
    if (isFirst && said.includes("Data folder")) setTimeout(() => server.kill("SIGTERM"), 5_000);
  });
  await once(server, "exit");
}

function packed(content) {
  return gzipSync(content, { level: 9 });
}

/** Opens a SQLite file with the built-in driver, or with the package if Node.js has no driver. */
async function openFile(file) {
  const builtIn = await import("node:sqlite").catch(() => undefined);
  if (builtIn) {
    const database = new builtIn.DatabaseSync(file);
    return { run: (sql) => database.exec(sql), close: () => database.close() };
  }
  const { Database } = createRequire(import.meta.url)("sqlite3");
  const database = new Database(file);
  return {
    run: promisify(database.exec.bind(database)),
    close: promisify(database.close.bind(database)),
  };
}
