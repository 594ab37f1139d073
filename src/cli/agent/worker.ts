import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { limits } from "../../contract/limits.ts";
import { CliError, usageError } from "../core/cli-error.ts";
import type { Context, Invocation } from "../core/context.ts";
import { fileOf, forgetLeft, type Left, readLeft, writeLeft } from "./left-work.ts";
import { type HeldName, takeName } from "./name-lock.ts";

/** One proposal in the hands of a worker. What it notes outlives its process, if the worker has a name. */
export interface Job {
  readonly runId: string;
  /** The name with which the proposal is claimed. No other claim has it. */
  readonly worker: string;
  /** What an earlier process has noted, if this proposal was left by one. */
  readonly left: Left | undefined;
  /** The file with the notes; undefined for a worker without a name. */
  readonly noted: string | undefined;
  note(more: Partial<Pick<Left, "claimId" | "command" | "ended">>): void;
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

/** A worker whose claims nobody takes up. */
export function namelessWorker({ newId }: Pick<Context, "newId">): Worker {
  const name = `shell-${newId()}`;
  const begin = (runId: string): Job => ({
    ...{ runId, worker: name, left: undefined, noted: undefined },
    note() {},
    done() {},
  });
  return { name, left: [], begin, end: async () => {} };
}

/**
 * The worker of this name, for this process alone. Each of its claims has a name of its own, which only this machine knows
 * before it is used: the same name on another machine claims for itself. Throws a CliError if a process with the name runs,
 * or the command of one that was killed. (rule L74)
 */
export async function namedWorker(
  { context, stateFolder, baseUrl }: Invocation,
  name: string,
): Promise<Worker> {
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
      left: left.map((one) => ({ ...jobIn(folder, one, context.newId), left: one })),
      begin(runId) {
        const begun = { runId, worker: `${name}-${randomBytes(suffixBytes).toString("hex")}` };
        writeLeft(folder, begun, context.newId);
        return jobIn(folder, begun, context.newId);
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

function jobIn(folder: string, noted: Left, newId: () => string): Job {
  const { runId, worker } = noted;
  let known = noted;
  return {
    ...{ runId, worker, left: undefined, noted: fileOf(folder, runId) },
    note(more) {
      known = { ...known, ...more };
      writeLeft(folder, known, newId);
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
export function beginOf(
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
