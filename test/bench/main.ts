import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgresCluster } from "../support/postgres/postgres-cluster.ts";
import { type DemoServer, startDemoServer } from "./demo-server.ts";
import { measureLimits } from "./limits.ts";
import { measureMixedLoad, metricsToken } from "./mixed-load.ts";
import { startInnkeep } from "./programs.ts";
import { measureDecisions } from "./servers/decisions.ts";
import { measureOtherServer } from "./servers/other-server.ts";
import { measureStartUp } from "./start-up.ts";
import { attempt, isFailure, type Measured, table } from "./table.ts";
import {
  measureReports,
  measureThroughput,
  measureWritesOnPostgres,
  writesOnPostgres,
} from "./throughput.ts";
import { measureTools } from "./tools-over-http.ts";
import { measureTriage } from "./triage.ts";
import { measureUploads } from "./uploads.ts";
import { isWanted } from "./wanted.ts";

const folder = await mkdtemp(join(tmpdir(), "innkeep-bench-"));
const say = (text: string) => process.stdout.write(`${text}\n`);

say(
  `Node ${process.versions.node}, ${process.versions.sqlite === undefined ? "sqlite3" : "node:sqlite"}; every write durable`,
);
/** Measurements with two servers on one PostgreSQL. */
const acrossTwo: readonly (readonly [
  name: string,
  measure: (name: string, demo: DemoServer, otherPort: number) => Promise<Measured>,
])[] = [
  ["decision to waiting agent, two processes", (name, ...servers) => measureDecisions(name, 10, ...servers)],
  ["change seen on another server", measureOtherServer],
];
const mixedLoad = "mixed load";
const figures = [
  ...(await attempt("everything on SQLite", onSqlite)),
  ...(isWanted(mixedLoad) ? await attempt(mixedLoad, underMixedLoad) : []),
  ...([...acrossTwo.map(([name]) => name), ...writesOnPostgres].some(isWanted)
    ? await attempt("everything on PostgreSQL", onPostgres)
    : []),
].flat();
say(table(figures));
await rm(folder, { recursive: true, force: true });
if (figures.some(isFailure)) process.exitCode = 1;

async function onSqlite(): Promise<Measured[]> {
  const demo = await startDemoServer({ INNKEEP_DATA: join(folder, "sqlite") });
  const decisions = "decision to waiting agent, one process";
  const others: readonly (readonly [name: string, measure: () => Promise<Measured | Measured[]>])[] = [
    [decisions, () => measureDecisions(decisions, 2, demo, demo.port)],
    ["tools over HTTP", () => measureTools(demo)],
    ["act of triage", () => measureTriage(demo)],
    ["uploads", () => measureUploads(demo, folder)],
    ["starts", () => measureStartUp(demo, folder)],
  ];
  try {
    const measured = [...(await measureThroughput(demo)), ...(await measureReports(folder))];
    measured.push(...(await attempt("limits", () => measureLimits(folder))));
    for (const [name, measure] of others)
      if (isWanted(name)) measured.push(...(await attempt(name, measure)));
    return measured;
  } finally {
    await demo.program.stop();
  }
}

async function underMixedLoad(): Promise<Measured[]> {
  const variables = { INNKEEP_DATA: join(folder, "mixed"), INNKEEP_METRICS_TOKEN: metricsToken };
  const demo = await startDemoServer(variables);
  try {
    return await measureMixedLoad(mixedLoad, demo);
  } finally {
    await demo.program.stop();
  }
}

async function onPostgres(): Promise<Measured[]> {
  const cluster = await startPostgresCluster();
  const variables = {
    INNKEEP_DATABASE_URL: cluster.url,
    INNKEEP_DATA: join(folder, "postgres"),
    INNKEEP_SECRET: "a secret that only this benchmark knows",
  };
  const demo = await startDemoServer(variables);
  try {
    const measured = await measureWritesOnPostgres(demo);
    for (const [name, measure] of acrossTwo)
      if (isWanted(name))
        measured.push(...(await attempt(name, () => withOther((port) => measure(name, demo, port)))));
    return measured;
  } finally {
    await demo.program.stop();
    await cluster.remove();
  }

  async function withOther(measure: (otherPort: number) => Promise<Measured>): Promise<Measured> {
    const other = await startInnkeep(variables);
    return measure(other.port).finally(() => other.stop());
  }
}
