// Compares this build with another one, alternately: `npm run bench:builds -- OTHER/dist/innkeep.cjs`.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startPostgresCluster } from "../support/postgres/postgres-cluster.ts";
import { startDemoCycles } from "./demo-cycles.ts";
import { type DemoServer, startDemoServer } from "./demo-server.ts";
import { smallReport } from "./limited-server.ts";
import { type LoadTarget, load, loadAtRate } from "./load.ts";
import { bareEnvironment, innkeep } from "./programs.ts";
import { median, p99 } from "./table.ts";
import { pathsOf, pathsOfTests } from "./throughput.ts";
import { isWanted } from "./wanted.ts";

const [other] = process.argv.slice(2).filter((word) => word.endsWith(".cjs"));
if (other === undefined) throw new Error("Name the innkeep.cjs of the other build.");
const builds = [resolve(other), innkeep] as const;
const pairs = 21;
const milliseconds = 400;
/** The number of reads per second, computed from the time of one read. */
const rate = 300;
const folder = await mkdtemp(join(tmpdir(), "innkeep-builds-"));
const say = (text: string) => process.stdout.write(`${text}\n`);

say(`Node ${process.versions.node}. Each line: the other build, this build, the median of ${pairs} ratios.`);
await compareServers("SQLite", (name) => ({ INNKEEP_DATA: join(folder, name) }));
const clusters = await Promise.all([startPostgresCluster(), startPostgresCluster()]);
await compareServers("PostgreSQL", (name) => ({
  INNKEEP_DATABASE_URL: clusters[name === "before" ? 0 : 1]?.url ?? "",
  INNKEEP_DATA: join(folder, `${name}-files`),
  INNKEEP_SECRET: "a secret that only this benchmark knows",
}));
for (const cluster of clusters) await cluster.remove();
await compareStarts();
await rm(folder, { recursive: true, force: true });

interface Side {
  readonly name: string;
  readonly targets: ReadonlyMap<string, LoadTarget>;
}

async function compareServers(engine: string, variablesOf: (name: string) => Record<string, string>) {
  const [before, after] = builds;
  const demos = [
    await startDemoServer(variablesOf("before"), { build: before }),
    await startDemoServer(variablesOf("after"), { build: after }),
  ];
  const sides = await Promise.all(demos.map(sideOf));
  for (const name of sides[0]?.targets.keys() ?? []) {
    if (!isWanted(name)) continue;
    await compare(
      `${name} on ${engine}`,
      ">",
      sides.map(
        ({ targets }) =>
          async () =>
            perSecond(name, targets),
      ),
    );
    const ofBoth = sides.map(({ targets }) => targets.get(name));
    if (ofBoth.every((target) => target?.method === "GET")) await compareTimes(name, engine, ofBoth);
  }
  for (const { program } of demos) await program.stop();
}

/** How long reads take at 300 a second: the median and the 99th percentile of all of them. */
async function compareTimes(name: string, engine: string, targets: readonly (LoadTarget | undefined)[]) {
  const took: number[][] = targets.map(() => []);
  for (let pair = 0; pair < pairs; pair += 1)
    for (const [side, target] of targets.entries()) {
      const result = target && (await loadAtRate(target, rate, milliseconds));
      if (!result || result.failures > 0) throw new Error(`${name}: answers failed.`);
      took[side]?.push(...result.milliseconds);
    }
  const shown = (values: readonly number[]) => `${median(values).toFixed(1)}, ${p99(values).toFixed(1)} ms`;
  const [before = [], after = []] = took;
  const ratio = (median(after) / median(before)).toFixed(2);
  say(`| ${name} on ${engine} at ${rate}/s: median, p99 | ${shown(before)} | ${shown(after)} | ${ratio} | |`);
}

async function sideOf(demo: DemoServer): Promise<Side> {
  const tests = pathsOfTests(demo, await startDemoCycles(demo));
  const report = smallReport(demo.port);
  const headers = { ...report.headers, "x-api-key": demo.apiKey };
  const reports: [string, LoadTarget][] = [
    ["small feedback", { ...report, headers }],
    ["small feedback with an Idempotency-Key", { ...report, headers, freshKeys: true }],
  ];
  const reads = [...pathsOf(demo), ...tests].map(({ name, target }): [string, LoadTarget] => [name, target]);
  return { name: "", targets: new Map([...reads, ...reports]) };
}

async function perSecond(name: string, targets: ReadonlyMap<string, LoadTarget>): Promise<number> {
  const target = targets.get(name);
  if (!target) throw new Error(`There is no ${name}.`);
  const result = await load(target, milliseconds);
  if (result.failures > 0) throw new Error(`${name}: answers failed, such as ${result.failure}`);
  return result.perSecond;
}

async function compareStarts(): Promise<void> {
  const words = {
    "innkeep --version": ["--version"],
    "innkeep --help": ["--help"],
    "innkeep mcp, ended at once": ["mcp"],
  };
  for (const [name, argv] of Object.entries(words))
    if (isWanted(name))
      await compare(
        name,
        "<",
        builds.map((build) => () => timeOf([build, ...argv])),
      );
}

function timeOf(argv: readonly string[]): Promise<number> {
  const began = performance.now();
  const env = { ...bareEnvironment, INNKEEP_CONFIG_DIR: folder, INNKEEP_STATE_DIR: folder };
  const child = spawn(process.execPath, [...argv], { env, stdio: ["ignore", "ignore", "ignore"] });
  return new Promise((done) => child.once("exit", () => done(performance.now() - began)));
}

/** Measures both builds alternately. `better`: whether a larger value is better. */
async function compare(
  name: string,
  better: ">" | "<",
  measures: readonly (() => Promise<number>)[],
): Promise<void> {
  const values: number[][] = measures.map(() => []);
  for (let pair = 0; pair < pairs; pair += 1) {
    const order = pair % 2 === 0 ? [0, 1] : [1, 0];
    for (const side of order) values[side]?.push((await measures[side]?.()) ?? Number.NaN);
  }
  const [before = [], after = []] = values;
  const ratio = median(after.map((value, at) => value / (before[at] ?? Number.NaN)));
  const [low, high] = [middleHalf(before), middleHalf(after)];
  const isWorse = better === ">" ? high[1] < low[0] : high[0] > low[1];
  const unit = better === ">" ? "/s" : " ms";
  const shown = (half: readonly [number, number]) => `${half[0].toFixed(0)} to ${half[1].toFixed(0)}${unit}`;
  say(`| ${name} | ${shown(low)} | ${shown(high)} | ${ratio.toFixed(2)} | ${isWorse ? "falls" : ""} |`);
}

function middleHalf(values: readonly number[]): readonly [number, number] {
  const sorted = [...values].sort((a, b) => a - b);
  return [sorted[Math.floor(pairs / 4)] ?? Number.NaN, sorted[Math.floor((pairs * 3) / 4)] ?? Number.NaN];
}
