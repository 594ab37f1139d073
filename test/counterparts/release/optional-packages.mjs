import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Removes the optional packages of an installation. `npm install --global --omit=optional` of npm 11 installs them in
 * spite of the flag; other ways to install omit them.
 */
export async function removeOptional(modules) {
  const { packages } = JSON.parse(await readFile("package-lock.json", "utf8"));
  const names = Object.entries(packages).filter(([, one]) => one.optional && !one.dev);
  for (const [path] of names)
    await rm(join(modules, path.replace("node_modules/", "")), { recursive: true, force: true });
}

/**
 * Puts `sqlite3` of this clone where its installer looks for a compiled one. The installer of a user finds it on the
 * network. It works with each version of Node. Returns the variables for npm.
 */
export async function readySqlite(folder) {
  const built = "build/Release/node_sqlite3.node";
  const { version } = JSON.parse(await readFile("node_modules/sqlite3/package.json", "utf8"));
  for (const napi of [3, 6]) {
    const name = `sqlite3-v${version}-napi-v${napi}-${process.platform}-${process.arch}.tar.gz`;
    await run("tar", ["-C", "node_modules/sqlite3", "-czf", join(folder, name), built]);
  }
  return { npm_config_sqlite3_local_prebuilds: folder };
}
