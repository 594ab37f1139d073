import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { quickFolder } from "../files/quick-folder.ts";
import { freePort } from "../network/free-port.ts";

/** A cluster of Ceph without its S3 server: a monitor, and one disk in memory. */
export interface CephCluster {
  /** Where the S3 server will listen. */
  readonly port: number;
  /** Runs a program of the cluster to its end. */
  run(program: string, ...args: string[]): Promise<unknown>;
  /** Starts a program that runs until it is stopped. */
  begin(program: string, ...args: string[]): ChildProcess;
  /** Ends all programs and removes the folder. */
  remove(): Promise<void>;
}

const everything = ["mon", "osd"].flatMap((part) => ["--cap", part, "allow *"]);

export async function startCephCluster(): Promise<CephCluster> {
  const folder = await mkdtemp(join(quickFolder, "innkeep-s3-"));
  const ports = { monitor: await freePort(), gateway: await freePort() };
  const running: ChildProcess[] = [];
  const configured = ["-c", join(folder, "ceph.conf")];
  const cluster: CephCluster = {
    port: ports.gateway,
    run: (program, ...args) => promisify(execFile)(program, args, { cwd: folder }),
    begin(program, ...args) {
      const child = spawn(program, [...configured, ...args, "-f"], { cwd: folder, stdio: "ignore" });
      running.push(child);
      return child;
    },
    async remove() {
      await Promise.all(running.map(end));
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  try {
    await prepare(cluster, folder, ports);
  } catch (error) {
    await cluster.remove();
    throw error;
  }
  return { ...cluster, run: (program, ...args) => cluster.run(program, ...configured, ...args) };
}

interface Ports {
  readonly monitor: number;
  readonly gateway: number;
}

async function prepare({ run, begin }: CephCluster, folder: string, ports: Ports): Promise<void> {
  const [id, disk] = [randomUUID(), randomUUID()];
  for (const part of ["mon", "osd"]) await mkdir(join(folder, part));
  await writeFile(join(folder, "ceph.conf"), configuration(id, folder, ports));
  await run("ceph-authtool", "--create-keyring", "keyring", "--gen-key", "-n", "mon.", ...everything);
  for (const name of ["client.admin", "osd.0"])
    await run("ceph-authtool", "keyring", "--gen-key", "-n", name, ...everything);
  const monitor = ["--addv", "a", `[v2:127.0.0.1:${ports.monitor}]`, "--set-min-mon-release", "16"];
  await run("monmaptool", "--create", "--fsid", id, ...monitor, "monmap");
  const made = ["-c", "ceph.conf", "--mkfs"];
  await run("ceph-mon", ...made, "-i", "a", "--keyring", "keyring", "--monmap", "monmap");
  begin("ceph-mon", "-i", "a");
  await run("ceph", "-c", "ceph.conf", "--connect-timeout", "60", "osd", "new", disk);
  await run("ceph-osd", ...made, "-i", "0", "--osd-uuid", disk);
  begin("ceph-osd", "-i", "0");
}

/** Kills a program. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** One process of each kind, one copy of each object. The short pauses let it start in a second. */
const configuration = (id: string, folder: string, ports: Ports) => `[global]
fsid = ${id}
mon initial members = a
mon host = [v2:127.0.0.1:${ports.monitor}]
ms bind ipv6 = false
ms bind msgr1 = false
keyring = ${folder}/keyring
run dir = ${folder}
admin socket = ${folder}/$name.asok
pid file = ${folder}/$name.pid
log file = ${folder}/$name.log
paxos propose interval = 0.05
paxos min wait = 0.01
mon tick interval = 1
osd tick interval = 1
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 2147483648
mon allow pool size one = true
mon data avail crit = 1
mon data avail warn = 1
mon max pg per osd = 1000
[mon.a]
mon data = ${folder}/mon
[osd.0]
osd data = ${folder}/osd
osd journal = ${folder}/osd/journal
[client]
rgw frontends = beast endpoint=127.0.0.1:${ports.gateway}
rgw thread pool size = 64
rgw cache enabled = false
rgw run sync thread = false
rgw enable gc threads = false
rgw enable lc threads = false
rgw enable quota threads = false
rgw enable usage log = false
`;
