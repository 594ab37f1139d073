import { CliError } from "../src/cli/core/failures/cli-error.ts";
import type { Context, Io } from "../src/cli/core/program/context.ts";
import { runCli } from "../src/cli/core/program/run-cli.ts";
import { systemClock } from "../src/client/waiting/clock.ts";
import { systemKeychain } from "../src/credentials/keychain.ts";
import type { Programs } from "../src/programs.ts";
import { openStreams, processIo } from "./process-io.ts";

declare const INNKEEP_VERSION: string;

/** Runs the command line of this process, and ends it. */
export async function main(): Promise<void> {
  const code = await runCli(process.argv.slice(2), processContext(interruption()));
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

/** The context of a command, made of this process. */
function processContext(signal: AbortSignal): Context {
  const io = processIo(signal);
  return {
    io,
    env: process.env,
    cwd: process.cwd(),
    get home() {
      return process.getBuiltinModule("node:os").homedir();
    },
    platform: process.platform,
    version: INNKEEP_VERSION,
    processId: process.pid,
    isRunning,
    clock: systemClock,
    signal,
    newId: () => crypto.randomUUID(),
    random: Math.random,
    keychain,
    openBrowser,
    programs: programs(io, signal),
  };
}

/** Each program is loaded when it is called, so that the others cost nothing. */
const programs = (io: Io, signal: AbortSignal): Programs => ({
  async serve(flags) {
    const { serve } = await loadProgram(() => import("../server/main.ts"));
    const { startCommand } = await import("./start-command.ts");
    return serve(flags, {
      command: startCommand({ script: process.argv[1] ?? "", path: process.env.PATH ?? "" }),
      environment: process.env,
      out: (line) => io.stdout.write(`${line}\n`),
      err: io.stderr.write,
      stop: signal,
    });
  },
  async admin(request) {
    const { runAdmin } = await loadProgram(() => import("../server/admin/main.ts"));
    return runAdmin(request);
  },
  async mcp(request) {
    const { serveStdio } = await import("../mcp/stdio.ts");
    const { stdin, stdout, stderr } = process;
    return serveStdio({ ...request, version: INNKEEP_VERSION, signal, io: { stdin, stdout, stderr } });
  },
});

/** The keychain needs a variable that programs which start agents often do not pass on. */
async function keychain() {
  const { sessionBusOf } = await import("../src/credentials/session-bus.ts");
  const bus = sessionBusOf({ env: process.env, platform: process.platform, userId: process.getuid?.() });
  if (bus) process.env.DBUS_SESSION_BUS_ADDRESS = bus;
  return systemKeychain();
}

async function openBrowser(url: string): Promise<void> {
  const browser = await import("./browser.ts");
  await browser.openBrowser(url);
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    // The process exists, but belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/**
 * Loads a program of the package. Throws a CliError that names the missing package if the native part of the server
 * is not installed, as after `npm install --omit=optional`.
 */
async function loadProgram<Program>(load: () => Promise<Program>): Promise<Program> {
  try {
    return await load();
  } catch (cause) {
    throw isMissingArgon2(cause) ? missing() : cause;
  }
}

const isMissingArgon2 = (cause: unknown): boolean =>
  cause instanceof Error && /argon2|native binding/i.test(cause.message);

const missing = (): CliError =>
  new CliError({
    exit: "unexpected",
    code: "missing_package",
    message: `The server needs the part of @node-rs/argon2 for ${process.platform}-${process.arch}, which is not installed here.`,
    next: "Install innkeep again without --omit=optional. All commands but `serve` and `admin` work as it is.",
  });
