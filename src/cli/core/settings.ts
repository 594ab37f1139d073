import path, { join, type PlatformPath } from "node:path";
import { type CredentialKind, credentialKinds, MissingCredentialError } from "../../client/connection.ts";
import { isObject, jsonIn } from "../../contract/json.ts";
import { configFolder, readIfThere, writePrivately } from "../../credentials/folders.ts";
import { type CredentialStore, createStore } from "../../credentials/store.ts";
import { withArticle } from "../../words/phrases.ts";
import { CliError, didYouMean, usageError } from "./cli-error.ts";
import type { Context, FoundCredential, GlobalFlags, Invocation, Server } from "./context.ts";
import { readForeign, readText } from "./input.ts";

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
 * Yields the sources of server and app, highest priority first. A damaged file stops only commands that read
 * it.
 */
function* sourcesOf(context: Context, flags: GlobalFlags): Generator<Source> {
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
 * Returns the profile in `--profile`, INNKEEP_PROFILE or `config use`. Throws a usage error for an unknown
 * name.
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

/** Returns the nearest `innkeep.json`, up to the home folder. Throws a usage error that names every fault. */
export function readProjectFile({ cwd, home }: Pick<Context, "cwd" | "home">): ProjectFile | undefined {
  for (const folder of foldersUpwards(cwd, home)) {
    const file = join(folder, projectFileName);
    const text = projectText(file);
    if (text !== undefined) return checkProject(file, text);
  }
  return undefined;
}

const mostBytes = 65_536;

/** Returns the text of a project file. Throws a usage error for a pipe, device, folder or huge file. */
export function projectText(file: string): string | undefined {
  const read = readForeign(file, mostBytes);
  if (read && "bytes" in read) return read.bytes.toString("utf8");
  // The file is missing or unreadable.
  if (!read || read.code !== undefined) return undefined;
  throw usageError(`${file} cannot be used: it ${read.fault}.`, allowed);
}

/**
 * Returns a folder and all above it, up to the home folder. `paths.relative` ignores letter case on Windows.
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

const local = "http://127.0.0.1:4700";

/** Returns the first server in `sourcesOf`, or a default. Throws a usage error for an invalid address. */
export function serverOf(context: Context, flags: GlobalFlags, asTester: boolean): Server {
  for (const { server, from, isProject, profile } of sourcesOf(context, flags)) {
    if (!server) continue;
    const of = { ...(isProject && { isProject }), ...(profile !== undefined && { profile }) };
    return { address: webAddress(server, from), from, ...of };
  }
  // With a credential in a variable, only testers' commands use the last sign-in.
  const last = asTester || !hasCredentialVariable(context) ? lastSignIn(context) : undefined;
  if (last !== undefined) return { address: last, from: "the last sign-in" };
  return { address: local, from: "the default" };
}

/**
 * Whether a variable contains a credential. The credential may belong to another server than that of the last
 * sign-in.
 */
const hasCredentialVariable = ({ env }: Context): boolean =>
  Object.values(credentialKinds).some(({ variable }) => env[variable]);

/** Returns the app's id or name. If the app's source names a server, the app counts only for this server. */
export function namedApp({ context, flags, baseUrl }: Invocation): string | undefined {
  for (const { app, server, from } of sourcesOf(context, flags)) {
    if (app && (!server || webAddress(server, from) === baseUrl())) return app;
  }
  return undefined;
}

/**
 * Returns the console address from a variable or the profile. The default is the path `/console` on the server.
 */
export function consoleAddress({ context, flags, baseUrl }: Invocation): string {
  const address = baseUrl();
  for (const { console, server, from } of sourcesOf(context, flags)) {
    if (console && (!server || webAddress(server, from) === address)) return webAddress(console, from);
  }
  return `${address}/console`;
}

/**
 * Returns `given` without final slashes. Throws a usage error if `given` is no web address or contains
 * credentials.
 */
export function webAddress(given: string, origin: string): string {
  const url = URL.canParse(given.trim()) ? new URL(given.trim()) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw usageError(
      `${origin} is not the address of a server.`,
      `Give an address such as https://feedback.example.com.`,
    );
  }
  if (url.username || url.password) {
    throw usageError(`${origin} must contain no name and no password.`, "See `innkeep auth set --help`.");
  }
  return (url.origin + url.pathname).replace(/(?<!\/)\/+$/, "");
}

const fileIn = (context: Context): string => join(configFolder(context), "last-sign-in");

const expiryIn = (context: Context): string => join(configFolder(context), "last-sign-in-expires");

/** Stores the address of the server at which this person signed in last, and the expiry time of the token. */
export function rememberSignIn(context: Context, baseUrl: string, expiresAt: string | undefined): void {
  writePrivately(fileIn(context), `${baseUrl}\n`, context.newId);
  writePrivately(expiryIn(context), `${expiresAt ?? ""}\n`, context.newId);
}

/**
 * Returns when the token of the last sign-in expires. Undefined if unknown, or if `origin` is another server.
 */
export function signInExpiry(context: Context, origin: string): Date | undefined {
  const address = lastSignIn(context);
  if (address === undefined || new URL(address).origin !== origin) return undefined;
  const expiry = new Date(readIfThere(expiryIn(context))?.trim() ?? "");
  return Number.isNaN(expiry.getTime()) ? undefined : expiry;
}

/** Returns the server of the last sign-in, if its token is stored. */
function lastSignIn(context: Context): string | undefined {
  // The token in INNKEEP_DEVICE_TOKEN may be for another server than the last sign-in.
  if (context.env.INNKEEP_DEVICE_TOKEN) return undefined;
  const address = readIfThere(fileIn(context))?.trim();
  if (!address || !URL.canParse(address)) return undefined;
  const kinds = Object.keys(openStore(context).index()[new URL(address).origin] ?? {});
  return kinds.some((kind) => kind.split("#", 1)[0] === "deviceToken") ? address : undefined;
}

/** Returns the error for a missing credential. Names the server, and other servers with a stored credential. */
export function missingCredential(invocation: Invocation, kind: CredentialKind): CliError {
  const { message } = new MissingCredentialError(kind);
  const server = invocation.server();
  const { address, from } = server;
  const others = storedElsewhere(invocation, kind, new URL(address).origin);
  const hint =
    others.length === 0
      ? ""
      : ` A credential is stored for ${others.join(", ")}: select that server with --base-url.`;
  const { variable } = credentialKinds[kind];
  const unsent = isOfOtherServer(invocation.context, server, variable) ? ` ${notSent(variable, server)}` : "";
  const next = `The server is ${address} (${from}).${unsent}${hint}`;
  return new CliError({ exit: "authentication", code: "missing_credential", message, next });
}

const storedElsewhere = ({ context }: Invocation, kind: CredentialKind, origin: string): string[] =>
  Object.entries(openStore(context).index()).flatMap(([server, kinds]) =>
    server !== origin && kinds[kind] ? [server] : [],
  );

/**
 * Whether `variable` contains a secret for another server than the profile's `address`. The secret belongs to
 * the server INNKEEP_BASE_URL.
 */
export function isOfOtherServer({ env }: Context, { address, profile }: Server, variable: string): boolean {
  if (profile === undefined || !env[variable]?.trim()) return false;
  const own = env.INNKEEP_BASE_URL?.trim() ?? "";
  return !URL.canParse(own) || new URL(own).origin !== new URL(address).origin;
}

/** Returns a note that the secret in a variable is not sent to the server of the profile. */
export const notSent = (variable: string, { address, profile }: Server): string =>
  `${variable} is not sent to ${address}: that server comes from the profile ${profile}, and not from the environment.`;

/**
 * Throws a CliError if only a project file names the server. A stranger's server must receive no secret. (rule
 * L75)
 */
export function assertKnownServer(context: Context, { address, isProject }: Server, refusal: string): void {
  if (!isProject) return;
  const { origin } = new URL(address);
  const known = [
    ...Object.keys(openStore(context).index()),
    ...Object.values(readProfiles(context).profiles).flatMap(({ server }) => originsOf(server)),
  ];
  if (known.includes(origin)) return;
  throw new CliError({
    exit: "authentication",
    code: "untrusted_server",
    message: `${refusal} ${address}: only a file of this project names that server.`,
    next: `If you trust the server, run \`innkeep config set server ${address} --profile NAME\`, add --base-url, or set INNKEEP_BASE_URL.`,
  });
}

const originsOf = (address: string | undefined): string[] =>
  address !== undefined && URL.canParse(address) ? [new URL(address).origin] : [];

const fileFlags = {
  appKey: { flag: "--api-key-file", name: "apiKeyFile" },
  agentToken: { flag: "--agent-token-file", name: "agentTokenFile" },
  maintainerToken: { flag: "--token-file", name: "tokenFile" },
  deviceToken: undefined,
} as const satisfies Record<CredentialKind, { flag: string; name: keyof GlobalFlags } | undefined>;

interface WantedCredential {
  /** The server that gets the credential. */
  readonly server: Server;
  readonly kind: CredentialKind;
}

/**
 * Finds a credential in a file, a variable or the store. Throws a CliError if `assertKnownServer` refuses the
 * server. (rule L3)
 */
export async function findCredential(
  context: Context,
  flags: GlobalFlags,
  { server, kind }: WantedCredential,
): Promise<FoundCredential | undefined> {
  const given = await givenCredential(context, flags, { server, kind });
  // A stored credential is bound to its server.
  if (!given) return storedCredential(context, flags, { server, kind });
  assertKnownServer(context, server, `${given.source} is not sent to`);
  return given;
}

/** Returns the credential from a file or variable, which is not bound to a server. */
async function givenCredential(
  context: Context,
  flags: GlobalFlags,
  { server, kind }: WantedCredential,
): Promise<FoundCredential | undefined> {
  const inFile = fileFlags[kind];
  const file = inFile && flags[inFile.name];
  if (inFile && file !== undefined) {
    return {
      secret: (await readText(context, inFile.flag, file)).trim(),
      source: inFile.flag,
      isGiven: true,
    };
  }
  const { variable } = credentialKinds[kind];
  if (isOfOtherServer(context, server, variable)) return undefined;
  const given = context.env[variable]?.trim();
  return given ? { secret: given, source: variable, isGiven: true } : undefined;
}

async function storedCredential(
  context: Context,
  flags: GlobalFlags,
  { server, kind }: WantedCredential,
): Promise<FoundCredential | undefined> {
  const { origin } = new URL(server.address);
  const store = openStore(context);
  const ofProfile = profileKind(context, flags, kind);
  const found =
    (ofProfile === kind ? undefined : await store.find({ origin, kind: ofProfile })) ??
    (await store.find({ origin, kind }));
  return found && { secret: found.secret, source: found.in === "file" ? store.file : "keychain" };
}

/** Returns the name under which a credential is stored: its kind, with the profile if there is one. */
export function profileKind(context: Context, flags: GlobalFlags, kind: CredentialKind): string {
  const name = chosenProfile(context, flags)?.name;
  return name === undefined ? kind : `${kind}#${name}`;
}

/** Opens the store of this person's credentials on this machine. */
export const openStore = (context: Context): CredentialStore =>
  createStore({
    folder: configFolder(context),
    keychain: context.keychain,
    onSlowKeychain: () =>
      context.io.stderr.write("Waiting for your keychain. It may show a question on your screen.\n"),
  });

/**
 * Throws a CliError for a credential of another kind. The server would only say that the credential is invalid.
 */
export function assertCredentialKind(found: FoundCredential, kind: CredentialKind): void {
  const message = wrongKindMessage(found, kind);
  if (message === undefined) return;
  const { variable, command } = credentialKinds[kind];
  throw new CliError({
    exit: "authentication",
    code: "wrong_credential",
    message,
    next: `Set ${variable} to the right credential, or store that credential with \`${command}\`.`,
  });
}

/**
 * If the prefix of a credential belongs to another kind, returns a sentence with both kinds. Otherwise
 * undefined.
 */
export function wrongKindMessage(
  { secret, source }: FoundCredential,
  kind: CredentialKind,
): string | undefined {
  const wanted = credentialKinds[kind];
  const other = known.find(({ prefix }) => prefix !== wanted.prefix && secret.startsWith(prefix));
  if (!other) return undefined;
  return `${source} contains ${withArticle(other.name)} (${other.prefix}), not ${withArticle(wanted.name)} (${wanted.prefix}).`;
}

const known = [
  ...Object.values(credentialKinds),
  { name: "test key", prefix: "stk_", variable: "INNKEEP_TEST_KEY" },
];
