import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { atCluster, createDatabase, databaseUrl } from "../../support/database/migrated-templates.ts";
import { startPostgresCluster } from "../../support/postgres/postgres-cluster.ts";
import {
  type FilledDatabase,
  type FilledServer,
  fillDatabase,
  serve,
  setStatistics,
} from "./filled-server.ts";
import { measure } from "./measure.ts";
import { reads } from "./requests.ts";
import { type Size, sizeOf } from "./size.ts";

const { values: given } = parseArgs({
  options: {
    threads: { type: "string", default: "1000000" },
    engine: { type: "string", default: "sqlite,postgres" },
    statistics: { type: "string", default: "without,with" },
    only: { type: "string", default: "" },
    keep: { type: "string" },
    postgres: { type: "string" },
  },
});
const say = (text: string) => process.stdout.write(`${text}\n`);
const sizes = [sizeOf(1_000), sizeOf(Number(given.threads))];
const folder = given.keep ?? (await mkdtemp(join(tmpdir(), "innkeep-growth-")));
await mkdir(folder, { recursive: true });

for (const engine of given.engine.split(",")) await (engine === "sqlite" ? onSqlite() : onPostgres());
if (given.keep === undefined) await rm(folder, { recursive: true, force: true });

async function onSqlite() {
  const filled: FilledDatabase[] = [];
  for (const size of sizes) {
    const data = join(folder, `sqlite-${size.name}`);
    filled.push(
      await once(`sqlite-${size.name}`, () =>
        fillDatabase({ file: join(data, "innkeep.db") }, size, { INNKEEP_DATA: data }),
      ),
    );
  }
  await compare("SQLite", filled);
}

async function onPostgres() {
  const cluster = given.postgres
    ? undefined
    : await startPostgresCluster({ durable: false, settings: ["autovacuum=off"] });
  const url = given.postgres ?? cluster?.url ?? "";
  try {
    const filled: FilledDatabase[] = [];
    for (const size of sizes) filled.push(await once(`postgres-${size.name}`, () => fillPostgres(url, size)));
    await compare("PostgreSQL", filled);
  } finally {
    await cluster?.remove();
  }
}

async function fillPostgres(clusterUrl: string, size: Size): Promise<FilledDatabase> {
  const name = `growth_${size.name}`;
  await atCluster(clusterUrl, createDatabase(name, "template0"));
  const url = databaseUrl(clusterUrl, name);
  const data = {
    INNKEEP_DATABASE_URL: url,
    INNKEEP_DATA: join(folder, `postgres-${size.name}`),
    INNKEEP_SECRET: "a secret that only this benchmark knows",
  };
  return fillDatabase({ url }, size, data);
}

/** Fills a database, or takes it from an earlier run that kept its data. */
async function once(name: string, fillIt: () => Promise<FilledDatabase>): Promise<FilledDatabase> {
  const note = join(folder, `${name}.json`);
  const known = await readFile(note, "utf8").catch(() => undefined);
  if (known !== undefined) return JSON.parse(known);
  const started = performance.now();
  const filled = await fillIt();
  say(`${name} filled in ${((performance.now() - started) / 1_000).toFixed(0)} s`);
  await writeFile(note, JSON.stringify(filled));
  return filled;
}

/** Prints a line for each read, with the set of few threads and that of many. */
async function compare(engine: string, filled: readonly FilledDatabase[]) {
  const bound = engine === "SQLite" ? 5 : 10;
  for (const statistics of given.statistics.split(",")) {
    for (const each of filled) await setStatistics(each, statistics === "with");
    const servers: FilledServer[] = [];
    for (const each of filled) servers.push(await serve(each));
    say(`\n${engine}, ${statistics} statistics: milliseconds`);
    say(lineOf("", ["few p50", "many p50", "ratio", "p99", "stall"]));
    let longest = 0;
    for (const read of reads.filter(({ name }) => name.includes(given.only))) {
      const [few, many] = await measure(servers, read).catch((error: unknown) => {
        say(`${read.name}: FAILED, ${String(error).slice(0, 200)}`);
        process.exitCode = 1;
        return [];
      });
      if (!few || !many) continue;
      longest = Math.max(longest, many.stall);
      const figures = [few.p50, many.p50, many.p50 / few.p50, many.p99, many.stall];
      const missed = read.isSearch ? many.p99 > 50 : many.p50 > bound && many.p50 > 2 * few.p50;
      say(lineOf(read.name, [...figures.map((figure) => figure.toFixed(2)), missed ? "MISSED" : ""]));
    }
    say(`longest stall: ${longest.toFixed(1)} ms`);
    for (const { program } of servers) await program.stop();
  }
}

const lineOf = (name: string, cells: readonly string[]): string =>
  [name.slice(0, 80).padEnd(80), ...cells.map((cell) => cell.padStart(9))].join(" ").trimEnd();
