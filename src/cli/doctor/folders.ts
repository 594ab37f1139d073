import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { configFolder, stateFolder } from "../../credentials/folders.ts";
import { systemReason } from "../../words/system-reason.ts";
import type { Context, GlobalFlags } from "../core/context.ts";
import { openStore } from "../core/credentials.ts";
import { readProjectFile } from "../core/project-file.ts";
import { chosenProfile, readProfiles } from "../core/settings.ts";
import { type Finding, failure, faultOf, ok, remark } from "./finding.ts";

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
