import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { configFolder, stateFolder } from "../../credentials/folders.ts";
import { withinLimit } from "../../credentials/keychain.ts";
import { systemReason } from "../../words/system-reason.ts";
import { ciMetadata, isCiJob } from "../core/ci.ts";
import { didYouMean } from "../core/cli-error.ts";
import type { Context, GlobalFlags } from "../core/context.ts";
import { openStore } from "../core/credentials.ts";
import { chosenProfile, readProfiles, readProjectFile } from "../core/settings.ts";
import { variables } from "../help.ts";
import { type Finding, failure, faultOf, ok, remark, warning } from "./finding.ts";

/** When each version of Node gets its last security fixes. Odd versions are never supported for long. */
const lastFixes: Readonly<Record<number, string>> = {
  20: "2026-04-30",
  22: "2027-04-30",
  24: "2028-04-30",
  26: "2029-04-30",
};

/** The version of Node. */
export function checkNode({ nodeVersion, clock }: Context): Finding {
  const [major = 0, minor = 0] = nodeVersion.replace("v", "").split(".").map(Number);
  const named = `Node ${nodeVersion.replace("v", "")}`;
  const next = "Install Node 24, from https://nodejs.org or with your version manager.";
  if (major < 20 || (major === 20 && minor < 19))
    return failure("node", { what: `${named} is too old.`, why: "innkeep needs Node 20.19 or newer.", next });
  const until = lastFixes[major];
  const today = clock.now().toISOString().slice(0, 10);
  const isOdd = major % 2 === 1;
  if (!isOdd && (until === undefined || until >= today)) return ok("node", `${named}.`);
  return warning("node", {
    what: isOdd
      ? `${named} gets security fixes for a few months only.`
      : `${named} has had no security fixes since ${until}.`,
    why: "innkeep runs on it, but faults of Node stay open.",
    next,
  });
}

/** What `serve` needs: a database driver. */
export async function checkServerParts({ checkServer }: Context): Promise<Finding> {
  try {
    await checkServer();
    return ok("serve", "The database driver for `innkeep serve` is there.");
  } catch (error) {
    const why = "`innkeep serve` and `innkeep admin` do not start. All other commands work.";
    const next = "Install innkeep again without --omit=optional, or use Node 24.";
    return warning("serve", faultOf(error, { why, next }));
  }
}

/** The keychain, and whether stored credentials depend on it. */
export async function checkKeychain(context: Context): Promise<Finding> {
  const used = isKeychainUsed(context);
  const keychain = await context.keychain();
  if (!keychain) return withoutKeychain(used);
  try {
    await withinLimit(keychain.getPassword("innkeep", "doctor"), () => {});
    return ok("keychain", "The keychain of this system answers.");
  } catch (error) {
    const why = used
      ? "Credentials are stored in it, and cannot be read."
      : "New credentials would go into a file that only you can read.";
    const next = "Unlock the keychain, or store them with `innkeep auth set KIND --insecure-storage`.";
    return (used ? failure : warning)("keychain", faultOf(error, { why, next }));
  }
}

function isKeychainUsed(context: Context): boolean {
  try {
    const kinds = Object.values(openStore(context).index()).flatMap((stored) => Object.values(stored));
    return kinds.some((stored) => stored.in === "keychain");
  } catch {
    // The check of the folders names the damaged file.
    return false;
  }
}

function withoutKeychain(used: boolean): Finding {
  if (!used)
    return remark(
      "keychain",
      "There is no keychain here. Credentials go into a file that only you can read.",
    );
  return failure("keychain", {
    what: "Credentials are stored in a keychain that is not there any more.",
    why: "Commands cannot read them.",
    next: "Store them again with `innkeep auth set KIND`, or install innkeep without --omit=optional.",
  });
}

/** Variables that begin with INNKEEP_ and mean nothing. */
export function checkVariables({ env }: Context): Finding[] {
  const known = variables.flatMap(({ name }) => name.split(", "));
  const unknown = Object.keys(env).filter((name) => name.startsWith("INNKEEP_") && !known.includes(name));
  return unknown.map((name) =>
    warning("variables", {
      what: `${name} is set, and innkeep does not know it.${didYouMean(name, known).replace("\n", " ")}`,
      why: "Its value has no effect.",
      next: "`innkeep help environment` lists the variables.",
    }),
  );
}

/** Whether this counts as a CI job, where nothing is asked. */
export function checkCi({ env }: Context): Finding {
  if (/^(false|0|no|off)$/i.test(env.CI ?? ""))
    return warning("ci", {
      what: `CI is set to \`${env.CI}\`, which counts as a CI job.`,
      why: "Commands ask no questions, open no browser and wait longer.",
      next: "Remove it with `unset CI`.",
    });
  if (!isCiJob(env)) return ok("ci", "This is not a CI job: commands may ask.");
  const service = ciMetadata(env).ci;
  return remark("ci", `This is a CI job${service ? ` of ${service}` : ""}: commands ask nothing.`);
}

/** The folders of credentials and of unsent reports: whether they can be used, and which users can use them. */
export function checkFolders(context: Context): Finding[] {
  const config = { check: "config folder", folder: configFolder(context), variable: "INNKEEP_CONFIG_DIR" };
  const state = { check: "state folder", folder: stateFolder(context), variable: "INNKEEP_STATE_DIR" };
  return [...checkFolder(context, config), ...checkFolder(context, state)];
}

interface Place {
  readonly check: string;
  readonly folder: string;
  readonly variable: string;
}

function checkFolder(context: Context, place: Place): Finding[] {
  const { check, folder, variable } = place;
  try {
    const isThere = existsSync(folder);
    const nearest = isThere ? folder : nearestAbove(folder);
    if (!statSync(nearest).isDirectory()) return [notAFolder(place, nearest)];
    accessSync(nearest, constants.R_OK | constants.W_OK | constants.X_OK);
    if (!isThere) return [ok(check, `${folder} will be made when it is needed.`)];
  } catch (error) {
    return [
      failure(check, {
        what: `${folder} cannot be used (${systemReason(error)}).`,
        why: "Nothing can be stored: no credential, no profile, no report that could not be sent.",
        next: `Make it yours with \`chmod u+rwx "${folder}"\`, or name another folder with ${variable}.`,
      }),
    ];
  }
  const open = openToOthers(context, folder);
  return open.length > 0 ? open : [ok(check, `${folder} can be written by you only.`)];
}

const notAFolder = ({ check, folder, variable }: Place, file: string): Finding =>
  failure(check, {
    what: `${file} is not a folder.`,
    why: `innkeep keeps its files in ${folder}.`,
    next: `Remove the file, or name another folder with ${variable}.`,
  });

const nearestAbove = (folder: string): string =>
  existsSync(folder) || folder === dirname(folder) ? folder : nearestAbove(dirname(folder));

const privateFiles = ["credentials.json", "profiles.json", "device-id"];

/** Folders and files of this person that others can read. Windows has no such modes. */
function openToOthers({ platform }: Context, folder: string): Finding[] {
  if (platform === "win32") return [];
  const paths = [folder, ...privateFiles.map((name) => join(folder, name))].filter(existsSync);
  return paths
    .filter((path) => (statSync(path).mode & 0o077) !== 0)
    .map((path) =>
      failure("modes", {
        what: `Other users of this machine can open ${path}.`,
        why: "It holds, or may hold, credentials and reports.",
        next: `chmod go-rwx "${path}"`,
      }),
    );
}

/** The files of settings: credentials, profiles, and innkeep.json of the project. */
export function checkSettings(context: Context, flags: GlobalFlags): Finding[] {
  return [
    checkFile("credentials file", "Commands find no stored credential.", () => {
      openStore(context).index();
      return undefined;
    }),
    checkFile("profiles", "Commands do not know your server and app.", () => profilesText(context, flags)),
    checkFile("innkeep.json", "Commands in this folder do not start.", () => projectText(context)),
  ].flat();
}

/** A check by reading: gives what to say if all is well. */
function checkFile(check: string, why: string, read: () => string | undefined): Finding[] {
  try {
    const text = read();
    return text === undefined ? [] : [remark(check, text)];
  } catch (error) {
    return [failure(check, faultOf(error, { why, next: "Remove the file, and store its content again." }))];
  }
}

function profilesText(context: Context, flags: GlobalFlags): string | undefined {
  const chosen = chosenProfile(context, flags);
  const names = Object.keys(readProfiles(context).profiles);
  if (names.length === 0) return undefined;
  const used = chosen ? `${chosen.name} is used (${chosen.from})` : "none is used";
  return `You have ${names.join(", ")}; ${used}.`;
}

function projectText(context: Context): string | undefined {
  const project = readProjectFile(context);
  return project && `${project.file} counts in this folder.`;
}
