import { realpathSync } from "node:fs";
import { delimiter, join, sep } from "node:path";

/** How this program was started. */
export interface Start {
  /** The file that Node runs. */
  readonly script: string;
  /** The PATH of this process. */
  readonly path: string;
}

/**
 * The command that starts this program in a new terminal: `innkeep` if it is on the PATH, `npx innkeep` if it is
 * installed in a folder of packages, else `node` with the file.
 */
export function startCommand({ script, path }: Start): string {
  const file = realOf(script) ?? script;
  // npm and npx add such folders to the PATH of the programs that they start. Another terminal does not have them.
  const folders = path.split(delimiter).filter((folder) => folder !== "" && !folder.includes("node_modules"));
  if (folders.some((folder) => realOf(join(folder, "innkeep")) === file)) return "innkeep";
  if (folders.some((folder) => realOf(join(folder, "innkeep.cmd")) !== undefined)) return "innkeep";
  return file.includes(join(sep, "node_modules", "innkeep", sep)) ? "npx innkeep" : `node ${quoted(file)}`;
}

function realOf(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}

const quoted = (file: string): string => (/^[\w@%+=:,./\\-]+$/.test(file) ? file : `"${file}"`);
