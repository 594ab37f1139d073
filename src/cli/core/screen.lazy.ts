import { isatty } from "node:tty";
import { type RenderOptions, render } from "ink";
import type { ReactNode } from "react";

/** The streams of a screen, and the signal that ends it. */
export interface Shown {
  readonly signal: AbortSignal;
  /** The streams of a test. If there are none, the streams of this process are used. */
  readonly streams?: Pick<RenderOptions, "stdin" | "stdout" | "debug">;
}

/** Shows a screen until the person leaves it or the terminal closes. Throws the reason of an abort. */
export async function showOnTerminal(screen: ReactNode, { signal, streams }: Shown): Promise<void> {
  const { stdout = process.stdout } = streams ?? {};
  // Some terminals report a width of 0, which would show one letter per line.
  stdout.columns ||= 80;
  const app = render(screen, { exitOnCtrlC: false, patchConsole: false, ...streams });
  const release = streams ? () => {} : watchTerminal();
  await app.waitUntilExit();
  if (!streams && !isatty(1)) await hungUp(signal);
  signal.throwIfAborted();
  release();
}

/**
 * Ends the process when its terminal closes. Restores the terminal during a suspension. Returns a function that stops
 * watching.
 */
function watchTerminal(): () => void {
  const { stdin, stdout } = process;
  const goOn = () => {
    stdin.setRawMode(true);
    stdout.write(`${hideCursor}${clearScreen}`);
    drawAnew(stdout);
  };
  stdin.on("error", endAsHungUp).on("end", endAsHungUp);
  stdout.on("error", endAsHungUp);
  process.on("SIGTSTP", pause).on("SIGCONT", goOn);
  return () => {
    stdin.off("error", endAsHungUp).off("end", endAsHungUp);
    stdout.off("error", endAsHungUp);
    process.off("SIGTSTP", pause).off("SIGCONT", goOn);
  };
}

/**
 * Makes the screen library draw the whole screen. By itself, the library does this only after the screen
 * becomes narrower.
 */
function drawAnew(stdout: NodeJS.WriteStream): void {
  for (const by of [-1, 1]) {
    stdout.columns += by;
    stdout.emit("resize");
  }
}

const [hideCursor, showCursor] = ["\u001b[?25l", "\u001b[?25h"];
const clearScreen = "\u001b[2J\u001b[H";

/** Suspends the process. Before that, shows typed text and the cursor again, because the shell needs both. */
function pause(): void {
  process.stdin.setRawMode(false);
  process.stdout.write(showCursor, () => process.kill(process.pid, "SIGSTOP"));
}

/**
 * Sends SIGHUP to this process, and waits until `signal` aborts. Needed if the screen library detects the
 * closed terminal first.
 */
async function hungUp(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  endAsHungUp();
  await aborted;
}

/** Sends SIGHUP to this process, because the system does not send SIGHUP to every process of a closed terminal. */
const endAsHungUp = (): void => void process.kill(process.pid, "SIGHUP");
