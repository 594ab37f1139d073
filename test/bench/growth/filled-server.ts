import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type DatabaseAddress, openDatabase } from "../../../server/database/open.ts";
import { refreshStatistics, tablesWithoutStatistics } from "../../../server/database/statistics.ts";
import { atCluster } from "../../support/database/migrated-templates.ts";
import { email, password, post, signIn } from "../demo-server.ts";
import { admin, type Program, startInnkeep } from "../programs.ts";
import { fill } from "./fill.ts";
import { idOf, ids, type ServerValues } from "./requests/measured.ts";
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
  readonly values: ServerValues;
  /** The socket that reports the longest turn of the event loop. */
  readonly turns: string;
}

const secret = "a secret that only this benchmark knows";

/** Fills an empty database. */
export async function fillDatabase(
  address: DatabaseAddress,
  size: Size,
  data: Record<string, string>,
): Promise<FilledDatabase> {
  const variables = { ...data, INNKEEP_SECRET: secret };
  const user = ["user", "create", "--email", email, "--password-stdin"];
  const { userId = "" } = await admin(user, variables, { input: password });
  const { token: agentToken = "" } = await admin(
    ["token", "create", "--kind", "agent", "--owner", email],
    variables,
  );
  const database = await openDatabase(address);
  await fill(database, size, { personId: userId, secret });
  await database.close();
  return { size, address, variables, agentToken };
}

/** Removes or creates the statistics with which the database chooses indexes. */
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
  const turns = join(tmpdir(), `innkeep-turns-${randomUUID()}`);
  const program = await startInnkeep({
    ...filled.variables,
    BENCH_TURNS: turns,
    NODE_OPTIONS: `--import=${new URL("bench-turns.js", import.meta.url)}`,
  });
  if ("url" in filled.address) await statisticsMade(filled.address);
  const origin = `http://127.0.0.1:${program.port}`;
  const cookie = await signIn(origin);
  return { ...filled, program, cookie, turns, values: await valuesOf(origin, cookie) };
}

/** Resolves when the server has created the statistics of PostgreSQL that were missing at its start. */
async function statisticsMade(address: DatabaseAddress): Promise<void> {
  const database = await openDatabase(address);
  while ((await tablesWithoutStatistics(database)).length > 0) await sleep(100);
  await database.close();
}

/** Creates what only a running server can create: credentials, and a thread with a sender's page. */
async function valuesOf(origin: string, cookie: string): Promise<ServerValues> {
  const answer = async (path: string, body: object, headers: Record<string, string>) =>
    (await post(`${origin}/api/v1${path}`, body, headers)).json();
  const key = await answer(`/console/apps/${ids.app}/keys`, {}, { origin, cookie });
  const device = { email, password, deviceId: "the device of this benchmark" };
  const grant = await answer("/testing/auth/token", device, {});
  const bearer = { authorization: `Bearer ${grant.token}` };
  const slot = await answer(`/testing/slots/${idOf("7", 1)}/rotate-key`, {}, bearer);
  const sender = `sender${Date.now()}@example.org`;
  const report = { type: "bug", message: "It broke.", email: sender };
  const send = () => answer("/feedback/remote", report, { "x-api-key": key.key });
  const { id, statusUrl } = await send();
  return {
    ...{ appKey: key.key, deviceToken: grant.token, testKey: slot.testKey },
    ...{ threadId: id, senderPage: new URL(statusUrl).pathname },
    sender,
    ...{ mergedId: (await send()).id, targetId: (await send()).id },
  };
}
