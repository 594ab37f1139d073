import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { isText, jsonIn, valueAt } from "../../contract/json.ts";
import { limits } from "../../contract/limits.ts";
import { inTurn } from "../../credentials/folder-turn.ts";
import { makeFolder, readIfThere, writePrivately } from "../../credentials/folders.ts";
import { CliError, usageError } from "../core/cli-error.ts";
import type { Context, Invocation } from "../core/context.ts";

/** A proposal that a worker carries out. A named worker's notes stay on disk after its process ends. */
export interface Job {
  readonly runId: string;
  /** The name of the worker in the claim of the proposal. No other claim has this name. */
  readonly worker: string;
  /** The notes of the earlier process that left this proposal unfinished. */
  readonly earlier: JobNotes | undefined;
  /** The file with the notes; undefined for a worker without a name. */
  readonly notesFile: string | undefined;
  note(more: Partial<Pick<JobNotes, "claimId" | "ended">>): void;
  /** Writes the process id of the command for the proposal into the notes. */
  noteCommand(processId: number): void;
  /** Call this when nothing is left to do for the proposal. Removes its notes. */
  done(): void;
}

export interface Worker {
  readonly name: string;
  /** The jobs that the last process with this name did not finish. */
  readonly unfinished: readonly Job[];
  begin(runId: string): Job;
  end(): Promise<void>;
}

/** Starts a worker. Without a name, no later process can resume its claims. */
export const startWorker = async (invocation: Invocation, name: string | undefined): Promise<Worker> =>
  name === undefined ? namelessWorker(invocation.context) : namedWorker(invocation, name);

function namelessWorker({ newId }: Context): Worker {
  const name = `shell-${newId()}`;
  const begin = (runId: string): Job => ({
    ...{ runId, worker: name, earlier: undefined, notesFile: undefined },
    note() {},
    noteCommand() {},
    done() {},
  });
  return { name, unfinished: [], begin, end: async () => {} };
}

/**
 * Starts a named worker. Throws a CliError if the name is taken or an earlier command still runs. (rule L74)
 */
async function namedWorker({ context, stateFolder, baseUrl }: Invocation, name: string): Promise<Worker> {
  if (name.length > longestName) throw usageError(`--worker can have at most ${longestName} characters.`);
  const key = createHash("sha256").update(`${baseUrl()}\n${name}`).digest("hex").slice(0, 16);
  const folder = join(stateFolder, "workers", key);
  makeFolder(folder, 0o700);
  const lock = await lockNameOrThrow(folder, name, context);
  try {
    const unfinished = readNotes(folder);
    assertEnded(unfinished, context);
    return {
      name,
      unfinished: unfinished.map((notes) => ({ ...jobIn(folder, notes, context), earlier: notes })),
      begin(runId) {
        // Other machines may use the same worker name, so the name in each claim gets a random ending.
        const begun = { runId, worker: `${name}-${randomBytes(suffixBytes).toString("hex")}` };
        writeNotes(folder, begun, context.newId);
        return jobIn(folder, begun, context);
      },
      end: () => lock.release(),
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

const suffixBytes = 4;

const longestName = limits.worker - 1 - 2 * suffixBytes;

function jobIn(folder: string, notes: JobNotes, context: Context): Job {
  const { runId, worker } = notes;
  let known = notes;
  const note = (more: Partial<JobNotes>) => {
    known = { ...known, ...more };
    writeNotes(folder, known, context.newId);
  };
  return {
    ...{ runId, worker, earlier: undefined, notesFile: fileOf(folder, runId) },
    note,
    noteCommand(processId) {
      const began = startOf(processId, context);
      if (began !== undefined) note({ command: { processId, began } });
    },
    done: () => removeNotes(folder, runId),
  };
}

async function lockNameOrThrow(folder: string, name: string, context: Context): Promise<NameLock> {
  const taken = await lockName(folder, context);
  if (taken === "running")
    throw refused(
      `A worker with the name ${name} runs on this machine already.`,
      "Give this one another name with --worker, or wait until the other has ended.",
    );
  if ("file" in taken)
    throw refused(
      `A worker with the name ${name} was started on ${taken.host}, which shares this folder. It still runs there, or it was killed.`,
      `Give this one another name. If no worker runs there any more, remove ${taken.file} and start again.`,
    );
  return taken;
}

/** Throws a CliError if a killed worker's command still runs. A second command would repeat its work. */
function assertEnded(unfinished: readonly JobNotes[], context: Context): void {
  for (const { command } of unfinished) {
    if (!command || command.began !== startOf(command.processId, context)) continue;
    throw refused(
      `An earlier command of this worker is still running, as process ${command.processId}.`,
      "Wait until it has ended, or end it. Then start the worker again.",
    );
  }
}

/** Returns a text that identifies a running process. Undefined if the process has ended. */
function startOf(
  processId: number,
  { platform, isRunning }: Pick<Context, "platform" | "isRunning">,
): string | undefined {
  if (platform !== "linux") return isRunning(processId) ? "running" : undefined;
  try {
    // The second field is a name. It may contain any character, and ends at the last parenthesis.
    const fields = readFileSync(`/proc/${processId}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    // The start time differs for a later process with the same id.
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

const refused = (message: string, next: string) =>
  new CliError({ exit: "conflict", code: "worker_runs", message, next });

/** The notes about one proposal while a worker carries it out. */
export interface JobNotes {
  readonly runId: string;
  /** The name of the worker in the claim. */
  readonly worker: string;
  readonly claimId?: string;
  /** The process of the command that was started for the proposal. */
  readonly command?: { readonly processId: number; readonly began: string };
  /** The outcome of the command, if it has ended. It is not reported to the server yet. */
  readonly ended?: { readonly status: "succeeded" | "failed"; readonly summary: string };
}

/**
 * Returns the notes of the proposals that the last process with this name did not finish. Skips damaged files.
 */
const readNotes = (folder: string): readonly JobNotes[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith("run-") && name.endsWith(".json"))
    .flatMap((name) => {
      const notes = jsonIn(readIfThere(join(folder, name)) ?? "");
      return isJobNotes(notes) ? notes : [];
    });

/** Checks only some fields, because each file is written in one step and is never incomplete. */
const isJobNotes = (value: unknown): value is JobNotes =>
  isText(valueAt(value, "runId")) && isText(valueAt(value, "worker"));

const writeNotes = (folder: string, notes: JobNotes, newId: () => string): void =>
  writePrivately(fileOf(folder, notes.runId), JSON.stringify(notes), newId);

const removeNotes = (folder: string, runId: string): void => rmSync(fileOf(folder, runId), { force: true });

const fileOf = (folder: string, runId: string): string => join(folder, `run-${runId}.json`);

export interface NameLock {
  /** Unlocks the name for another process. */
  release(): Promise<void>;
}

/** The result of `lockName` if a process on another machine has locked the name and has not unlocked it. */
interface LockedElsewhere {
  readonly host: string;
  readonly file: string;
}

type LockResult = NameLock | "running" | LockedElsewhere;

/**
 * Locks the name of a worker with a listening socket. The system closes the socket after a crash. (rule L74)
 */
export async function lockName(
  folder: string,
  { platform, newId }: Pick<Context, "platform" | "newId">,
): Promise<LockResult> {
  const address = addressOf(folder, platform);
  const ownerFile = join(folder, "machine.json");
  for (;;) {
    const left = identityOf(address, platform);
    if (await isAnswered(address)) return "running";
    const taken = await inTurn(folder, () => {
      // If there is a different socket at the address now, another process has locked or unlocked the name.
      if (identityOf(address, platform) !== left) return undefined;
      const elsewhere = lockedElsewhere(ownerFile);
      if (elsewhere) return elsewhere;
      if (left !== undefined) rmSync(address, { force: true });
      writePrivately(ownerFile, JSON.stringify({ machine: thisMachine(), host: hostname() }), newId);
      const server = createServer((socket) => socket.destroy());
      const listening = once(server, "listening");
      server.listen(address);
      return { server, listening };
    });
    if (taken === undefined) continue;
    if (!("server" in taken)) return taken;
    const { server } = taken;
    if (!(await isListening(taken.listening))) return "running";
    server.unref();
    return {
      async release() {
        rmSync(ownerFile, { force: true });
        await new Promise((resolve) => server.close(resolve));
      },
    };
  }
}

/**
 * Waits until the server listens. Returns false if another process already listens at the address. Throws other errors.
 */
async function isListening(listening: Promise<unknown>): Promise<boolean> {
  try {
    await listening;
    return true;
  } catch (error) {
    if (codeOf(error) === "EADDRINUSE") return false;
    throw error;
  }
}

/** The longest path that every system accepts as the address of a socket. */
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
async function isAnswered(address: string): Promise<boolean> {
  const socket = connect(address);
  try {
    await once(socket, "connect");
    return true;
  } catch (error) {
    // Any other error, such as a full queue, means that a process listens.
    return !["ENOENT", "ECONNREFUSED", "ENOTSOCK"].includes(codeOf(error));
  } finally {
    socket.destroy();
  }
}

/** Returns a text that distinguishes this socket from a later socket at the same address. */
function identityOf(address: string, platform: string): string | undefined {
  if (platform === "win32") return undefined;
  const found = lstatSync(address, { throwIfNoEntry: false, bigint: true });
  return found && `${found.ino}-${found.ctimeNs}`;
}

/**
 * Returns the other machine whose worker has locked the name. This machine cannot connect to the worker's
 * socket.
 */
function lockedElsewhere(file: string): LockedElsewhere | undefined {
  const { machine, host } = readOwner(file);
  return machine === undefined || machine === thisMachine() || host === hostname()
    ? undefined
    : { host: `${host}`, file };
}

function readOwner(file: string): { readonly machine?: unknown; readonly host?: unknown } {
  try {
    return Object(JSON.parse(readIfThere(file) ?? "{}"));
  } catch {
    return {};
  }
}

/**
 * Returns an id of this machine. Containers on one machine have different host names, but the same boot id.
 */
function thisMachine(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return hostname();
  }
}

const codeOf = (error: unknown): string => `${Object(error).code ?? ""}`;
