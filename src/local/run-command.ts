import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import { constants } from "node:os";
import { setTimeout } from "node:timers/promises";

export interface CommandRun {
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly cwd: string;
  /** True if standard output is for data. The command's standard output then goes to standard error. */
  readonly toStderr?: boolean;
  /** Called with the id of the process when the command has started. */
  readonly onStart?: ((processId: number) => void) | undefined;
  /**
   * Called with the output of the command, which is also printed. Without this function, the command prints
   * directly.
   */
  readonly onOutput?: ((text: string) => void) | undefined;
}

export interface CommandEnd {
  /** The exit code; as in shells, 127 (not found), 126 (cannot start) or 128 plus the signal's number. */
  readonly code: number;
  /** The first signal that this process received during the command. */
  readonly received: NodeJS.Signals | undefined;
}

const passedOn = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs a command. Signals are sent to the command, except Ctrl-C, which the terminal itself sends. */
export async function runCommand(run: CommandRun): Promise<CommandEnd> {
  // The signals must be caught before the command starts. A signal between the two steps would be lost.
  const signals = takeSignals();
  try {
    const child = start(run);
    signals.sendTo((signal) => void child.kill(signal));
    if (child.pid !== undefined) run.onStart?.(child.pid);
    passOutput(child, run);
    const closed = once(child, "close").catch(() => undefined);
    const [code, signal] = await once(child, "exit");
    await restOfOutput(child, closed);
    return { code: code ?? codeOf(signal), received: signals.first() };
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    const isMissing = error.code === "ENOENT" || run.command[0] === "";
    return { code: isMissing ? 127 : 126, received: signals.first() };
  } finally {
    signals.giveBack();
  }
}

function start({ command, env, cwd, platform, toStderr, onOutput }: CommandRun): ChildProcess {
  const [file = "", ...words] = command;
  const [out, err] = onOutput ? ["pipe" as const, "pipe" as const] : [toStderr ? 2 : 1, 2];
  const options = { env, cwd, stdio: ["inherit" as const, out, err] };
  // On Windows, npm and npx are scripts. Only a shell can start them.
  return platform === "win32"
    ? spawn(command.map(quoted).join(" "), { ...options, shell: true })
    : spawn(file, words, options);
}

function passOutput(child: ChildProcess, { toStderr, onOutput }: CommandRun): void {
  for (const stream of ["stdout", "stderr"] as const) {
    const decoder = new TextDecoder();
    child[stream]?.on("data", (bytes: Buffer) => {
      process[stream === "stdout" && !toStderr ? "stdout" : "stderr"].write(bytes);
      onOutput?.(decoder.decode(bytes, { stream: true }));
    });
  }
}

/** How many milliseconds to wait for the last output. A process of the command may keep the output open forever. */
const outputGraceMs = 1_000;

/** Waits for the last output of the command, but only for a limited time. */
async function restOfOutput(child: ChildProcess, closed: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  const grace = setTimeout(outputGraceMs, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([closed, grace]);
  over.abort();
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref();
}

function takeSignals() {
  let first: NodeJS.Signals | undefined;
  let send: ((signal: NodeJS.Signals) => void) | undefined;
  const taken = passedOn.map((signal) => {
    const before = process.listeners(signal);
    const onSignal = () => {
      first ??= signal;
      if (signal !== "SIGINT" || !process.stdin.isTTY) send?.(signal);
    };
    // `onSignal` is added before other listeners are removed, because a signal always needs a listener.
    process.on(signal, onSignal);
    for (const listener of before) process.off(signal, listener);
    return { signal, before, onSignal };
  });
  return {
    first: () => first,
    sendTo(target: (signal: NodeJS.Signals) => void) {
      send = target;
    },
    giveBack() {
      for (const { signal, before, onSignal } of taken) {
        for (const listener of before) process.on(signal, listener);
        process.off(signal, onSignal);
      }
    },
  };
}

/** Returns a word in a form for the shell of Windows. Adds quotation marks if they are necessary. */
export const quoted = (word: string): string =>
  /^[\w./:=@\\-]+$/.test(word) ? word : `"${word.replaceAll('"', '\\"')}"`;

/** Returns the exit code after a signal, as in shells: 128 plus the number of the signal. */
export const codeOf = (signal: NodeJS.Signals | undefined): number =>
  128 + (signal === undefined ? 0 : constants.signals[signal]);
