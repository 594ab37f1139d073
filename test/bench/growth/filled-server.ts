import { type DatabaseAddress, openDatabase } from "../../../server/store/engine/open.ts";
import { refreshStatistics } from "../../../server/store/engine/statistics.ts";
import { atCluster } from "../../support/database/migrated-templates.ts";
import { email, password, signIn } from "../demo-server.ts";
import { admin, type Program, startInnkeep } from "../programs.ts";
import { fill } from "./fill.ts";
import type { Size } from "./size.ts";

/** A database with a set of data, and how a server opens it. */
export interface FilledDatabase {
  readonly size: Size;
  readonly address: DatabaseAddress;
  readonly variables: Record<string, string>;
  readonly agentToken: string;
}

export interface FilledServer extends FilledDatabase {
  readonly program: Program;
  readonly cookie: string;
}

export const metricsToken = "only this benchmark reads them";

/** Fills an empty database. */
export async function fillDatabase(
  address: DatabaseAddress,
  size: Size,
  data: Record<string, string>,
): Promise<FilledDatabase> {
  const variables = { ...data, INNKEEP_METRICS_TOKEN: metricsToken };
  const user = ["user", "create", "--email", email, "--password-stdin"];
  const { userId = "" } = await admin(user, variables, password);
  const { token: agentToken = "" } = await admin(
    ["token", "create", "--kind", "agent", "--owner", email],
    variables,
  );
  const database = await openDatabase(address);
  await fill(database, size, userId);
  await database.close();
  return { size, address, variables, agentToken };
}

/** Removes the statistics by which the database chooses indexes, or makes them. */
export async function setStatistics({ address }: FilledDatabase, wanted: boolean): Promise<void> {
  if ("url" in address) {
    await atCluster(address.url, wanted ? "VACUUM ANALYZE" : "DELETE FROM pg_statistic");
    return;
  }
  const database = await openDatabase(address);
  await database.write(async (tx) => {
    if (wanted) return refreshStatistics(tx);
    const table = "SELECT 1 AS one FROM sqlite_schema WHERE name = 'sqlite_stat1'";
    if (await tx.get(table)) await tx.run("DELETE FROM sqlite_stat1");
  }, "long");
  await database.close();
}

export async function serve(filled: FilledDatabase): Promise<FilledServer> {
  const program = await startInnkeep(filled.variables);
  const cookie = await signIn(`http://127.0.0.1:${program.port}`);
  return { ...filled, program, cookie };
}
