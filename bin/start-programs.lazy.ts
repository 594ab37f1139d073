import { spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { delimiter, join } from "node:path";

/** How this program was started. */
export interface Start {
  /** The file that Node runs. */
  readonly script: string;
  /** The PATH of this process. */
  readonly path: string;
}

/**
 * Returns the command for a new terminal: `innkeep` or `node FILE`. `npx` could download an unrelated package.
 * (rule L56)
 */
export function startWords({ script, path }: Start): readonly string[] {
  const file = realPathOf(script) ?? script;
  // npm and npx add `node_modules` folders to the PATH. In another terminal, these folders are not on the PATH.
  const folders = path.split(delimiter).filter((folder) => folder !== "" && !folder.includes("node_modules"));
  if (folders.some((folder) => realPathOf(join(folder, "innkeep")) === file)) return ["innkeep"];
  if (folders.some((folder) => realPathOf(join(folder, "innkeep.cmd")) !== undefined)) return ["innkeep"];
  return ["node", file];
}

/** Joins words into one command line for a shell. Quotes the words that need it. */
export const asCommand = (words: readonly string[]): string => words.map(quoted).join(" ");

function realPathOf(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}

const quoted = (word: string): string => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : `"${word}"`);

/** Opens a file in an editor and returns its exit code. A shell runs `command`, which may contain flags. */
export function openEditor(command: string, file: string): Promise<number> {
  const quoted = process.platform === "win32" ? `"${file}"` : `'${file.replaceAll("'", "'\\''")}'`;
  const editor = spawn(`${command} ${quoted}`, { shell: true, stdio: "inherit" });
  return new Promise((resolve, reject) => {
    editor.once("error", reject);
    editor.once("exit", (code) => resolve(code ?? 1));
  });
}

/** Starts a separate process that checks for a newer version. Does not wait for that process. */
export function startUpdateCheck(): void {
  const check = spawn(process.execPath, [join(__dirname, "update-check.cjs")], {
    detached: true,
    stdio: "ignore",
    windowsHide: true,
  });
  check.on("error", () => {});
  check.unref();
}
