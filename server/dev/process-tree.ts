import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

/** How long the processes may take to end by themselves. */
const patienceMs = 700;
const pauseMs = 50;

/** Ends a process and all processes below it: by SIGTERM, and by SIGKILL those that do not end. */
export async function endTree(root: number): Promise<void> {
  if (process.platform === "win32") {
    await promisify(execFile)("taskkill", ["/T", "/F", "/PID", String(root)]).catch(() => undefined);
    return;
  }
  const known = new Set([root]);
  const asked = new Set<number>();
  const deadline = performance.now() + patienceMs;
  for (let living = await membersOf(known); living.length > 0; living = await membersOf(known)) {
    if (performance.now() > deadline) return killAll(known);
    for (const id of living.filter((one) => !asked.has(one))) send(id, "SIGTERM");
    for (const id of living) asked.add(id);
    await sleep(pauseMs);
  }
}

/** Processes may start others until the last one is gone. */
async function killAll(known: Set<number>): Promise<void> {
  for (let living = await membersOf(known); living.length > 0; living = await membersOf(known))
    for (const id of living) send(id, "SIGKILL");
}

/** The living processes of the tree. Adds their children to `known`, so that they are found when they have lost their parent. */
async function membersOf(known: Set<number>): Promise<number[]> {
  const all = await livingProcesses();
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

/** All processes that run. Those that have ended and wait for their parent are left out. */
export function livingProcesses(): Promise<Process[]> {
  if (process.platform === "win32") return fromTasklist();
  return process.platform === "linux" ? fromProc() : fromPs();
}

/** Containers often have no `ps`. */
async function fromProc(): Promise<Process[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(ids.map((id) => readFile(`/proc/${id}/stat`, "utf8").catch(() => "")));
  return stats.flatMap((stat) => {
    // The name of the program, in brackets, may hold anything.
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

/** Without parents, which Windows ends together. */
async function fromTasklist(): Promise<Process[]> {
  const { stdout } = await promisify(execFile)("tasklist", ["/FO", "CSV", "/NH"]);
  return [...stdout.matchAll(/^"[^"]*","(\d+)"/gm)].map(([, id]) => ({ id: Number(id), parent: 0 }));
}

function send(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal);
  } catch {
    // It has ended meanwhile.
  }
}
