import { type Command, Option } from "commander";
import { type CredentialKind, credentialKinds } from "../client/credential-kinds.ts";
import type { LoginFlags } from "./login.ts";
import type { StatusFlags } from "./status.ts";
import { CliError, usageError } from "./core/cli-error.ts";
import { commandAction, forTester, type Setup, startInvocation } from "./core/command.ts";
import type { Invocation } from "./core/context.ts";
import { assertKnownServer, missingCredential, openStore, profileKind } from "./core/credentials.ts";
import { mutates } from "./core/flags.ts";
import { addExamples } from "./core/help.ts";
import { canAsk, readText } from "./core/input.ts";
import { details, note, printOne } from "./core/output.ts";
import { consoleAddress } from "./core/server-address.ts";
import {
  allKinds,
  explainWriteFailure,
  kindOf,
  kindWords,
  originOf,
  type StoreFlags,
  storeCredential,
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
    .option("--insecure-storage", "store it in a file that only you can read, not in the keychain")
    .addHelpText("after", loginNotes);
  addExamples(
    login,
    "innkeep auth login --base-url https://inn.example.org",
    "innkeep auth login --no-browser",
  );
  commandAction<LoginFlags>(login, forTester(setup), async (invocation, flags) =>
    (await import("./login.ts")).login(invocation, flags),
  );

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
    .option("--insecure-storage", "store it in a file that only you can read, not in the keychain")
    .option("--no-check", "do not ask the server whether it accepts the key or token");
  addExamples(set, "innkeep auth set token --base-url https://inn.example.org < token.txt");
  commandAction<SetFlags, CredentialKind>(set, setup, store);

  const token = auth
    .command("token")
    .description("Print the key or token that commands would use; works only in a pipe")
    .argument("<kind>", kindWords, kindOf);
  addExamples(token, "innkeep auth token device-token | other-program");
  commandAction<object, CredentialKind>(token, setup, printCredential);

  const status = auth
    .command("status")
    .description("Show all credentials, their servers, and whether the servers accept them")
    .addOption(new Option("--offline", "do not ask the servers").conflicts("check"))
    .option("--check", "exit with code 4 if a server refuses a credential or does not answer");
  addExamples(status, "innkeep auth status", "innkeep auth status --offline --json");
  commandAction<StatusFlags>(status, setup, async (invocation, flags) =>
    (await import("./status.ts")).status(invocation, flags),
  );

  const logout = auth
    .command("logout")
    .description("Remove the credentials for this server")
    .argument("[kind]", `only this one: ${kindWords}`, kindOf);
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

/** Throws a CliError if the server refuses the credential. Prints a warning if the server does not answer. */
async function assertAccepted(invocation: Invocation, kind: CredentialKind, secret: string): Promise<void> {
  const { name } = credentialKinds[kind];
  assertKnownServer(invocation.context, invocation.server(), `The ${name} is not stored for`);
  const { checkCredential } = await import("./core/credential-check.ts");
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
 * Returns the invocation for a kind of credential. For a device token, its server is the server of the last sign-in,
 * unless the person names another one.
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
      await explainWriteFailure(() =>
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
    secret === "" ? `No ${name} was given.` : `That is no ${name}.`,
    `Pipe it in: innkeep auth set … < file`,
  );
}

/**
 * Throws a usage error if the secret has the prefix of another kind of credential. Storing it would replace a correct
 * credential.
 */
function refuseOtherKind(secret: string, kind: CredentialKind): void {
  const other = allKinds.find((one) => one !== kind && secret.startsWith(credentialKinds[one].prefix));
  if (!other) return;
  const { name, prefix, command } = credentialKinds[other];
  throw usageError(
    `That is no ${credentialKinds[kind].name}, because ${prefix} is the beginning of the ${name}.`,
    `\`${command}\` stores it.`,
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
