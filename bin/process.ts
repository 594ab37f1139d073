import type { Context } from "../src/cli/core/context.ts";
import { systemClock } from "../src/client/clock.ts";
import { homeFolder } from "../src/credentials/home-folder.ts";
import { leaveGoneTerminals } from "./gone-terminals.ts";
import { openStreams } from "./process-io.ts";

declare const INNKEEP_VERSION: string;

export const version = INNKEEP_VERSION;

/** Runs a program, waits until all its output is written, and ends the process with its exit code. */
export async function runProcess(program: (signal: AbortSignal) => Promise<number>): Promise<void> {
  process.on("exit", leaveGoneTerminals);
  // A program that waits for something that can no longer happen ends here, and must not look like a success.
  process.exitCode = 1;
  const code = await program(interruption());
  await flushed();
  process.exit(code);
}

/** Aborts when the person or the system wants the process to end. A second request ends it at once. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(130);
      controller.abort(new Error("interrupted"));
    });
  }
  return controller.signal;
}

/** Waits until all output is written. */
async function flushed(): Promise<void> {
  for (const stream of openStreams()) {
    await new Promise<void>((resolve) => {
      stream.write("", () => resolve());
    });
  }
}

/** What differs between the programs of this package. */
type Parts = Pick<
  Context,
  "keychain" | "openBrowser" | "openEditor" | "wordsToStart" | "programs" | "checkServer"
>;

/** The context of a command, made of this process. */
export const contextOfProcess = ({ io, signal }: Pick<Context, "io" | "signal">, parts: Parts): Context => ({
  io,
  env: process.env,
  cwd: process.cwd(),
  get home() {
    return homeFolder(process.getBuiltinModule("node:os"));
  },
  platform: process.platform,
  version,
  nodeVersion: process.version,
  processId: process.pid,
  isRunning,
  clock: systemClock,
  signal,
  newId: () => crypto.randomUUID(),
  random: Math.random,
  ...parts,
});

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    // The process exists, but belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
