import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgresCluster } from "../support/postgres/postgres-cluster.ts";
import { measureDecisions } from "./decisions.ts";
import { startDemoServer } from "./demo-server.ts";
import { startInnkeep } from "./programs.ts";
import { measureStartUp } from "./start-up.ts";
import { attempt, isFailure, type Measured, table } from "./table.ts";
import { measureThroughput } from "./throughput.ts";
import { measureTools } from "./tools-over-http.ts";
import { measureUploads } from "./uploads.ts";

const folder = await mkdtemp(join(tmpdir(), "innkeep-bench-"));
const say = (text: string) => process.stdout.write(`${text}\n`);

say(
  `Node ${process.versions.node}, ${process.versions.sqlite === undefined ? "sqlite3" : "node:sqlite"}; every write durable`,
);
const figures = [
  ...(await attempt("everything on SQLite", onSqlite)),
  ...(await attempt("decision to waiting agent, two processes", onPostgres)),
].flat();
say(table(figures));
await rm(folder, { recursive: true, force: true });
if (figures.some(isFailure)) process.exitCode = 1;

async function onSqlite(): Promise<Measured[]> {
  const demo = await startDemoServer({ INNKEEP_DATA: join(folder, "sqlite") });
  const decisions = "decision to waiting agent, one process";
  try {
    return [
      ...(await measureThroughput(demo)),
      ...(await attempt(decisions, () => measureDecisions(decisions, 5, demo, demo.port))),
      ...(await attempt("tools over HTTP", () => measureTools(demo))),
      ...(await attempt("uploads", () => measureUploads(demo, folder))),
      ...(await attempt("starts", () => measureStartUp(demo, folder))),
    ];
  } finally {
    await demo.program.stop();
  }
}

async function onPostgres(): Promise<Measured> {
  const cluster = await startPostgresCluster();
  const variables = {
    INNKEEP_DATABASE_URL: cluster.url,
    INNKEEP_DATA: join(folder, "postgres"),
    INNKEEP_SECRET: "a secret that only this benchmark knows",
  };
  const demo = await startDemoServer(variables);
  const other = await startInnkeep(variables);
  try {
    return await measureDecisions("decision to waiting agent, two processes", 50, demo, other.port);
  } finally {
    await other.stop();
    await demo.program.stop();
    await cluster.remove();
  }
}
