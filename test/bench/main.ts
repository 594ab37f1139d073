import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgresCluster } from "../support/postgres-cluster.ts";
import { startClosedTests } from "./closed-test.ts";
import { measureDecisions } from "./decisions.ts";
import { startDemo } from "./fixture.ts";
import { startInnkeep } from "./programs.ts";
import { measureStartUp } from "./start-up.ts";
import { type Figure, table } from "./table.ts";
import { measureThroughput } from "./throughput.ts";
import { measureUploads } from "./uploads.ts";

const folder = await mkdtemp(join(tmpdir(), "innkeep-bench-"));
const say = (text: string) => process.stdout.write(`${text}\n`);

say(
  `Node ${process.versions.node}, ${process.versions.sqlite === undefined ? "sqlite3" : "node:sqlite"}; every write durable`,
);
const figures = [...(await onSqlite()), await onPostgres()];
say(table(figures));
await rm(folder, { recursive: true, force: true });

async function onSqlite(): Promise<Figure[]> {
  const demo = await startDemo({ INNKEEP_DATA: join(folder, "sqlite") });
  try {
    return [
      ...(await measureThroughput(demo, await startClosedTests(demo))),
      await measureDecisions("decision to waiting agent, one process", 5, demo, demo.port),
      ...(await measureUploads(demo, folder)),
      ...(await measureStartUp(demo, folder)),
    ];
  } finally {
    await demo.program.stop();
  }
}

async function onPostgres(): Promise<Figure> {
  const cluster = await startPostgresCluster();
  const variables = {
    INNKEEP_DATABASE_URL: cluster.url,
    INNKEEP_DATA: join(folder, "postgres"),
    INNKEEP_SECRET: "a secret that only this benchmark knows",
  };
  const demo = await startDemo(variables);
  const other = await startInnkeep(variables);
  try {
    return await measureDecisions("decision to waiting agent, two processes", 50, demo, other.port);
  } finally {
    await other.stop();
    await demo.program.stop();
    await cluster.remove();
  }
}
