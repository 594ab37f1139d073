import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { systemReason } from "../../src/words/phrases.ts";
import { lockFor } from "../database/folder-lock.ts";
import { serve } from "../main.ts";
import type { Environment } from "../settings/settings.ts";

interface ThrowawayOptions {
  /** The seed from which the server is filled: the path of a file, or the content as an object. */
  readonly seed?: string | object;
  /** Whether the folder is kept when the server ends. */
  readonly keep?: boolean;
}

/**
 * Runs a server in a temporary folder until `input` ends. Writes one JSON line to `out`. Returns the exit code.
 */
export async function serveThrowaway({
  environment,
  input,
  out,
  err,
}: {
  readonly environment: Environment;
  /**
   * The first line contains the options. Each later line names a process to end. The stream ends when the
   * parent program ends.
   */
  readonly input: Readable;
  readonly out: (line: string) => void;
  readonly err: (text: string) => void;
}): Promise<number> {
  const lines = createInterface(input)[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done) return 0;
  const { seed, keep = false }: ThrowawayOptions = JSON.parse(first.value);
  const folder = await makeFolder(keep).catch((error) => {
    out(JSON.stringify({ failed: noFolder(error), name: "SettingError" }));
  });
  if (folder === undefined) return 1;
  const stop = new AbortController();
  const ready = (line: string) => {
    out(JSON.stringify({ ...JSON.parse(line), folder }));
    void removeOldFolders();
  };
  const flags = { dev: true, demo: true, local: true, json: true, port: 0, data: dataOf(folder) };
  const serving = seedFile(folder, seed).then((file) =>
    serve({ ...flags, seed: file }, { environment, out: ready, err, stop: stop.signal }),
  );
  const failed = serving.then(
    () => false,
    ({ message, name }: Error) => {
      out(JSON.stringify({ failed: message, name }));
      return true;
    },
  );
  const guarded = await Promise.race([untilInputEnds(lines), failed]);
  if (typeof guarded === "object") for (const processId of guarded) await endTree(processId);
  stop.abort();
  if (keep) await failed;
  else removeFolder(folder);
  return guarded === true ? 1 : 0;
}

/**
 * Removes a folder. Tries repeatedly, because the database may still write. `maxRetries` fails in some versions
 * of Node.js.
 */
function removeFolder(folder: string): void {
  for (let tries = 1; ; tries++) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      if (tries === 50) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

const noFolder = (cause: unknown): string =>
  `No folder can be created in ${tmpdir()} (${systemReason(cause)}). Set TMPDIR to a folder that can be written.`;

/** Returns the path of a seed's file. Writes the seed to a file if it is an object. */
async function seedFile(folder: string, seed: string | object | undefined): Promise<string | undefined> {
  if (typeof seed !== "object") return seed;
  const file = join(folder, "seed.json");
  await writeFile(file, JSON.stringify(seed), { mode: 0o600 });
  return file;
}

/** Waits until there are no more lines. Returns the ids of the processes in the lines. */
async function untilInputEnds(lines: AsyncIterator<string, undefined>): Promise<number[]> {
  const guarded: number[] = [];
  try {
    for (let line = await lines.next(); !line.done; line = await lines.next())
      guarded.push(Number(JSON.parse(line.value).guard));
  } catch {
    // The error is ignored: a broken pipe counts as the end of the input.
  }
  return guarded;
}

const prefix = "innkeep-dev-";

/** Creates the folder of a server. Its name contains this process id, except if the folder is kept. */
async function makeFolder(keep: boolean): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), keep ? "innkeep-kept-" : `${prefix}${process.pid}-`));
  await mkdir(dataOf(folder), { mode: 0o700 });
  return folder;
}

const dataOf = (folder: string): string => join(folder, "data");

/** Removes the folders of throwaway servers that were killed together with the program that had started them. */
async function removeOldFolders(): Promise<void> {
  const own = `${prefix}${process.pid}-`;
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(prefix) && !name.startsWith(own));
  if (names.length === 0) return;
  const running = new Set((await runningProcesses()).map(({ id }) => id));
  for (const name of names) {
    const processId = Number(name.slice(prefix.length).split("-")[0]);
    if (!running.has(processId)) await removeUnused(join(tmpdir(), name)).catch(() => undefined);
  }
}

/** Removes an unused folder. Throws an error if a server, perhaps in another container, locks the folder. */
async function removeUnused(folder: string): Promise<void> {
  if (!(await isOwn(folder))) return;
  const lock = await lockFor("server", dataOf(folder), { patienceMs: 0 });
  try {
    await rm(folder, { recursive: true, force: true });
  } finally {
    await lock.release();
  }
}

/** Whether the folder belongs to this user and is no link. All users can write to its parent folder. */
async function isOwn(folder: string): Promise<boolean> {
  for (const path of [folder, dataOf(folder)]) {
    const entry = await lstat(path);
    if (!entry.isDirectory() || (process.getuid && entry.uid !== process.getuid())) return false;
  }
  return true;
}

/** How long the processes may take to end after SIGTERM. */
const patienceMs = 700;

const pauseMs = 50;

/** Ends a process and all its descendants: first by SIGTERM, then by SIGKILL. */
async function endTree(root: number): Promise<void> {
  if (process.platform === "win32") {
    await promisify(execFile)("taskkill", ["/T", "/F", "/PID", String(root)]).catch(() => undefined);
    return;
  }
  const known = new Set([root]);
  const signalled = new Set<number>();
  const deadline = performance.now() + patienceMs;
  for (let running = await membersOf(known); running.length > 0; running = await membersOf(known)) {
    if (performance.now() > deadline) return killAll(known);
    for (const id of running.filter((one) => !signalled.has(one))) send(id, "SIGTERM");
    for (const id of running) signalled.add(id);
    await sleep(pauseMs);
  }
}

/** Sends SIGKILL repeatedly until no process is left, because processes may start other processes in the meantime. */
async function killAll(known: Set<number>): Promise<void> {
  for (let running = await membersOf(known); running.length > 0; running = await membersOf(known))
    for (const id of running) send(id, "SIGKILL");
}

/**
 * Returns the running processes in `known` and their descendants. Adds the descendants to `known`, because
 * their parents may end first.
 */
async function membersOf(known: Set<number>): Promise<number[]> {
  const all = await runningProcesses();
  for (let count = -1; count !== known.size; ) {
    count = known.size;
    for (const { id, parent } of all) if (known.has(parent)) known.add(id);
  }
  return all.flatMap(({ id }) => (known.has(id) ? [id] : []));
}

interface Process {
  readonly id: number;
  readonly parent: number;
}

/** Returns all running processes, without zombie processes. */
function runningProcesses(): Promise<Process[]> {
  if (process.platform === "win32") return fromTasklist();
  return process.platform === "linux" ? fromProc() : fromPs();
}

/** Reads the processes from `/proc`, because containers often have no `ps`. */
async function fromProc(): Promise<Process[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(ids.map((id) => readFile(`/proc/${id}/stat`, "utf8").catch(() => "")));
  return stats.flatMap((stat) => {
    // The name of the program is in brackets and may contain any character. The other fields follow the last bracket.
    const [state = "", parent = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return stat === "" || state === "Z" ? [] : [{ id: Number.parseInt(stat, 10), parent: Number(parent) }];
  });
}

async function fromPs(): Promise<Process[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,stat="]);
  return stdout.split("\n").flatMap((line) => {
    const [id, parent, state = ""] = line.trim().split(/\s+/);
    return id && parent && !state.startsWith("Z") ? [{ id: Number(id), parent: Number(parent) }] : [];
  });
}

/**
 * Reads the processes on Windows. Their parents are not needed, because `taskkill` ends a process with all its
 * descendants.
 */
async function fromTasklist(): Promise<Process[]> {
  const { stdout } = await promisify(execFile)("tasklist", ["/FO", "CSV", "/NH"]);
  return [...stdout.matchAll(/^"[^"]*","(\d+)"/gm)].map(([, id]) => ({ id: Number(id), parent: 0 }));
}

function send(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal);
  } catch {
    // The error is ignored: the process has ended in the meantime.
  }
}
