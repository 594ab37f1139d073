import { randomBytes } from "node:crypto";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { ServerError, UnexpectedAnswerError } from "../client/errors.ts";
import type { Route } from "../client/routes.ts";
import { waitForSignInCode } from "../client/wait.ts";
import { isText, listAt } from "../contract/json.ts";
import { challengeOf } from "../contract/pkce.ts";
import type { DeviceGrant } from "../contract/sign-in.ts";
import { configFolder, readIfThere, writePrivately } from "../credentials/folders.ts";
import { choices } from "./core/choices.ts";
import { CliError, usageError } from "./core/cli-error.ts";
import type { Context, Invocation } from "./core/context.ts";
import { assertKnownServer } from "./core/credentials.ts";
import { failureOf } from "./core/failures.ts";
import { systemTimeZone } from "./core/flags.ts";
import { canAsk } from "./core/input.ts";
import { details, note, printOne } from "./core/output.ts";
import { asLoggedJson, onOneLine } from "./core/plain-text.ts";
import { rememberSignIn } from "./core/server-address.ts";
import { explainWriteFailure, type StoreFlags, storeCredential } from "./core/store-credential.ts";

export interface LoginFlags extends StoreFlags {
  readonly name?: string;
  readonly redirect?: string;
  readonly browser: boolean;
  readonly paste?: boolean;
}

/**
 * Signs this machine in. A person approves it in the browser, and then the device token is stored. The PKCE verifier is
 * sent only in the request that exchanges the code. (rule L8)
 */
export async function login(invocation: Invocation, flags: LoginFlags): Promise<undefined> {
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
    const grant = await exchange(invocation, { code, verifier, deviceId });
    await storeGrant(invocation, flags, { device: question.name, grant });
  } catch (error) {
    throw asSignInFailure(error);
  }
}

/** Throws if the server cannot be reached or refuses the redirect. Call this before a browser is opened. */
async function askBeforehand(invocation: Invocation, question: Question): Promise<void> {
  try {
    await invocation.sender()(approvalPage, { query: { ...question } });
  } catch (error) {
    // The answer is a redirect to another sign-in, which the browser will follow.
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
    /** The name of the device. */
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
  await explainWriteFailure(async () => rememberSignIn(invocation.context, invocation.baseUrl(), expiresAt));
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
 * Returns the code of an approval. The server sends it, or the person pastes it on the terminal. The first code is
 * used. Throws a CliError if there is no code within five minutes.
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

/** Throws if nobody can paste a code. Call this before a browser is opened. */
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

/** Resolves with the first code. If reading the pasted code fails, it still waits for the server's answer. */
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
 * Returns the address of the page on which the server shows the code. A sign-in without `--redirect` uses it.
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
 * Shows the address of the approval on standard error, because standard output is for the result. Opens it in the
 * browser if a person uses this machine.
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

/**
 * Whether a browser can open on this screen. Over SSH or without a display, it would open elsewhere or in the terminal.
 */
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
 * Returns the id of this installation. It is created once and stored in the folder of the credentials. Only this user
 * can read it, because somebody with the id and the account could sign in as this device.
 */
async function deviceIdOf(context: Context): Promise<string> {
  const file = join(configFolder(context), "device-id");
  const known = readIfThere(file)?.trim();
  if (known && /^[!-~]{1,200}$/.test(known)) return known;
  const made = context.newId();
  await explainWriteFailure(async () => writePrivately(file, `${made}\n`, context.newId));
  return made;
}

const longestName = 100;

/**
 * Returns the name of this device. The default consists of the user and the host, such as `ada on lovelace`.
 */
function deviceNameOf(given: string | undefined): string {
  const name = given === undefined ? `${userName()} on ${hostname()}` : given;
  return [...onOneLine(name)].slice(0, longestName).join("");
}

/** Returns the name of the user, or a default if the user has none. In some containers users have no name. */
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
    "This server accepts only attested phones: sign in with the tester's app, and use `innkeep` with a server that has attestation off.",
  device_taken:
    "Sign this device out in the console of the account that it is linked to, then run `innkeep auth login` again.",
  bad_redirect:
    "This server sends codes to another address. Ask its operator for that address, and give it with --redirect.",
  access_denied: "Run `innkeep auth login` again when the person agrees.",
};

const words: Readonly<Record<string, string>> = {
  device_integrity_failed: "the device could not be verified",
  app_not_recognized: "the server does not know the app",
};

const inWords = (reason: string): string => words[reason] ?? reason;

const reasonsIn = (body: unknown): string[] => listAt(body, "reasons").filter(isText);
