import { execFileSync, spawnSync } from "node:child_process";
import { onTestFinished, vi } from "vitest";

/** Whether this machine has tmux, which gives programs a real terminal. */
export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

let terminals = 0;

/** A program on a terminal of 80 by 24, until the test ends. */
export function startOnTerminal(argv: readonly string[], env: Readonly<Record<string, string>>) {
  terminals += 1;
  const socket = `innkeep-${process.pid}-${terminals}`;
  const tmux = (...words: string[]) =>
    execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...words], { encoding: "utf8" });
  const variables = Object.entries({ PATH: process.env.PATH ?? "", TERM: "screen", ...env });
  const program = ["env", "-i", ...variables.map(([name, value]) => `${name}=${value}`), ...argv];
  const quoted = program.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  // The screen stays when the program has ended, and shows its exit code.
  tmux("new-session", "-d", "-x", "80", "-y", "24", `${quoted}; echo "ended with $?"; exec cat`);
  onTestFinished(() => void spawnSync("tmux", ["-L", socket, "kill-server"]));
  const screen = () => tmux("capture-pane", "-p");
  return {
    screen,
    /** Closes the window, as a person or a broken connection does. */
    close: () => void tmux("kill-server"),
    /** Empties the screen, as another program may leave it. */
    wipe: () => void tmux("send-keys", "-R"),
    showsCursor: () => tmux("display-message", "-p", "#{cursor_flag}").trim() === "1",
    shows: (text: string) => vi.waitFor(() => expectText(screen(), text), { timeout: 60_000, interval: 50 }),
    /** Types text, or keys with their names in tmux, such as `Enter`. */
    press: (...keys: readonly string[]) => void tmux("send-keys", ...keys),
  };
}

function expectText(screen: string, text: string): void {
  if (!screen.includes(text)) throw new Error(`"${text}" is not on the screen:\n${screen}`);
}
