import { isatty } from "node:tty";
import { type RenderOptions, render } from "ink";
import type { ReactNode } from "react";

/** Where a screen is shown, and when it ends. */
export interface Shown {
  readonly signal: AbortSignal;
  /** Other streams than those of this process. */
  readonly streams?: Pick<RenderOptions, "stdin" | "stdout" | "debug">;
}

/** Shows a screen until the person leaves, or the terminal is gone. Throws the reason if the signal aborts. */
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

/** Ends the process with its terminal, and gives the terminal back for a pause. Returns a function that stops this. */
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

/** The library draws what has not changed only if the screen has become narrower. */
function drawAnew(stdout: NodeJS.WriteStream): void {
  for (const by of [-1, 1]) {
    stdout.columns += by;
    stdout.emit("resize");
  }
}

const [hideCursor, showCursor] = ["\u001b[?25l", "\u001b[?25h"];
const clearScreen = "\u001b[2J\u001b[H";

/** The shell that takes over needs a terminal that shows what is typed. */
function pause(): void {
  process.stdin.setRawMode(false);
  process.stdout.write(showCursor, () => process.kill(process.pid, "SIGSTOP"));
}

/** Waits until the process knows that its terminal is gone, whatever noticed it first. */
async function hungUp(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  endAsHungUp();
  await aborted;
}

/** The system sends this signal, too, but not to every process that uses the terminal. */
const endAsHungUp = (): void => void process.kill(process.pid, "SIGHUP");
