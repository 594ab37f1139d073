import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { type CredentialKind, credentialKinds } from "../client/connection.ts";
import { routes } from "../client/routes.ts";
import { configFolder, stateFolder } from "../credentials/folders.ts";
import { withinLimit } from "../credentials/keychain.ts";
import { systemReason } from "../words/phrases.ts";
import { placesStored } from "./auth.ts";
import { runOnDatabase } from "./core/administer.ts";
import { ciMetadata, isCiJob } from "./core/ci.ts";
import { didYouMean, type Exit } from "./core/cli-error.ts";
import { addExamples, commandAction, type Setup, startInvocation } from "./core/command.ts";
import { connect } from "./core/connection.ts";
import type { Context, FoundCredential, GlobalFlags, Invocation, Server } from "./core/context.ts";
import { appIdOf, isId, reachableApps } from "./core/ids.ts";
import {
  chosenProfile,
  namedApp,
  openStore,
  readProfiles,
  readProjectFile,
  signInExpiry,
  wrongKindMessage,
} from "./core/settings.ts";
import { allKinds, checkCredential } from "./core/store-credential.ts";
import { openSpool, resendOf, type Spool, type SpooledItem } from "./delivery/spool.ts";
import {
  checkConnection,
  checkNetworkVariables,
  type Finding,
  failure,
  faultOf,
  ok,
  remark,
  reportFindings,
  tryServer,
  warning,
} from "./doctor/checks.ts";
import { variables } from "./help.ts";

export function addDoctor(doctor: Command, setup: Setup): void {
  doctor.addHelpText(
    "after",
    "\nThe command sends only requests that change nothing, and shows no secret. The exit code is 1 if a check fails.\nWarnings do not change the exit code.",
  );
  addExamples(doctor, "innkeep doctor", "innkeep doctor --base-url https://inn.example.org --json");
  commandAction(doctor, setup, examine);
}

/**
 * Checks everything that commands need, and prints the findings. Returns `unexpected` if a check fails. (rule L50)
 */
async function examine(invocation: Invocation): Promise<Exit> {
  const isSound = reportFindings(invocation, await findingsOf(invocation));
  return isSound ? "ok" : "unexpected";
}

async function findingsOf(invocation: Invocation): Promise<Finding[]> {
  const { context } = invocation;
  const local = [
    checkNode(context),
    await checkServerParts(context),
    ...checkFolders(context),
    ...checkSettings(context, invocation.flags),
    await checkKeychain(context),
    ...checkVariables(context),
    checkCi(context),
    ...checkNetworkVariables(context),
    ...(await checkMail(context)),
    ...(await checkStore(invocation)),
    ...(await checkBackups(invocation)),
    ...(await findingsOrFailure("unsent", () => checkUnsent(invocation))),
  ];
  return [...local, ...(await findingsOrFailure("address", () => serverFindings(invocation)))];
}

/** Checks the server. Stops when a failure makes the next checks impossible. */
async function serverFindings(invocation: Invocation): Promise<Finding[]> {
  const server = invocation.server();
  const connection = await checkConnection(invocation.context, server.address);
  const found = [addressFinding(server), ...connection];
  if (hasFailure(connection)) return found;
  const { findings: answering } = await tryServer(invocation);
  if (hasFailure(answering.filter(({ check }) => check === "server"))) return [...found, ...answering];
  const credentials = await findingsOrFailure("credentials", () => checkCredentials(invocation));
  const isRefused = hasFailure(credentials.filter(({ check }) => check === "maintainer token"));
  const app = isRefused ? [] : await findingsOrFailure("app", () => checkApp(invocation));
  return [...found, ...answering, ...credentials, ...app];
}

const hasFailure = (findings: readonly Finding[]): boolean =>
  findings.some(({ state }) => state === "failure");

const addressFinding = ({ address, from }: Server): Finding =>
  ok("address", `Commands go to ${address} (${from}).`);

/** Runs a check. If the check throws, returns a finding with the error. */
async function findingsOrFailure(check: string, examineIt: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await examineIt();
  } catch (error) {
    const why = "Commands that need this fail with the same error.";
    return [failure(check, faultOf(error, { why, next: "`innkeep config list` shows your settings." }))];
  }
}

/** Checks which app the commands of a maintainer use. Checks nothing without a maintainer token. */
async function checkApp(invocation: Invocation): Promise<Finding[]> {
  if (!(await invocation.credential("maintainerToken").catch(() => undefined))) return [];
  const wanted = namedApp(invocation);
  const next = "Name an app with --app, INNKEEP_APP or `innkeep config set app NAME`.";
  try {
    const apps = await reachableApps(invocation);
    const id = await appIdOf(invocation);
    const app = apps.find((one) => one.id === id.toLowerCase());
    if (app) return [ok("app", `Commands are for the app ${app.name}.`)];
    const what = `This token has no access to the app ${wanted}.`;
    return [failure("app", { what, why: "The server refuses commands for this app.", next })];
  } catch (error) {
    const why = "It is not clear which app the commands of a maintainer use.";
    const fault = faultOf(error, { why, next });
    return [(wanted === undefined || isId(wanted) ? warning : failure)("app", fault)];
  }
}

/** Checks whether the S3 store accepts the requests of the server, if INNKEEP_S3_URL is set. */
async function checkStore(invocation: Invocation): Promise<Finding[]> {
  if (!invocation.context.env.INNKEEP_S3_URL) return [];
  try {
    const { place } = await runOnDatabase(invocation, {}, { command: "files check" });
    return [ok("files", `The S3 store at ${place} can be read.`)];
  } catch (error) {
    const why = "A server with these settings does not start, or refuses files.";
    const next = "Correct INNKEEP_S3_URL, then run `innkeep doctor` again.";
    return [failure("files", faultOf(error, { why, next }))];
  }
}

/** Checks whether the mail server accepts the mails of Innkeep, if INNKEEP_SMTP_URL is set. */
async function checkMail({ env, programs }: Context): Promise<Finding[]> {
  const { INNKEEP_SMTP_URL: smtpUrl, INNKEEP_MAIL_FROM: mailFrom } = env;
  if (!smtpUrl) return [];
  try {
    const { server, from } = await programs.admin({ command: "mail check", smtpUrl, mailFrom });
    return [ok("mail", `The mail server ${server} accepts mail from ${from}.`)];
  } catch (error) {
    const why = "A server with these settings sends no mail. Each mail waits for at most three days.";
    const next = "Correct INNKEEP_SMTP_URL, then try `innkeep admin mail test --to ADDRESS`.";
    return [failure("mail", faultOf(error, { why, next }))];
  }
}

const why = "Without a verified backup, all data is lost if the disk fails.";

/** Checks whether the last nightly backup was verified, if INNKEEP_BACKUP_DRILL is set. */
async function checkBackups(invocation: Invocation): Promise<Finding[]> {
  const { INNKEEP_BACKUP_DRILL: when } = invocation.context.env;
  if (!when || when === "off") return [];
  const next = "Read the log of the server, fix the cause, and try `innkeep admin backup FILE --prove`.";
  try {
    const { provenAt, warning } = await runOnDatabase(invocation, {}, { command: "backup nightly" });
    if (typeof warning === "string") return [failure("backups", { what: warning, why, next })];
    if (typeof provenAt !== "string") return [remark("backups", "No nightly backup was created yet.")];
    return [ok("backups", `The nightly backup of ${provenAt} was verified.`)];
  } catch (error) {
    const settings = "Set INNKEEP_DATA or INNKEEP_DATABASE_URL to the value that the server uses.";
    return [failure("backups", faultOf(error, { why, next: settings }))];
  }
}

/** Finds reports and proofs that no server has confirmed. */
async function checkUnsent(invocation: Invocation): Promise<Finding[]> {
  const { reports } = await import("./delivery/report.ts");
  const { proofs } = await import("./delivery/proof.ts");
  const found = await Promise.all([
    unsentIn(openSpool(invocation, reports)),
    unsentIn(openSpool(invocation, proofs)),
  ]);
  return found.flat();
}

async function unsentIn<I extends SpooledItem>({ kind, list }: Spool<I>): Promise<Finding[]> {
  const { items, damaged } = await list();
  const waiting = items.length === 1 ? `One ${kind.word} waits` : `${items.length} ${kind.word}s wait`;
  const servers = [...new Set(items.map(({ baseUrl }) => baseUrl))].join(", ");
  const findings = damaged.map((folder) =>
    warning("unsent", {
      what: `${folder} contains no readable ${kind.word}.`,
      why: `A file of the folder is missing or damaged, so the ${kind.word} cannot be sent.`,
      next: `Look at its files, then remove it: rm -r "${folder}"`,
    }),
  );
  if (items.length === 0) return findings;
  return [
    warning("unsent", {
      what: `${waiting} on this machine for ${servers}.`,
      why: "No server has confirmed the delivery.",
      next: `${resendOf(kind, "--list")}, then ${resendOf(kind, "--all")}`,
    }),
    ...findings,
  ];
}

/**
 * When security fixes end for each Node version. Odd versions are missing, because their fixes end after a few
 * months.
 */
const lastFixes: Readonly<Record<number, string>> = {
  20: "2026-04-30",
  22: "2027-04-30",
  24: "2028-04-30",
  26: "2029-04-30",
};

function checkNode({ nodeVersion, clock }: Context): Finding {
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
    why: "innkeep works with it, but security faults of Node are not fixed any more.",
    next,
  });
}

/** Checks that the database driver for `serve` can be loaded. */
async function checkServerParts({ checkServer }: Context): Promise<Finding> {
  try {
    await checkServer();
    return ok("serve", "The database driver for `innkeep serve` is installed.");
  } catch (error) {
    const why = "`innkeep serve` and `innkeep admin` do not start. All other commands work.";
    const next = "Install innkeep again without --omit=optional, or use Node 24.";
    return warning("serve", faultOf(error, { why, next }));
  }
}

/**
 * Checks the keychain. A fault is a failure if credentials are stored in the keychain. Otherwise it is a warning.
 */
async function checkKeychain(context: Context): Promise<Finding> {
  const used = isKeychainUsed(context);
  const keychain = await context.keychain();
  if (!keychain) return withoutKeychain(used);
  try {
    await withinLimit(keychain.getPassword("innkeep", "doctor"), () => {});
    return ok("keychain", "The keychain of this system works.");
  } catch (error) {
    const why = used
      ? "Credentials are stored in the keychain, and commands cannot read them."
      : "New credentials would be stored in a file that only you can read.";
    const next = "Unlock the keychain, or store credentials with `innkeep auth set KIND --insecure-storage`.";
    return (used ? failure : warning)("keychain", faultOf(error, { why, next }));
  }
}

function isKeychainUsed(context: Context): boolean {
  try {
    const kinds = Object.values(openStore(context).index()).flatMap((stored) => Object.values(stored));
    return kinds.some((stored) => stored.in === "keychain");
  } catch {
    // The file that lists the stored credentials is damaged. `checkSettings` reports the damage.
    return false;
  }
}

function withoutKeychain(used: boolean): Finding {
  if (!used)
    return remark(
      "keychain",
      "This system has no keychain. Credentials are stored in a file that only you can read.",
    );
  return failure("keychain", {
    what: "Credentials are stored in a keychain that does not exist any more.",
    why: "Commands cannot read them.",
    next: "Store them again with `innkeep auth set KIND`, or install innkeep without --omit=optional.",
  });
}

/** Returns a warning for each environment variable that begins with INNKEEP_ but is not a variable of innkeep. */
function checkVariables({ env }: Context): Finding[] {
  const known = variables.flatMap(({ name }) => name.split(", "));
  const unknown = Object.keys(env).filter((name) => name.startsWith("INNKEEP_") && !known.includes(name));
  return unknown.map((name) =>
    warning("variables", {
      what: `${name} is set, but innkeep has no such variable.${didYouMean(name, known).replace("\n", " ")}`,
      why: "Its value has no effect.",
      next: "`innkeep help environment` lists the variables.",
    }),
  );
}

/** Checks whether commands treat this environment as a CI job. In a CI job they ask no questions. */
function checkCi({ env }: Context): Finding {
  if (/^(false|0|no|off)$/i.test(env.CI ?? ""))
    return warning("ci", {
      what: `CI is set to \`${env.CI}\`, which counts as a CI job.`,
      why: "Commands ask no questions, open no browser and wait longer.",
      next: "Remove it with `unset CI`.",
    });
  if (!isCiJob(env)) return ok("ci", "This is not a CI job: commands may ask questions.");
  const service = ciMetadata(env).ci;
  return remark("ci", `This is a CI job${service ? ` of ${service}` : ""}: commands ask no questions.`);
}

/** Checks whether this user, and nobody else, can use the folders for credentials and unsent reports. */
function checkFolders(context: Context): Finding[] {
  const config = { check: "config folder", folder: configFolder(context), variable: "INNKEEP_CONFIG_DIR" };
  const state = { check: "state folder", folder: stateFolder(context), variable: "INNKEEP_STATE_DIR" };
  return [...checkFolder(context, config), ...checkFolder(context, state)];
}

interface CheckedFolder {
  readonly check: string;
  readonly folder: string;
  readonly variable: string;
}

function checkFolder(context: Context, place: CheckedFolder): Finding[] {
  const { check, folder, variable } = place;
  try {
    const isThere = existsSync(folder);
    const nearest = isThere ? folder : nearestAbove(folder);
    if (!statSync(nearest).isDirectory()) return [notAFolder(place, nearest)];
    accessSync(nearest, constants.R_OK | constants.W_OK | constants.X_OK);
    if (!isThere) return [ok(check, `${folder} will be created when it is needed.`)];
  } catch (error) {
    return [
      failure(check, {
        what: `${folder} cannot be used (${systemReason(error)}).`,
        why: "Commands cannot store anything: credentials, profiles, and reports that could not be sent.",
        next: `Give yourself access with \`chmod u+rwx "${folder}"\`, or name another folder with ${variable}.`,
      }),
    ];
  }
  const open = openToOthers(context, folder);
  return open.length > 0 ? open : [ok(check, `Only you can use ${folder}.`)];
}

const notAFolder = ({ check, folder, variable }: CheckedFolder, file: string): Finding =>
  failure(check, {
    what: `${file} is not a folder.`,
    why: `innkeep keeps its files in ${folder}.`,
    next: `Remove the file, or name another folder with ${variable}.`,
  });

const nearestAbove = (folder: string): string =>
  existsSync(folder) || folder === dirname(folder) ? folder : nearestAbove(dirname(folder));

const privateFiles = ["credentials.json", "profiles.json", "device-id"];

/** Returns a finding for each file or folder that other users can read. Windows has no such file modes. */
function openToOthers({ platform }: Context, folder: string): Finding[] {
  if (platform === "win32") return [];
  const paths = [folder, ...privateFiles.map((name) => join(folder, name))].filter(existsSync);
  return paths
    .filter((path) => (statSync(path).mode & 0o077) !== 0)
    .map((path) =>
      failure("modes", {
        what: `Other users of this machine can open ${path}.`,
        why: "It may contain credentials and reports.",
        next: `chmod go-rwx "${path}"`,
      }),
    );
}

/** Checks the files of settings: credentials, profiles, and innkeep.json of the project. */
function checkSettings(context: Context, flags: GlobalFlags): Finding[] {
  return [
    checkFile("credentials file", "Commands find no stored credential.", () => {
      openStore(context).index();
      return undefined;
    }),
    checkFile("profiles", "Commands do not find your server and app.", () => profilesText(context, flags)),
    checkFile("innkeep.json", "Commands in this folder do not start.", () => projectText(context)),
  ].flat();
}

/** Checks a file. `read` returns a remark or undefined, and throws if the file is damaged. */
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
  return project && `${project.file} is used in this folder.`;
}

interface CredentialToCheck {
  readonly kind: CredentialKind;
  readonly server: string;
  readonly profile: string | null;
  readonly find: () => Promise<FoundCredential | undefined>;
}

/**
 * Checks whether servers accept the credentials that commands use, and all other credentials on this machine.
 */
async function checkCredentials(invocation: Invocation): Promise<Finding[]> {
  const tester = startInvocation(invocation.context, invocation.flags, true);
  const used = allKinds.map((kind): CredentialToCheck => {
    const own = kind === "deviceToken" ? tester : invocation;
    return { kind, server: own.baseUrl(), profile: null, find: () => own.credential(kind) };
  });
  const stored = placesStored(invocation, invocation.server(), tester.server());
  const findings = await Promise.all([...used, ...stored].map((sought) => checkOne(invocation, sought)));
  const found = findings.flat();
  return found.length > 0 ? found : [noCredential(invocation)];
}

const noCredential = (invocation: Invocation): Finding =>
  warning("credentials", {
    what: `There is no key and no token for ${new URL(invocation.baseUrl()).origin}.`,
    why: "Without a credential, the server refuses nearly every command.",
    next: "`innkeep auth set token` stores the token of a maintainer. `innkeep auth login` signs a tester in.",
  });

async function checkOne(invocation: Invocation, sought: CredentialToCheck): Promise<Finding[]> {
  const { kind, server, find } = sought;
  const { name, command } = credentialKinds[kind];
  try {
    const found = await find();
    if (!found) return [];
    const wrong = wrongKindMessage(found, kind);
    if (wrong !== undefined)
      return [
        failure(name, {
          what: wrong,
          why: "The server refuses this credential.",
          next: `Store a credential of the right kind: ${command}`,
        }),
      ];
    return [await checkFound(invocation, sought, found), ...expiry(invocation, sought)];
  } catch (error) {
    const why = `Commands that need the ${name} of ${server} fail.`;
    return [failure(name, faultOf(error, { why, next: `Store it again: ${command}` }))];
  }
}

async function checkFound(
  invocation: Invocation,
  sought: CredentialToCheck,
  found: FoundCredential,
): Promise<Finding> {
  const { kind, server, profile } = sought;
  const { name, command } = credentialKinds[kind];
  const named = `The ${name} for ${server}${profile === null ? "" : `, profile ${profile}`} (${found.source})`;
  const { valid, problem } = await checkCredential(invocation, sought, found);
  if (valid) return ok(name, `${named} is accepted${await detailsOf(invocation, sought, found)}.`);
  if (valid === false) {
    const next =
      kind === "deviceToken"
        ? "Sign in again: innkeep auth login"
        : `Create a new credential in the console, and store it: ${command}`;
    return failure(name, {
      what: `${named} is ${problem}.`,
      why: "The server refuses this credential.",
      next,
    });
  }
  return warning(name, {
    what: `${named} could not be checked: ${problem}`,
    why: "It is not known whether the server accepts this credential.",
    next: `Run \`innkeep doctor --base-url ${server}\` when the server answers.`,
  });
}

/**
 * Describes the scopes and the app of a maintainer token. Empty for other credentials, which no endpoint
 * describes.
 */
async function detailsOf(
  invocation: Invocation,
  { kind, server }: CredentialToCheck,
  found: FoundCredential,
) {
  if (kind !== "maintainerToken") return "";
  const own = { ...invocation, baseUrl: () => server, credential: async () => found };
  const send = connect(own, { attempts: 1, timeoutMs: 5_000 });
  try {
    const { text } = await send({ ...routes.session.me, auth: "maintainerToken" });
    const { scopes, app } = Object(JSON.parse(text));
    const reach = typeof app?.name === "string" ? `for the app ${app.name}` : "for all apps of its owner";
    const rights = Array.isArray(scopes)
      ? `may use ${scopes.join(", ")}`
      : "the server does not list its scopes";
    return `; it is ${reach} and ${rights}`;
  } catch {
    return "";
  }
}

const soonMs = 10 * 86_400_000;

function expiry({ context }: Invocation, { kind, server }: CredentialToCheck): Finding[] {
  const end = kind === "deviceToken" ? signInExpiry(context, new URL(server).origin) : undefined;
  if (!end) return [];
  const day = end.toISOString().slice(0, 10);
  if (end.getTime() - context.clock.now().getTime() > soonMs)
    return [ok("sign-in", `The sign-in at ${server} lasts until ${day}.`)];
  const isOver = end <= context.clock.now();
  return [
    (isOver ? failure : warning)("sign-in", {
      what: `The sign-in at ${server} ${isOver ? "ended" : "ends"} on ${day}.`,
      why: "Without a sign-in, the server refuses the commands of a tester.",
      next: "Sign in again: innkeep auth login",
    }),
  ];
}
