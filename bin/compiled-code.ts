// This file imports nothing, because `innkeep.ts` loads it in every version of Node, even in unsupported
// versions.

/**
 * Makes Node store compiled code, so that later starts are faster. Other users must not write to the folder.
 */
export function keepCompiledCode(): void {
  const modules = process.getBuiltinModule("node:module");
  if (!("enableCompileCache" in modules)) return;
  const folder = codeFolder(process.env);
  if (folder !== undefined && isPrivate(folder)) modules.enableCompileCache(folder);
}

/**
 * Returns the folder for compiled code and creates it. Undefined if the environment names no folder for caches.
 */
function codeFolder(env: NodeJS.ProcessEnv): string | undefined {
  const { mkdirSync } = process.getBuiltinModule("node:fs");
  const { join } = process.getBuiltinModule("node:path");
  const { HOME, LOCALAPPDATA } = env;
  const caches =
    process.platform === "win32" ? LOCALAPPDATA : env.XDG_CACHE_HOME || (HOME && join(HOME, ".cache"));
  if (!caches) return undefined;
  const folder = join(caches, "innkeep", "compiled");
  for (const one of [caches, join(caches, "innkeep"), folder]) {
    try {
      mkdirSync(one, { mode: 0o700 });
    } catch {
      // The error is ignored. If the folder does not exist afterwards, `isPrivate` returns false.
    }
  }
  return folder;
}

function isPrivate(folder: string): boolean {
  const { statSync } = process.getBuiltinModule("node:fs");
  try {
    const { uid, mode } = statSync(folder);
    return process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0);
  } catch {
    return false;
  }
}
