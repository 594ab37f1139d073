// Any version of Node can load this file: it imports nothing.

/**
 * Makes Node cache the compiled code of our files, if this version can do that: later starts are faster. The folder of
 * the cache must belong to this user only, because nobody else may put code there.
 */
export function keepCompiledCode(): void {
  const modules = process.getBuiltinModule("node:module");
  if (!("enableCompileCache" in modules)) return;
  const folder = codeFolder(process.env);
  if (folder !== undefined && isPrivate(folder)) modules.enableCompileCache(folder);
}

/** Returns the folder of the cache. Creates it if it is missing. Undefined if the user has no folder for caches. */
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
      // Either the folder exists already, or the next step fails.
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
