import { randomBytes } from "node:crypto";
import { ServerError, UnexpectedAnswerError } from "../../client/errors.ts";
import { challengeOf } from "../../contract/pkce.ts";
import type { DeviceGrant } from "../../contract/sign-in.ts";
import { CliError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { assertKnownServer } from "../core/credentials.ts";
import { details } from "../core/details.ts";
import { rememberSignIn } from "../core/last-sign-in.ts";
import { printOne } from "../core/output.ts";
import { explainWriteFailure, type StoreFlags, storeCredential } from "../core/store-credential.ts";
import { systemTimeZone } from "../core/time-zone.ts";
import { approvalAddress, approvalPage, ownRedirect, type Question } from "./approval-address.ts";
import { deviceIdOf, deviceNameOf } from "./device.ts";
import { asSignInFailure } from "./refusals.ts";
import { showAddress } from "./show-address.ts";
import { assertCanPaste, signInCodeOf } from "./sign-in-code.ts";

export interface LoginFlags extends StoreFlags {
  readonly name?: string;
  readonly redirect?: string;
  readonly browser: boolean;
  readonly paste?: boolean;
}

/**
 * Signs this machine in: a person approves it in the browser, and its token is stored. The verifier leaves this
 * process only for the exchange. (rule L8)
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

/** Finds out that the server is away, or refuses the redirect, before a browser is opened. */
async function askBeforehand(invocation: Invocation, question: Question): Promise<void> {
  try {
    await invocation.sender()(approvalPage, { query: { ...question } });
  } catch (error) {
    // The page redirects to another sign-in, which the browser handles.
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

interface Proof {
  readonly code: string;
  readonly verifier: string;
  readonly deviceId: string;
}

/** Exchanges the code with one idempotency key: a repeat after a lost answer gets the same token. */
function exchange({ client, context }: Invocation, proof: Proof): Promise<DeviceGrant> {
  const timezone = systemTimeZone();
  const idempotencyKey = context.newId();
  return client().signIn.exchange({ body: { ...proof, ...(timezone && { timezone }) }, idempotencyKey });
}

interface GrantOfDevice {
  /** The name of the device. */
  readonly device: string;
  readonly grant: DeviceGrant;
}

async function storeGrant(invocation: Invocation, flags: LoginFlags, { device, grant }: GrantOfDevice) {
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
