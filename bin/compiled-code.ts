// Any version of Node can read this file: it loads nothing before it is called.

/**
 * Lets Node keep the machine code of what it loads, where Node can do that: a later start takes less time. The folder is one
 * that only this user can write to, because code of somebody else must not run.
 */
export function keepCompiledCode(): void {
  const modules = process.getBuiltinModule("node:module");
  if (!("enableCompileCache" in modules)) return;
  const folder = codeFolder(process.env);
  if (folder !== undefined && isPrivate(folder)) modules.enableCompileCache(folder);
}

/** The folder, made if it is missing; undefined without a folder for caches. */
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
      // It is there, or the next one fails, too.
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
