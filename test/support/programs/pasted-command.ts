import { spawn, spawnSync } from "node:child_process";

/** `script` gives a program a terminal. */
export const hasScript = spawnSync("script", ["--version"]).status === 0;

export interface Pasted {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Called with all output so far. */
  readonly onOutput?: (text: string) => void;
}

/** Runs a line in a shell on a terminal, as a person pastes it. Returns the exit code and what the terminal showed. */
export async function pasted(line: string, { cwd, env, onOutput }: Pasted) {
  const child = spawn("script", ["-qec", line, "/dev/null"], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    shown += text;
    onOutput?.(shown);
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, shown };
}
