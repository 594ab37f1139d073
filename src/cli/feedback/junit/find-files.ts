import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { glob } from "tinyglobby";

/**
 * The absolute paths of the files that a pattern names, sorted. A path that exists is meant literally, and a folder
 * means the XML files below it. Folders of installed packages are left out unless the pattern names them.
 */
export async function findFiles(cwd: string, pattern: string): Promise<readonly string[]> {
  const path = resolve(cwd, pattern);
  const found = await stat(path).catch(() => undefined);
  if (found && !found.isDirectory()) return [path];
  const ignore = pattern.includes("node_modules") ? [] : ["**/node_modules/**"];
  const options = { absolute: true, dot: true, onlyFiles: true, expandDirectories: false, ignore };
  const files = found
    ? await glob("**/*.xml", { ...options, cwd: path })
    : await glob(process.platform === "win32" ? pattern.replaceAll("\\", "/") : pattern, { ...options, cwd });
  return [...new Set(files.map((file) => resolve(file)))].sort();
}
