import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import type { DevExecRequest } from "../programs.ts";
import { systemReason } from "../words/phrases.ts";
import { codeOf, quoted } from "./run-command.ts";
import {
  clientVariables,
  type ServerProcess,
  serverEnvironment,
  startServerProcess,
} from "./server-process.ts";

export interface ExecWorld {
  /** The built file of the server. */
  readonly program: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
}

/** Runs a command with its own server. Returns the exit code. Throws an Error if the server cannot start. */
export async function runWithServer(request: DevExecRequest, world: ExecWorld): Promise<number> {
  const { seed, keep } = request;
  const signals = takeSignals();
  const options = { program: world.program, environment: serverEnvironment(world.environment), keep };
  const starting = startServerProcess({
    ...options,
    seed: seed === undefined ? undefined : resolve(seed),
    signal: signals.first,
  });
  const server = await starting.catch((error) => {
    if (!signals.first.aborted) throw error;
  });
  if (!server) return codeOf(signals.received());
  try {
    if (signals.first.aborted) return codeOf(signals.received());
    request.note(`Innkeep serves ${server.ready.baseUrl} while the command runs.`);
    return await run(request, world, server, signals.forward);
  } finally {
    await server.stop();
    if (keep) request.note(`The server's data is in ${server.ready.folder}/data.`);
  }
}

async function run(
  { command, warn }: DevExecRequest,
  { environment, platform }: ExecWorld,
  server: ServerProcess,
  forward: (send: (signal: NodeJS.Signals) => void) => void,
): Promise<number> {
  const env = { ...environment, ...clientVariables(server.ready) };
  const [file = "", ...words] = command;
  let isOver = false;
  void server.ended.then(() => {
    if (!isOver) warn("The server has ended before the command.");
  });
  try {
    // On Windows, npm and npx are scripts. Only a shell can start them.
    const child =
      platform === "win32"
        ? spawn(command.map(quoted).join(" "), { env, stdio: "inherit", shell: true })
        : spawn(file, words, { env, stdio: "inherit" });
    child.once("spawn", () => {
      if (child.pid !== undefined) server.guard(child.pid);
    });
    forward((signal) => void child.kill(signal));
    const [code, signal] = await once(child, "exit");
    return code ?? codeOf(signal);
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    warn(`error: ${file || '""'} cannot be started (${systemReason(error)}).`);
    return error.code === "ENOENT" || file === "" ? 127 : 126;
  } finally {
    isOver = true;
  }
}

interface Signals {
  /** Aborts when the first signal of the operating system arrives. */
  readonly first: AbortSignal;
  /** Returns the first signal that arrived; undefined if none has arrived. */
  received(): NodeJS.Signals | undefined;
  /** Calls `send` with each later signal. */
  forward(send: (signal: NodeJS.Signals) => void): void;
}

const passedOn = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"] as const;

/** Catches the signals of this process, so that they no longer end it. */
function takeSignals(): Signals {
  const arrived = new AbortController();
  let first: NodeJS.Signals | undefined;
  let send: ((signal: NodeJS.Signals) => void) | undefined;
  for (const signal of process.platform === "win32" ? passedOn.slice(0, 3) : passedOn) {
    const before = process.listeners(signal);
    // Adds the new listener before it removes the others, because a signal without a listener ends the process
    // or is lost.
    process.on(signal, () => {
      first ??= signal;
      arrived.abort();
      if (!isFromTerminal(signal)) send?.(signal);
    });
    for (const listener of before) process.off(signal, listener);
  }
  return {
    first: arrived.signal,
    received: () => first,
    forward(target) {
      send = target;
    },
  };
}

/** Whether a terminal sent the signal. If so, the terminal has sent it to the command, too. */
const isFromTerminal = (signal: NodeJS.Signals): boolean =>
  (signal === "SIGINT" || signal === "SIGQUIT") && Boolean(process.stdin.isTTY);
