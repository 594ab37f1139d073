import { randomBytes } from "node:crypto";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type CredentialKind, credentialKinds } from "../client/connection.ts";
import { ServerError, UnexpectedAnswerError } from "../client/errors.ts";
import type { Route } from "../client/routes.ts";
import { waitForSignInCode } from "../client/wait.ts";
import { isText, listAt } from "../contract/json.ts";
import { challengeOf } from "../contract/pkce.ts";
import type { DeviceGrant } from "../contract/sign-in.ts";
import { configFolder, readIfThere, writePrivately } from "../credentials/folders.ts";
import { hintOf } from "../credentials/store.ts";
import { withArticle } from "../words/phrases.ts";
import { oneLine } from "../words/visible.ts";
import { choices } from "./core/choices.ts";
import { CliError, type Exit, usageError } from "./core/cli-error.ts";
import {
  addExamples,
  commandAction,
  forTester,
  mutates,
  type Setup,
  startInvocation,
  systemTimeZone,
} from "./core/command.ts";
import type { Context, FoundCredential, Invocation, Server } from "./core/context.ts";
import { failureOf } from "./core/failures.ts";
import { canAsk, readText } from "./core/input.ts";
import { asLoggedJson, type Column, details, note, printList, printOne } from "./core/output.ts";
import {
  assertKnownServer,
  consoleAddress,
  findCredential,
  isOfOtherServer,
  missingCredential,
  openStore,
  profileKind,
  rememberSignIn,
  wrongKindMessage,
} from "./core/settings.ts";
import {
  allKinds,
  checkCredential,
  explainWriteFailure,
  originOf,
  type StoreFlags,
  storeCredential,
  type Verdict,
  wordOf,
} from "./core/store-credential.ts";

export function addAuth(auth: Command, setup: Setup): void {
  addSignIn(auth, setup);
  addStored(auth, setup);
}

function addSignIn(auth: Command, setup: Setup): void {
  const login = auth
    .command("login")
    .description("Sign this machine in as a tester's device, in the browser")
    .option(
      "--name <name>",
      "the name of the device on the approval page; default: your user name and this host",
    )
    .option("--redirect <url>", "where the browser is sent with the code; default: the server's own page")
    .option("--no-browser", "only print the address, for a machine without a browser")
    .option("--paste", "ask for the code that the page shows, instead of waiting for the approval")
    .option(
      "--insecure-storage",
      "store the credential in a file that only you can read, not in the keychain",
    )
    .addHelpText("after", loginNotes);
  addExamples(
    login,
    "innkeep auth login --base-url https://inn.example.org",
    "innkeep auth login --no-browser",
  );
  commandAction<LoginFlags>(login, forTester(setup), async (invocation, flags) => signIn(invocation, flags));

  const profile = mutates(auth.command("profile").description("Show or change your profile as a tester"))
    .option("--timezone <zone>", "your time zone, such as Europe/London")
    .option("--push-token-file <file>", "read a push token from a file; `-` is standard input");
  addExamples(profile, "innkeep auth profile", "innkeep auth profile --timezone Europe/London");
  commandAction<ProfileFlags>(profile, forTester(setup), async (invocation, flags) =>
    changeProfile(invocation, flags),
  );
}

const loginNotes = `
The address is always printed, and you can open it on any machine. The command waits 5 minutes for the approval;
without an approval it ends with exit code 4.`;

function addStored(auth: Command, setup: Setup): void {
  const set = auth
    .command("set")
    .description("Store a key or token for this server; it is read from standard input, or asked for")
    .argument("<kind>", kindWords, kindOf)
    .option(
      "--insecure-storage",
      "store the credential in a file that only you can read, not in the keychain",
    )
    .option("--no-check", "do not ask the server whether it accepts the key or token");
  addExamples(set, "innkeep auth set token --base-url https://inn.example.org < token.txt");
  commandAction<SetFlags, CredentialKind>(set, setup, store);

  const token = auth
    .command("token")
    .description(
      "Print the key or token that commands use; works only if the output goes to a file or another program",
    )
    .argument("<kind>", kindWords, kindOf);
  addExamples(token, "innkeep auth token device-token | other-program");
  commandAction<object, CredentialKind>(token, setup, printCredential);

  const status = auth
    .command("status")
    .description("Show all credentials, their servers, and whether the servers accept them")
    .addOption(new Option("--offline", "do not ask the servers").conflicts("check"))
    .option("--check", "exit with code 4 if a server refuses a credential or does not answer");
  addExamples(status, "innkeep auth status", "innkeep auth status --offline --json");
  commandAction<StatusFlags>(status, setup, async (invocation, flags) => showStatus(invocation, flags));

  const logout = auth
    .command("logout")
    .description("Remove the credentials for this server")
    .argument("[kind]", `remove only this credential: ${kindWords}`, kindOf);
  addExamples(logout, "innkeep auth logout", "innkeep auth logout device-token");
  commandAction<object, CredentialKind | undefined>(logout, setup, removeCredentials);
}

interface SetFlags extends StoreFlags {
  readonly check: boolean;
}

async function store(invocation: Invocation, flags: SetFlags, kind: CredentialKind): Promise<undefined> {
  const secret = await givenSecret(invocation, kind);
  if (flags.check) await assertAccepted(invocation, kind, secret);
  const kept = await storeCredential(invocation, flags, { kind, secret });
  printOne(invocation, kept, () => kept.hint);
}

/**
 * Throws a CliError if the server refuses the credential. Prints a warning if the credential cannot be checked.
 */
async function assertAccepted(invocation: Invocation, kind: CredentialKind, secret: string): Promise<void> {
  const { name } = credentialKinds[kind];
  assertKnownServer(invocation.context, invocation.server(), `innkeep refuses to store the ${name} for`);
  const { checkCredential } = await import("./core/store-credential.ts");
  const server = invocation.baseUrl();
  const { valid, problem } = await checkCredential(invocation, { server, kind }, { secret, source: name });
  if (valid) return;
  if (valid === null) {
    note(invocation, `warning: the ${name} is stored, but could not be checked. ${problem}`);
    return;
  }
  throw new CliError({
    exit: "authentication",
    code: kind === "appKey" ? "invalid_api_key" : "invalid_token",
    message: `The ${name} was not stored: ${server} does not accept it. It is expired, revoked or mistyped.`,
    next: "Also check the address of the server. --no-check stores the credential without asking the server.",
  });
}

/** Prints a credential into a pipe. Throws a usage error on a terminal. */
async function printCredential(invocation: Invocation, _: object, kind: CredentialKind): Promise<undefined> {
  const { stdout } = invocation.context.io;
  if (stdout.isTerminal) {
    throw usageError(
      "A credential is printed into a pipe only, not on a screen.",
      "Pipe it to another program. `innkeep auth status` shows its first characters.",
    );
  }
  const own = ofKind(invocation, kind);
  const found = await own.credential(kind);
  if (!found) throw missingCredential(own, kind);
  const { secret, source } = found;
  if (invocation.flags.json) stdout.write(`${JSON.stringify({ kind, source, token: secret })}\n`);
  else stdout.write(`${secret}\n`);
}

/**
 * Returns the invocation for a kind of credential. For a device token or without `kind`, the default server is
 * the server of the last sign-in.
 */
const ofKind = ({ context, flags }: Invocation, kind: CredentialKind | undefined): Invocation =>
  startInvocation(context, flags, kind === undefined || kind === "deviceToken");

async function removeCredentials(
  given: Invocation,
  _: object,
  kind: CredentialKind | undefined,
): Promise<undefined> {
  const invocation = ofKind(given, kind);
  const origin = originOf(invocation);
  const credentials = openStore(invocation.context);
  const removed: CredentialKind[] = [];
  for (const one of kind ? [kind] : allKinds) {
    if (
      await explainWriteFailure(invocation.context, () =>
        credentials.remove({ origin, kind: profileKind(invocation.context, invocation.flags, one) }),
      )
    )
      removed.push(one);
  }
  const names = removed.map((one) => credentialKinds[one].name).join(", ");
  note(
    invocation,
    removed.length > 0 ? `Removed the ${names} for ${origin}.` : `Nothing is stored for ${origin}.`,
  );
  if (removed.includes("deviceToken")) {
    const page = `${consoleAddress(invocation)}/devices`;
    note(invocation, `The device token stays valid on the server until you sign the device out: ${page}`);
  }
  printOne(invocation, { origin, removed }, () => removed.join("\n"));
}

async function givenSecret(invocation: Invocation, kind: CredentialKind): Promise<string> {
  const { io } = invocation.context;
  const { name } = credentialKinds[kind];
  const secret = (
    canAsk(invocation) ? await io.ask(`The ${name}: `, { hidden: true }) : await pipedIn(invocation)
  ).trim();
  refuseOtherKind(secret, kind);
  if (/^[!-~]+$/.test(secret)) return secret;
  throw usageError(
    secret === "" ? `No ${name} was given.` : `This is not ${withArticle(name)}.`,
    `Pipe it in: innkeep auth set … < file`,
  );
}

/**
 * Throws a usage error if the secret has another kind's prefix. Storing the secret would replace a correct credential.
 */
function refuseOtherKind(secret: string, kind: CredentialKind): void {
  const other = allKinds.find((one) => one !== kind && secret.startsWith(credentialKinds[one].prefix));
  if (!other) return;
  const { name, prefix, command } = credentialKinds[other];
  throw usageError(
    `This is not ${withArticle(credentialKinds[kind].name)}: a secret that begins with ${prefix} is ${withArticle(name)}.`,
    `To store it, use \`${command}\`.`,
  );
}

async function pipedIn({ context }: Invocation): Promise<string> {
  return context.io.stdin.isTerminal ? "" : context.io.stdin.text();
}

interface ProfileFlags {
  readonly timezone?: string;
  readonly pushTokenFile?: string;
}

/** Changes the given fields, and prints the profile. Without flags, it only prints the profile. */
async function changeProfile(invocation: Invocation, flags: ProfileFlags): Promise<undefined> {
  const { timezone, pushTokenFile: file } = flags;
  const pushToken =
    file === undefined ? undefined : (await readText(invocation.context, "--push-token-file", file)).trim();
  const known = await invocation.client().tester.updateProfile({ body: { timezone, pushToken } });
  if (timezone !== undefined || file !== undefined) note(invocation, "Changed your profile.");
  printOne(invocation, known, () =>
    details({ "time zone": known.timezone, tester: known.isTester ? "yes" : "not yet" }),
  );
}

interface LoginFlags extends StoreFlags {
  readonly name?: string;
  readonly redirect?: string;
  readonly browser: boolean;
  readonly paste?: boolean;
}

/** Signs this machine in after an approval in the browser. (rule L8) */
async function signIn(invocation: Invocation, flags: LoginFlags): Promise<undefined> {
  if (flags.paste) assertCanPaste(invocation);
  assertKnownServer(invocation.context, invocation.server(), "This machine does not sign in at");
  const deviceId = await deviceIdOf(invocation.context);
  const verifier = randomBytes(32).toString("base64url");
  const question: Question = {
    device: deviceId,
    name: deviceNameOf(flags.name),
    challenge: await challengeOf(verifier),
    redirect: flags.redirect ?? ownRedirect(invocation),
  };
  try {
    await askBeforehand(invocation, question);
    await showAddress(invocation, approvalAddress(invocation, question), flags.browser && !flags.paste);
    const code = await signInCodeOf(
      invocation,
      { deviceId, challenge: question.challenge },
      flags.paste ?? false,
    );
    // The PKCE verifier is sent only in this request.
    const grant = await exchange(invocation, { code, verifier, deviceId });
    await storeGrant(invocation, flags, { device: question.name, grant });
  } catch (error) {
    throw asSignInFailure(error);
  }
}

/** Throws an error if the server cannot be reached or refuses the redirect. Call this before you open a browser. */
async function askBeforehand(invocation: Invocation, question: Question): Promise<void> {
  try {
    await invocation.sender()(approvalPage, { query: { ...question } });
  } catch (error) {
    // The answer redirects to another sign-in page, which the browser will open.
    if (error instanceof UnexpectedAnswerError) return;
    if (error instanceof ServerError && error.status === 404) throw noSignIn(invocation);
    if (error instanceof ServerError && error.status === 401) return;
    throw error;
  }
}

const noSignIn = (invocation: Invocation) =>
  new CliError({
    exit: "notFound",
    code: "no_sign_in",
    message: `${invocation.baseUrl()} has no page to sign in at.`,
    next: "Check --base-url and INNKEEP_BASE_URL.",
  });

/** Exchanges the code for a token. The idempotency key makes a repeated request return the same token. */
function exchange(
  { client, context }: Invocation,
  proof: { readonly code: string; readonly verifier: string; readonly deviceId: string },
): Promise<DeviceGrant> {
  const timezone = systemTimeZone();
  const idempotencyKey = context.newId();
  return client().signIn.exchange({ body: { ...proof, ...(timezone && { timezone }) }, idempotencyKey });
}

async function storeGrant(
  invocation: Invocation,
  flags: LoginFlags,
  {
    device,
    grant,
  }: {
    readonly device: string;
    readonly grant: DeviceGrant;
  },
) {
  invocation.context.signal.throwIfAborted();
  const { token, expiresAt, scopes, profile } = grant;
  const { origin, source, hint } = await storeCredential(invocation, flags, {
    kind: "deviceToken",
    secret: token,
  });
  await explainWriteFailure(invocation.context, async () =>
    rememberSignIn(invocation.context, invocation.baseUrl(), expiresAt),
  );
  const signedIn = { origin, device, source, hint, expiresAt, scopes, profile };
  printOne(invocation, signedIn, () =>
    details({
      server: origin,
      device,
      token: `${hint} (${source})`,
      expires: expiresAt,
      "may use": scopes?.join(", "),
      "time zone": profile?.timezone,
    }),
  );
}

interface Pending {
  readonly deviceId: string;
  readonly challenge: string;
}

const seconds = 300;

/**
 * Returns the first code from the server or the person. Throws a CliError if nobody approves within five
 * minutes.
 */
async function signInCodeOf(invocation: Invocation, device: Pending, pasteOnly: boolean): Promise<string> {
  invocation.context.signal.throwIfAborted();
  if (pasteOnly) return pasted(invocation, invocation.context.signal);
  const over = new AbortController();
  const stop = () => over.abort(invocation.context.signal.reason);
  invocation.context.signal.addEventListener("abort", stop, { once: true });
  try {
    const approval = awaitApproval(invocation, device, over.signal);
    return await (canAsk(invocation) ? firstOf(approval, pasted(invocation, over.signal)) : codeOf(approval));
  } finally {
    invocation.context.signal.removeEventListener("abort", stop);
    over.abort(new Error("The sign-in has ended."));
  }
}

/** Throws a usage error if nobody can paste a code. Call this before you open a browser. */
function assertCanPaste(invocation: Invocation): void {
  if (canAsk(invocation)) return;
  throw usageError("Nobody can be asked for the code here.", "Leave out --paste to wait for the approval.");
}

type Approval = Awaited<ReturnType<typeof waitForSignInCode>>;

function awaitApproval(invocation: Invocation, device: Pending, signal: AbortSignal): Promise<Approval> {
  const { clock } = invocation.context;
  note(invocation, "Waiting for the approval, for 5 minutes.");
  return waitForSignInCode(invocation.client(), device, {
    seconds,
    clock,
    signal,
  });
}

/**
 * Resolves with the code that arrives first. If the pasted code cannot be read, still waits for the server's answer.
 */
function firstOf(approval: Promise<Approval>, typed: Promise<string>): Promise<string> {
  return new Promise((resolve, reject) => {
    approval.then((result) => {
      if (result === "late") reject(late());
      else if (result !== "unsupported") resolve(result.code);
      else typed.catch(reject);
    }, reject);
    typed.then(resolve, () => {});
  });
}

async function codeOf(approval: Promise<Approval>): Promise<string> {
  const result = await approval;
  if (result === "late") throw late();
  if (result !== "unsupported") return result.code;
  throw usageError(
    "This server does not report approvals, and nobody can be asked for the code here.",
    "Run `innkeep auth login --paste` on a terminal.",
  );
}

async function pasted(invocation: Invocation, signal: AbortSignal): Promise<string> {
  for (;;) {
    const typed = await invocation.context.io.ask("Code, if the page shows one: ", { hidden: true, signal });
    if (typed.trim() !== "") return typed.trim();
  }
}

const late = () =>
  new CliError({
    exit: "authentication",
    code: "not_approved",
    message: "Nobody approved this device within 5 minutes. You are not signed in.",
    next: "Run `innkeep auth login` again.",
  });

/** The parameters of the approval page. */
interface Question {
  readonly device: string;
  readonly name: string;
  readonly challenge: string;
  readonly redirect: string;
}

/** Returns the address at which a person approves this device. */
function approvalAddress(invocation: Invocation, question: Question): string {
  const url = new URL(invocation.baseUrl() + choices.authorizePath);
  for (const [name, value] of Object.entries(question)) url.searchParams.set(name, value);
  return url.href;
}

/**
 * Returns the address of the page on which the server shows the code. A sign-in without `--redirect` uses this page.
 */
const ownRedirect = (invocation: Invocation): string => invocation.baseUrl() + choices.codePath;

/** The approval page as a route. It is used to check the parameters before a person opens the page. */
const approvalPage: Route = {
  method: "GET",
  path: choices.authorizePath,
  auth: "none",
  summary: "Ask a person to approve this device",
};

/**
 * Shows the address on standard error, because standard output is for the result. With `wanted`, opens a
 * browser.
 */
async function showAddress(invocation: Invocation, url: string, wanted: boolean): Promise<void> {
  const { context, flags } = invocation;
  const event = JSON.stringify({ event: "open", url });
  if (flags.json) context.io.stderr.write(`${asLoggedJson(context.env, event)}\n`);
  const opened = wanted && canOpen(context) && (await opens(context, url));
  note(
    invocation,
    `${opened ? "Approve this device in your browser. If the browser did not open, use this address:" : "Open this address to approve this device:"}\n  ${url}`,
  );
}

/** Whether a browser can open on this screen. False over SSH and without a display. */
function canOpen({ env, io, platform }: Context): boolean {
  if (!io.stderr.isTerminal || env.CI || env.SSH_CONNECTION || env.SSH_TTY) return false;
  return platform !== "linux" || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY || env.WSL_DISTRO_NAME);
}

const opens = (context: Context, url: string): Promise<boolean> =>
  context.openBrowser(url).then(
    () => true,
    () => false,
  );

/**
 * Returns the id of this installation. The file with the id is private, because the id can help strangers sign
 * in.
 */
async function deviceIdOf(context: Context): Promise<string> {
  const file = join(configFolder(context), "device-id");
  const known = readIfThere(file)?.trim();
  if (known && /^[!-~]{1,200}$/.test(known)) return known;
  const made = context.newId();
  await explainWriteFailure(context, async () => writePrivately(file, `${made}\n`, context.newId));
  return made;
}

const longestName = 100;

/**
 * Returns the name of this device. The default consists of the user and the host, such as `ada on lovelace`.
 */
function deviceNameOf(given: string | undefined): string {
  const name = given === undefined ? `${userName()} on ${hostname()}` : given;
  return [...oneLine(name)].slice(0, longestName).join("");
}

/** Returns the name of the user, or a default. In some containers, users have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "innkeep";
  }
}

/** Adds the next step to the error of a refused sign-in. Returns any other error unchanged. */
function asSignInFailure(error: unknown): unknown {
  if (!(error instanceof ServerError)) return error;
  const next = nextSteps[error.code];
  if (next === undefined) return error;
  const { exit, code, message, next: _, ...details } = failureOf(error);
  const reasons = reasonsIn(error.body);
  const why = reasons.length > 0 ? ` The server says: ${reasons.map(inWords).join(", and ")}.` : "";
  return new CliError({
    exit,
    code,
    message: `${message}${why}`,
    next,
    ...details,
    ...(reasons.length > 0 && { reasons }),
  });
}

const nextSteps: Readonly<Record<string, string>> = {
  invalid_code:
    "Run `innkeep auth login` again. A code works only once, within 5 minutes, and only for the sign-in that it was made for.",
  integrity_failed:
    "This server accepts only attested phones. Sign in with the tester's app, or use `innkeep` with a server that has attestation off.",
  device_taken:
    "Sign this device out in the console of the account that it is linked to, then run `innkeep auth login` again.",
  bad_redirect:
    "This server sends sign-in codes only to other addresses. Ask its operator for an allowed address, and give that address with --redirect.",
  access_denied: "Run `innkeep auth login` again when the person agrees.",
};

const words: Readonly<Record<string, string>> = {
  device_integrity_failed: "the device could not be verified",
  app_not_recognized: "the app could not be verified",
};

const inWords = (reason: string): string => words[reason] ?? reason;

const reasonsIn = (body: unknown): string[] => listAt(body, "reasons").filter(isText);

interface StatusFlags {
  readonly offline?: boolean;
  /** Whether the command fails if a server refuses a credential or does not answer. */
  readonly check?: boolean;
}

/** A credential to show: its server, its kind, and the function that finds it. */
interface Place {
  readonly server: string;
  readonly kind: CredentialKind;
  /** The profile for which the credential is stored. Null without a profile, or if commands use it now. */
  readonly profile: string | null;
  readonly find: () => Promise<FoundCredential | undefined>;
}

type Judge = (place: Place, found: FoundCredential) => Promise<Verdict>;

interface Row {
  readonly server: string;
  readonly kind: CredentialKind;
  readonly profile: string | null;
  readonly name: string;
  readonly variable: string;
  readonly source: string | null;
  readonly hint: string | null;
  /** Whether the server accepts the credential; null if the server was not asked or did not answer. */
  readonly valid: boolean | null;
  readonly problem: string | null;
}

/**
 * Prints the credentials for the servers that commands use, and all credentials that are stored for other servers.
 */
async function showStatus(
  invocation: Invocation,
  { offline = false, check = false }: StatusFlags,
): Promise<Exit | undefined> {
  const { context, flags } = invocation;
  const server = invocation.server();
  const tester = startInvocation(context, flags, true).server();
  noteServers(invocation, server, tester);
  const places = [...placesInUse(invocation, server, tester), ...placesStored(invocation, server, tester)];
  const judge: Judge = async (place, found) => {
    const wrongKind = wrongKindMessage(found, place.kind);
    if (wrongKind !== undefined) return { valid: false, problem: wrongKind };
    return offline ? { valid: null, problem: null } : checkCredential(invocation, place, found);
  };
  const rows = await Promise.all(places.map((place) => rowOf(place, judge)));
  printList(invocation, {
    items: rows,
    columns: columnsFor((variable) => isOfOtherServer(context, server, variable)),
    extra: { server: server.address, testerServer: tester.address },
  });
  return check && rows.some(({ problem, hint, valid }) => (problem ?? hint) !== null && valid !== true)
    ? "authentication"
    : undefined;
}

const columnsFor = (isUnsent: (variable: string) => boolean): readonly Column<Row>[] => [
  { heading: "server", of: ({ server }) => server },
  { heading: "credential", of: ({ name, profile }) => (profile === null ? name : `${name} (${profile})`) },
  { heading: "starts", of: ({ hint }) => hint },
  {
    heading: "from",
    of: ({ source, variable }) =>
      source ?? `none (${variable} is not ${isUnsent(variable) ? "sent there" : "set"})`,
  },
  { heading: "state", of: ({ valid, problem }) => problem ?? (valid ? "valid" : "") },
];

function noteServers(invocation: Invocation, server: Server, tester: Server): void {
  note(invocation, `Commands go to ${server.address} (${server.from}).`);
  if (tester.address !== server.address)
    note(invocation, `A tester's commands go to ${tester.address} (${tester.from}).`);
}

const serverFor = (kind: CredentialKind, server: Server, tester: Server): Server =>
  kind === "deviceToken" ? tester : server;

/** Returns the credentials that commands would use now. */
const placesInUse = ({ context, flags }: Invocation, server: Server, tester: Server): Place[] =>
  allKinds.map((kind) => {
    const own = serverFor(kind, server, tester);
    const find = () => findCredential(context, flags, { server: own, kind });
    return { server: own.address, kind, profile: null, find };
  });

/** Returns the stored credentials on this machine that commands would not use now. */
export function placesStored({ context, flags }: Invocation, server: Server, tester: Server): Place[] {
  const store = openStore(context);
  return Object.entries(store.index()).flatMap(([origin, kinds]) =>
    Object.keys(kinds).flatMap((stored): Place[] => {
      const [word, profile = null] = stored.split("#");
      const kind = allKinds.find((one) => one === word);
      if (!kind) return [];
      const wanted = profileKind(context, flags, kind);
      const isUsed =
        new URL(serverFor(kind, server, tester).address).origin === origin &&
        stored === (kinds[wanted] ? wanted : kind);
      return isUsed ? [] : [{ server: origin, kind, profile, find: () => storedIn(store, origin, stored) }];
    }),
  );
}

async function storedIn(store: ReturnType<typeof openStore>, origin: string, kind: string) {
  const found = await store.find({ origin, kind });
  return found && { secret: found.secret, source: found.in === "file" ? store.file : "keychain" };
}

async function rowOf(place: Place, judge: Judge): Promise<Row> {
  const { server, kind, profile } = place;
  const { name, variable } = credentialKinds[kind];
  const named = { server, kind, profile, name, variable };
  try {
    const found = await place.find();
    if (!found) return { ...named, ...nothing };
    const verdict = await judge(place, found);
    return { ...named, source: found.source, hint: hintOf(found.secret), ...verdict };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { ...named, ...nothing, problem };
  }
}

const nothing = { source: null, hint: null, valid: null, problem: null };

/** The names of all kinds of credentials, for help and messages. */
const kindWords: string = allKinds.map(wordOf).join(", ");

/** Returns the kind of credential with this name. Throws an error of the parser for any other text. */
function kindOf(word: string): CredentialKind {
  const kind = allKinds.find((one) => wordOf(one) === word);
  if (kind) return kind;
  throw new InvalidArgumentError(`It must be one of ${kindWords}.`);
}
