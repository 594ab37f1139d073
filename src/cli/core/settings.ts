import path, { join, type PlatformPath } from "node:path";
import { credentialKinds } from "../../client/credential-kinds.ts";
import { isObject, jsonIn } from "../../contract/json.ts";
import { configFolder, readIfThere } from "../../credentials/folders.ts";
import { CliError, didYouMean, usageError } from "./cli-error.ts";
import type { Context, GlobalFlags } from "./context.ts";
import { readForeign } from "./input.ts";

/** A flag, variable, profile or file that may contain the server, its app and its console. */
interface Source {
  /** The name of the source for messages: a flag, a variable, a profile or a file. */
  readonly from: string;
  readonly server?: string | undefined;
  readonly app?: string | undefined;
  readonly console?: string | undefined;
  /** True for a project file. A stranger may have written it. */
  readonly isProject?: true;
  /** The name of the profile, if `--profile` selected it. */
  readonly profile?: string;
}

/**
 * Yields the sources that may contain the server and the app of a command. The source with the highest priority
 * comes first. Reads a file only when the caller needs it. So a damaged file stops only the commands that need
 * the file.
 */
export function* sourcesOf(context: Context, flags: GlobalFlags): Generator<Source> {
  const { env } = context;
  yield { from: "--app", app: flags.app };
  yield { from: "--base-url", server: flags.baseUrl };
  const named = flags.profile ? chosenProfile(context, flags) : undefined;
  if (named) yield { ...sourceOf(named), profile: named.name };
  yield { from: "INNKEEP_BASE_URL", server: env.INNKEEP_BASE_URL };
  yield { from: "INNKEEP_APP", app: env.INNKEEP_APP };
  yield { from: "INNKEEP_CONSOLE_URL", console: env.INNKEEP_CONSOLE_URL };
  const chosen = named ? undefined : chosenProfile(context, flags);
  if (chosen?.from === "INNKEEP_PROFILE") yield sourceOf(chosen);
  const project = readProjectFile(context);
  if (project) yield { from: project.file, server: project.server, app: project.app, isProject: true };
  if (chosen?.from === "config use") yield sourceOf(chosen);
}

const sourceOf = ({ name, profile, from }: ChosenProfile): Source => ({
  from: `the profile ${name} (${from})`,
  ...profile,
});

/** The settings of a profile. The credentials of a profile are stored separately, under its name. */
export interface Profile {
  readonly server?: string;
  readonly app?: string;
  readonly console?: string;
}

/** The profiles of a person, by name, and the name of the default profile. */
export interface Profiles {
  readonly current?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/** A profile, and the flag, variable or file that selected it. */
interface ChosenProfile {
  readonly name: string;
  readonly profile: Profile;
  readonly from: "--profile" | "INNKEEP_PROFILE" | "config use";
}

export const profileKeys = ["server", "app", "console"] as const;

export type ProfileKey = (typeof profileKeys)[number];

export const profilesFileName = "profiles";

const profilesFile = (context: Context): string => join(configFolder(context), `${profilesFileName}.json`);

/** Returns the profiles of this person. Throws a CliError if the file is damaged. */
export function readProfiles(context: Context): Profiles {
  const file = profilesFile(context);
  const text = readIfThere(file);
  if (text === undefined) return { profiles: {} };
  const value = jsonIn(text);
  if (!isProfiles(value)) {
    throw new CliError({
      exit: "unexpected",
      code: "damaged_profiles",
      message: `The file ${file} is damaged.`,
      next: "Remove it, and set your profiles again with `innkeep config set`.",
    });
  }
  return value;
}

/**
 * Returns the profile of a command: the profile in `--profile`, the profile in INNKEEP_PROFILE, or the profile
 * that `config use` has stored. Undefined if no profile is selected. Throws a usage error for a name that no
 * profile has.
 */
export function chosenProfile(context: Context, flags: GlobalFlags): ChosenProfile | undefined {
  const { current, profiles } = readProfiles(context);
  const [name, from] = flags.profile
    ? ([flags.profile, "--profile"] as const)
    : context.env.INNKEEP_PROFILE
      ? ([context.env.INNKEEP_PROFILE, "INNKEEP_PROFILE"] as const)
      : ([current, "config use"] as const);
  if (name === undefined) return undefined;
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile) return { name, profile, from };
  const known = Object.keys(profiles);
  throw usageError(
    `There is no profile "${name}".${didYouMean(name, known)}`,
    known.length > 0
      ? `The profiles are ${known.join(", ")}.`
      : `\`innkeep config set server https://… --profile ${name}\` creates it.`,
  );
}

const isText = (value: unknown): boolean => value === undefined || typeof value === "string";

function isProfiles(value: unknown): value is Profiles {
  if (!isObject(value) || !("profiles" in value) || !isObject(value.profiles)) return false;
  if ("current" in value && !isText(value.current)) return false;
  return Object.values(value.profiles).every(
    (profile) => isObject(profile) && Object.values(profile).every(isText),
  );
}

/** The content of the project file `innkeep.json`: the server, and an app on it. */
interface ProjectFile {
  readonly file: string;
  readonly server?: string;
  readonly app?: string;
}

export const projectFileName = "innkeep.json";

const keys = ["server", "app"];

/**
 * Returns the content of `innkeep.json` in the working folder, or in the nearest folder above it up to the home folder.
 * Undefined if there is no such file. Throws a usage error that names every fault of the file.
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
 * Returns the text of a project file. Undefined if it is missing, or if this person may not read it. Throws a usage
 * error for a pipe, a device, a folder or a huge file, because the file may come from a stranger.
 */
export function projectText(file: string): string | undefined {
  const read = readForeign(file, mostBytes);
  if (read && "bytes" in read) return read.bytes.toString("utf8");
  if (!read || read.code !== undefined) return undefined;
  throw usageError(`${file} cannot be used: it ${read.fault}.`, allowed);
}

/**
 * Returns a folder and all folders above it, up to the home folder or the root. The folders are compared with
 * `path.relative`, because Windows ignores the case of letters in paths.
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

/** Parses the text of a project file. Throws a usage error that names every fault. */
export function checkProject(file: string, text: string): ProjectFile {
  const value = parseProject(file, text);
  const faults = Object.entries(value).flatMap(([key, given]) => faultOf(key, given));
  if (faults.length > 0) throw usageError(`${file} cannot be used: ${faults.join("; ")}.`, allowed);
  return { file, ...value };
}

const allowed = "It may contain `server` and `app`, both as text.";

function parseProject(file: string, text: string): object {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (isObject(value)) return value;
  } catch {}
  throw usageError(`${file} is not a JSON object.`, allowed);
}

function faultOf(key: string, value: unknown): string[] {
  if (key === "$schema") return [];
  // The message does not contain the value, because the value may be a secret.
  if (typeof value === "string" && secretStarts.some((start) => value.startsWith(start)))
    return [`${key} contains a secret, but other people can read this file`];
  if (!keys.includes(key)) return [`${key} is not known`];
  return typeof value === "string" && value.trim() !== "" ? [] : [`${key} must be text`];
}

const secretStarts = [...Object.values(credentialKinds).map(({ prefix }) => prefix), "stk_"];
