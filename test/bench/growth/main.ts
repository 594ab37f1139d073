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
import { requests } from "./requests/requests.ts";
import { type Size, sizeOf } from "./size.ts";
import { type Line, verdictsOf } from "./verdicts.ts";

const { values: given } = parseArgs({
  options: {
    threads: { type: "string", default: "1000000" },
    engine: { type: "string", default: "sqlite,postgres" },
    statistics: { type: "string", default: "without,with" },
    only: { type: "string", multiple: true, default: [""] },
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
  };
  return fillDatabase({ url }, size, data);
}

/** Fills a database, or uses the one that an earlier run kept. */
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

/** Prints a line for each request, with the times for few threads and for many threads. */
async function compare(engine: string, filled: readonly FilledDatabase[]) {
  for (const statistics of given.statistics.split(",")) {
    for (const each of filled) await setStatistics(each, statistics === "with");
    const servers: FilledServer[] = [];
    for (const each of filled) servers.push(await serve(each));
    say(`\n${engine}, ${statistics} statistics: milliseconds`);
    say(lineOf("", ["few p50", "many p50", "ratio", "p99", "turn p99", "longest", "fuller"]));
    const measured: Line[] = [];
    for (const asked of requests.filter(({ name }) => given.only.some((part) => name.includes(part)))) {
      const [few, many] = await measure(servers, asked).catch((error: unknown) => {
        say(`${asked.name}: FAILED, ${String(error).slice(0, 200)}`);
        process.exitCode = 1;
        return [];
      });
      if (!few || !many) continue;
      measured.push({ asked, few, many });
      const fuller = many.length / few.length;
      const { p50, p99, turnP99, longestTurn } = many;
      const figures = [few.p50, p50, p50 / few.p50, p99, turnP99, longestTurn, fuller];
      const cells = figures.map((figure) => figure.toFixed(2));
      say(lineOf(asked.name, cells));
    }
    for (const verdict of verdictsOf(measured, engine === "SQLite" ? 5 : 10)) say(verdict);
    for (const { program } of servers) await program.stop();
  }
}

// A function: a constant would not yet have a value when the statements above need it.
function lineOf(name: string, cells: readonly string[]): string {
  return [name.slice(0, 80).padEnd(80), ...cells.map((cell) => cell.padStart(9))].join(" ").trimEnd();
}
