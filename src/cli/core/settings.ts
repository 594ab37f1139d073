import { join } from "node:path";
import { configFolder } from "../../credentials/folders.ts";
import { readIfThere } from "../../credentials/private-file.ts";
import { CliError, usageError } from "./cli-error.ts";
import { didYouMean } from "./closest.ts";
import type { Context, GlobalFlags } from "./context.ts";

/** What a profile may set. Its credentials are stored beside it, under its name. */
export interface Profile {
  readonly server?: string;
  readonly app?: string;
  readonly console?: string;
}

/** The profiles of a person, by name, and the one that commands use unless another is named. */
export interface Profiles {
  readonly current?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/** A profile, and what named it. */
export interface ChosenProfile {
  readonly name: string;
  readonly profile: Profile;
  readonly from: "--profile" | "INNKEEP_PROFILE" | "config use";
}

export const profileKeys = ["server", "app", "console"] as const;
export type ProfileKey = (typeof profileKeys)[number];

export const profilesFileName = "profiles";

const profilesFile = (context: Context): string => join(configFolder(context), `${profilesFileName}.json`);

/** The profiles of this person. Throws a CliError if the file is damaged. */
export function readProfiles(context: Context): Profiles {
  const file = profilesFile(context);
  const text = readIfThere(file);
  if (text === undefined) return { profiles: {} };
  const value = parse(text);
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
 * The profile of a command: `--profile`, INNKEEP_PROFILE, or the one that `config use` chose. Undefined if there is none.
 * Throws a usage error for a name that no profile has.
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
      ? `There are ${known.join(", ")}.`
      : `\`innkeep config set server https://… --profile ${name}\` makes it.`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isText = (value: unknown): boolean => value === undefined || typeof value === "string";

function isProfiles(value: unknown): value is Profiles {
  if (!isObject(value) || !("profiles" in value) || !isObject(value.profiles)) return false;
  if ("current" in value && !isText(value.current)) return false;
  return Object.values(value.profiles).every(
    (profile) => isObject(profile) && Object.values(profile).every(isText),
  );
}
