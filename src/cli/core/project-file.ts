import path, { join, type PlatformPath } from "node:path";
import { credentialKinds } from "../../client/credential-kinds.ts";
import { usageError } from "./cli-error.ts";
import type { Context } from "./context.ts";
import { readForeign } from "./foreign-file.ts";

/** What a project says about itself: which server, and which of its apps. */
export interface ProjectFile {
  readonly file: string;
  readonly server?: string;
  readonly app?: string;
}

export const projectFileName = "innkeep.json";
const keys = ["server", "app"];

/**
 * The `innkeep.json` of the working folder, or of the nearest folder above it up to the home folder. Undefined if there is
 * none. Throws a usage error that names every fault of the file.
 */
export function readProjectFile({ cwd, home }: Pick<Context, "cwd" | "home">): ProjectFile | undefined {
  for (const folder of foldersUpwards(cwd, home)) {
    const file = join(folder, projectFileName);
    const text = projectText(file);
    if (text !== undefined) return checkProject(file, text);
  }
  return undefined;
}

const mostBytes = 65_536;

/**
 * The text of such a file; undefined if it is missing, or this person may not read it. Throws a usage error for a pipe, a
 * device, a folder or a huge file: it came with a checkout, maybe from a stranger.
 */
export function projectText(file: string): string | undefined {
  const read = readForeign(file, mostBytes);
  if (read && "bytes" in read) return read.bytes.toString("utf8");
  if (!read || read.code !== undefined) return undefined;
  throw usageError(`${file} cannot be used: it ${read.fault}.`, allowed);
}

/**
 * A folder and those above it, up to the home folder or the root. Windows takes the same folder in other letters, so that
 * the system's own comparison finds the home folder.
 */
export function foldersUpwards(start: string, home: string, paths: PlatformPath = path): string[] {
  const folders = [start];
  const isHome = (folder: string) => paths.isAbsolute(home) && paths.relative(home, folder) === "";
  for (let folder = start; !isHome(folder); folder = paths.dirname(folder)) {
    if (folder === paths.dirname(folder)) break;
    folders.push(paths.dirname(folder));
  }
  return folders;
}

/** Reads the text of such a file. Throws a usage error that names every fault. */
export function checkProject(file: string, text: string): ProjectFile {
  const value = parse(file, text);
  const faults = Object.entries(value).flatMap(([key, given]) => faultOf(key, given));
  if (faults.length > 0) throw usageError(`${file} cannot be used: ${faults.join("; ")}.`, allowed);
  return { file, ...value };
}

const allowed = "It may hold `server` and `app`, both as text.";

function parse(file: string, text: string): object {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {}
  throw usageError(`${file} is not a JSON object.`, allowed);
}

function faultOf(key: string, value: unknown): string[] {
  if (key === "$schema") return [];
  // The value is not shown: it may be a secret.
  if (typeof value === "string" && secretStarts.some((start) => value.startsWith(start)))
    return [`${key} holds a secret, which does not belong into a file that others read`];
  if (!keys.includes(key)) return [`${key} is not known`];
  return typeof value === "string" && value.trim() !== "" ? [] : [`${key} must be text`];
}

const secretStarts = [...Object.values(credentialKinds).map(({ prefix }) => prefix), "stk_"];
