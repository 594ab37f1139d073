import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { limits } from "../../contract/limits.ts";
import { inTurn } from "../../credentials/folder-turn.ts";
import { readIfThere, writePrivately } from "../../credentials/folders.ts";
import { CliError, usageError } from "../core/cli-error.ts";
import type { Context, Invocation } from "../core/context.ts";

/** One proposal in the hands of a worker. What it notes outlives its process, if the worker has a name. */
export interface Job {
  readonly runId: string;
  /** The name with which the proposal is claimed. No other claim has it. */
  readonly worker: string;
  /** What an earlier process has noted, if this proposal was left by one. */
  readonly left: Left | undefined;
  /** The file with the notes; undefined for a worker without a name. */
  readonly noted: string | undefined;
  note(more: Partial<Pick<Left, "claimId" | "ended">>): void;
  /** Notes the process of the command that was started for it. */
  noteCommand(processId: number): void;
  /** Nothing is left to do for it. */
  done(): void;
}

export interface Worker {
  readonly name: string;
  /** What the last process with this name did not finish. */
  readonly left: readonly Job[];
  begin(runId: string): Job;
  end(): Promise<void>;
}

/** Starts a worker with this name; without one, a worker whose claims no later process resumes. */
export const startWorker = async (invocation: Invocation, name: string | undefined): Promise<Worker> =>
  name === undefined ? namelessWorker(invocation.context) : namedWorker(invocation, name);

function namelessWorker({ newId }: Context): Worker {
  const name = `shell-${newId()}`;
  const begin = (runId: string): Job => ({
    ...{ runId, worker: name, left: undefined, noted: undefined },
    note() {},
    noteCommand() {},
    done() {},
  });
  return { name, left: [], begin, end: async () => {} };
}

/**
 * The worker of this name, for this process alone. Each of its claims has a name of its own, which only this machine knows
 * before it is used: the same name on another machine claims for itself. Throws a CliError if a process with the name runs,
 * or the command of one that was killed. (rule L74)
 */
async function namedWorker({ context, stateFolder, baseUrl }: Invocation, name: string): Promise<Worker> {
  if (name.length > longestName) throw usageError(`--worker takes at most ${longestName} characters.`);
  const key = createHash("sha256").update(`${baseUrl()}\n${name}`).digest("hex").slice(0, 16);
  const folder = join(stateFolder, "workers", key);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const held = await holdName(folder, name, context);
  try {
    const left = readLeft(folder);
    assertEnded(left, context);
    return {
      name,
      left: left.map((one) => ({ ...jobIn(folder, one, context), left: one })),
      begin(runId) {
        const begun = { runId, worker: `${name}-${randomBytes(suffixBytes).toString("hex")}` };
        writeLeft(folder, begun, context.newId);
        return jobIn(folder, begun, context);
      },
      end: () => held.release(),
    };
  } catch (error) {
    await held.release();
    throw error;
  }
}

const suffixBytes = 4;

const longestName = limits.worker - 1 - 2 * suffixBytes;

function jobIn(folder: string, noted: Left, context: Context): Job {
  const { runId, worker } = noted;
  let known = noted;
  const note = (more: Partial<Left>) => {
    known = { ...known, ...more };
    writeLeft(folder, known, context.newId);
  };
  return {
    ...{ runId, worker, left: undefined, noted: fileOf(folder, runId) },
    note,
    noteCommand(processId) {
      const began = beginOf(processId, context);
      if (began !== undefined) note({ command: { processId, began } });
    },
    done: () => forgetLeft(folder, runId),
  };
}

async function holdName(folder: string, name: string, context: Context): Promise<HeldName> {
  const taken = await takeName(folder, context);
  if (taken === "running")
    throw refused(
      `A worker with the name ${name} runs on this machine already.`,
      "Give this one another name with --worker, or wait until the other has ended.",
    );
  if ("file" in taken)
    throw refused(
      `A worker with the name ${name} was started on ${taken.host}, which shares this folder, and has not ended in order.`,
      `Give this one another name. If no worker runs there any more, remove ${taken.file} and start again.`,
    );
  return taken;
}

/** A killed worker may have left its command running: a second one beside it would do the same work twice. */
function assertEnded(left: readonly Left[], context: Context): void {
  for (const { command } of left) {
    if (!command || command.began !== beginOf(command.processId, context)) continue;
    throw refused(
      `The command that this worker started before still runs, as process ${command.processId}.`,
      "Wait until it has ended, or end it. Then start the worker again.",
    );
  }
}

/**
 * What distinguishes a process from a later one with the same id; undefined if it does not run. On Linux the time of its start,
 * elsewhere only that it is there.
 */
function beginOf(
  processId: number,
  { platform, isRunning }: Pick<Context, "platform" | "isRunning">,
): string | undefined {
  if (platform !== "linux") return isRunning(processId) ? "running" : undefined;
  try {
    // The second field is a name, which may hold anything but ends with the last parenthesis.
    const fields = readFileSync(`/proc/${processId}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

const refused = (message: string, next: string) =>
  new CliError({ exit: "conflict", code: "worker_runs", message, next });

/** What is written down of one proposal while a worker has it. */
export interface Left {
  readonly runId: string;
  /** The name with which it was claimed. */
  readonly worker: string;
  readonly claimId?: string;
  /** The command that was started for it. */
  readonly command?: { readonly processId: number; readonly began: string };
  /** How the command ended. The server does not know it yet. */
  readonly ended?: { readonly status: "succeeded" | "failed"; readonly summary: string };
}

/** The proposals that the last process with this name did not finish. A file that nobody can read is left out. */
const readLeft = (folder: string): readonly Left[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith("run-") && name.endsWith(".json"))
    .flatMap((name) => {
      const left = parsed(readIfThere(join(folder, name)) ?? "");
      return isLeft(left) ? left : [];
    });

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether it is what `writeLeft` writes. Each file is written in one step, so the rest is right if these are. */
const isLeft = (value: unknown): value is Left =>
  typeof value === "object" &&
  value !== null &&
  "runId" in value &&
  typeof value.runId === "string" &&
  "worker" in value &&
  typeof value.worker === "string";

const writeLeft = (folder: string, left: Left, newId: () => string): void =>
  writePrivately(fileOf(folder, left.runId), JSON.stringify(left), newId);

const forgetLeft = (folder: string, runId: string): void => rmSync(fileOf(folder, runId), { force: true });

const fileOf = (folder: string, runId: string): string => join(folder, `run-${runId}.json`);

export interface HeldName {
  /** Lets another process have the name. */
  release(): Promise<void>;
}

/** Where the last process with this name worked, if that was not here and it has not ended in order. */
interface Elsewhere {
  readonly host: string;
  readonly file: string;
}

type Taken = HeldName | "running" | Elsewhere;

/**
 * Takes the name that a folder stands for, so that no other live process has it. A socket is the lock: the system frees
 * it when its process ends in any way, and a process that is only suspended keeps it. Throws the error of the file
 * system. (rule L74)
 */
export async function takeName(
  folder: string,
  { platform, newId }: Pick<Context, "platform" | "newId">,
): Promise<Taken> {
  const address = addressOf(folder, platform);
  const mark = join(folder, "machine.json");
  for (;;) {
    const left = identityOf(address, platform);
    if (await answers(address)) return "running";
    const taken = await inTurn(folder, () => {
      // Another process has taken the name since, or has left it.
      if (identityOf(address, platform) !== left) return undefined;
      const elsewhere = markedElsewhere(mark);
      if (elsewhere) return elsewhere;
      if (left !== undefined) rmSync(address, { force: true });
      writePrivately(mark, JSON.stringify({ machine: thisMachine(), host: hostname() }), newId);
      const server = createServer((socket) => socket.destroy());
      const listening = once(server, "listening");
      server.listen(address);
      return { server, listening };
    });
    if (taken === undefined) continue;
    if (!("server" in taken)) return taken;
    const { server } = taken;
    if (!(await begins(taken.listening))) return "running";
    server.unref();
    return {
      async release() {
        rmSync(mark, { force: true });
        await new Promise((resolve) => server.close(resolve));
      },
    };
  }
}

/** False if another process listens there already. */
async function begins(listening: Promise<unknown>): Promise<boolean> {
  try {
    await listening;
    return true;
  } catch (error) {
    if (codeOf(error) === "EADDRINUSE") return false;
    throw error;
  }
}

/** The longest path that every system takes as the address of a socket. */
const longestAddress = 100;

function addressOf(folder: string, platform: string): string {
  const name = createHash("sha256").update(folder).digest("hex").slice(0, 16);
  if (platform === "win32") return `\\\\.\\pipe\\innkeep-worker-${name}`;
  const address = join(folder, "socket");
  return Buffer.byteLength(address) <= longestAddress
    ? address
    : join(tmpdir(), `innkeep-worker-${name}.sock`);
}

/** Whether a process listens at this address. */
async function answers(address: string): Promise<boolean> {
  const socket = connect(address);
  try {
    await once(socket, "connect");
    return true;
  } catch (error) {
    // Anything else, such as a full queue, is a process that is there.
    return !["ENOENT", "ECONNREFUSED", "ENOTSOCK"].includes(codeOf(error));
  } finally {
    socket.destroy();
  }
}

/** What distinguishes this socket from one that is made later at the same address. */
function identityOf(address: string, platform: string): string | undefined {
  if (platform === "win32") return undefined;
  const found = lstatSync(address, { throwIfNoEntry: false, bigint: true });
  return found && `${found.ino}-${found.ctimeNs}`;
}

/** A folder that several machines share has sockets that only one of them can ask. */
function markedElsewhere(file: string): Elsewhere | undefined {
  const { machine, host } = markIn(file);
  return machine === undefined || machine === thisMachine() || host === hostname()
    ? undefined
    : { host: `${host}`, file };
}

function markIn(file: string): { readonly machine?: unknown; readonly host?: unknown } {
  try {
    return Object(JSON.parse(readIfThere(file) ?? "{}"));
  } catch {
    return {};
  }
}

/** Containers on one machine have names of their own, and the same running system. */
function thisMachine(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return hostname();
  }
}

const codeOf = (error: unknown): string => `${Object(error).code ?? ""}`;
