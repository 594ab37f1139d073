// These functions are synchronous, because the files are small and the asynchronous functions of node:fs load slowly.

import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path, { dirname, type PlatformPath } from "node:path";

/** The values that decide where a person's folders are. */
export interface FolderEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: string;
}

type Paths = Pick<PlatformPath, "join">;

/**
 * Returns the folder for settings and credentials. Environment variables override the usual folder of the
 * system.
 */
export function configFolder({ env, home, platform }: FolderEnvironment, { join }: Paths = path): string {
  if (env.INNKEEP_CONFIG_DIR) return env.INNKEEP_CONFIG_DIR;
  if (env.XDG_CONFIG_HOME) return join(env.XDG_CONFIG_HOME, "innkeep");
  if (platform === "win32" && env.APPDATA) return join(env.APPDATA, "innkeep");
  return join(home, ".config", "innkeep");
}

/**
 * Returns the folder for the state of the program. Environment variables override the usual folder of the
 * system.
 */
export function stateFolder({ env, home, platform }: FolderEnvironment, { join }: Paths = path): string {
  if (env.INNKEEP_STATE_DIR) return env.INNKEEP_STATE_DIR;
  if (env.INNKEEP_CONFIG_DIR) return join(env.INNKEEP_CONFIG_DIR, "state");
  if (env.XDG_STATE_HOME) return join(env.XDG_STATE_HOME, "innkeep");
  if (platform === "win32" && env.LOCALAPPDATA) return join(env.LOCALAPPDATA, "innkeep", "state");
  return join(home, ".local", "state", "innkeep");
}

/** The functions of `node:os` that find the home folder. */
interface System {
  readonly homedir: () => string;
  readonly userInfo: () => { readonly homedir: string };
}

/**
 * Returns the home folder. Ignores an empty HOME, because the program would then write files into the working
 * folder.
 */
export function homeFolder({ homedir, userInfo }: System): string {
  const home = homedir();
  if (home !== "") return home;
  try {
    return userInfo().homedir;
  } catch {
    // The system has no entry for this user. This happens in some containers.
    return "/";
  }
}

/** Returns the text of a file; undefined if the file is missing or not readable. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Replaces a file in one step. Only the owner can read the file (0600) and a new folder (0700). */
export function writePrivately(file: string, text: string, newId: () => string): void {
  const folder = dirname(file);
  makeFolder(folder, 0o700);
  const part = `${file}.${newId()}`;
  try {
    writeFileSync(part, text, { mode: 0o600, flag: "wx" });
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw withPath(error, file);
  }
}

/** Adds the path to a system error, because the error of a write names no file. */
export function withPath(error: unknown, file: string): unknown {
  if (error instanceof Error && "syscall" in error && !("path" in error))
    Object.assign(error, { path: file });
  return error;
}

/**
 * Creates a folder and its missing parents. Throws file system errors. Node's recursive `mkdir` never ends in
 * /proc.
 */
export function makeFolder(folder: string, mode?: number): void {
  if (makes(folder, mode)) return;
  makeFolder(dirname(folder), mode);
  if (!makes(folder, mode)) mkdirSync(folder, { mode });
}

/** Creates one folder. Returns false if the folder above is missing. */
function makes(folder: string, mode: number | undefined): boolean {
  try {
    mkdirSync(folder, { mode });
    return true;
  } catch (error) {
    if (isMissing(error) && folder !== dirname(folder) && !isFolder(dirname(folder))) return false;
    if (isFolder(folder)) return true;
    throw error;
  }
}

/** Whether an error means that a file or a folder does not exist. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT";

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
