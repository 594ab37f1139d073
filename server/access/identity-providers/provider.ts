import * as openid from "openid-client";
import { ApiError } from "../../../src/contract/errors.ts";
import { memberName } from "../../../src/contract/fields.ts";
import type { Clock } from "../../clock.ts";
import { normaliseEmail } from "../../secrets/passwords.ts";
import type { IdentityProvider } from "../../settings/settings.ts";
import type { ProvenIdentity } from "./api.ts";

/** The values that must be the same when a sign-in starts and when it is finished. */
interface FlowChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/**
 * An OpenID Connect provider. Methods throw an `ApiError`; its code is `busy` if the provider does not answer.
 */
export interface Provider {
  readonly id: string;
  readonly name: string;
  begin(): Promise<{ readonly location: string; readonly checks: FlowChecks }>;
  /** Finishes a sign-in. `answer` is the query with which the browser returned from the provider. */
  finish(answer: URLSearchParams, checks: FlowChecks): Promise<ProvenIdentity>;
}

const timeoutSeconds = 5;

/** Creates a provider. The server connects to it only when somebody signs in. */
export function createProvider(settings: IdentityProvider, callback: string, clock: Clock): Provider {
  const { id, name } = settings;
  const errors = providerErrors(name);
  const configuration = cachedForDay(
    () => errors.discovering(discover(settings)),
    () => clock.now(),
  );
  return {
    id,
    name,
    async begin() {
      const config = await configuration();
      const checks = {
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        verifier: openid.randomPKCECodeVerifier(),
      };
      const location = openid.buildAuthorizationUrl(config, {
        redirect_uri: callback,
        scope: scopeFor(config),
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: "S256",
      });
      return { location: location.href, checks };
    },
    async finish(answer, checks) {
      const config = await configuration();
      const { issuer, subject, email, name } = await errors.verifying(
        redeem(config, new URL(`${callback}?${answer}`), checks),
      );
      return { providerId: id, issuer, subject, email, name };
    },
  };
}

function discover({ issuer, clientId, clientSecret }: IdentityProvider): Promise<openid.Configuration> {
  const server = new URL(issuer);
  // The library must check the signature of the token. Over http, nothing else proves that the provider created
  // the token.
  const execute = [openid.enableNonRepudiationChecks];
  if (server.protocol === "http:") execute.push(openid.allowInsecureRequests);
  const authentication = clientSecret === undefined ? openid.None() : secretAuthentication(clientSecret);
  return openid.discovery(server, clientId, undefined, authentication, { timeout: timeoutSeconds, execute });
}

/** Sends the secret in the header by default. Uses the body if the provider does not support the header. */
function secretAuthentication(secret: string): openid.ClientAuth {
  const [inHeader, inBody] = [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const known = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return (known.includes("client_secret_basic") ? inHeader : inBody)(server, ...rest);
  };
}

/** Exchanges the code in `answer`. Returns the checked identity, the verified e-mail address and the name. */
async function redeem(config: openid.Configuration, answer: URL, checks: FlowChecks) {
  const tokens = await openid.authorizationCodeGrant(config, answer, {
    expectedState: checks.state,
    expectedNonce: checks.nonce,
    pkceCodeVerifier: checks.verifier,
  });
  const claims = tokens.claims();
  if (!claims) throw new Error("The provider sent no ID token");
  const { iss: issuer, sub: subject } = claims;
  const info = claims.email === undefined ? await fetchInfo(config, tokens.access_token, subject) : claims;
  const email = verifiedEmail(info.email, info.email_verified);
  return { issuer, subject, email, name: shownName(claims.name ?? info.name) };
}

/**
 * Returns the scopes to request. `profile` gives access to the name, but some providers refuse unknown scopes.
 * (rule K33)
 */
const scopeFor = (config: openid.Configuration): string =>
  config.serverMetadata().scopes_supported?.includes("profile") ? "openid email profile" : "openid email";

/** Returns the name if it is valid as the name of a member, otherwise undefined. */
function shownName(given: unknown): string | undefined {
  const { success, data } = memberName.safeParse(given);
  return success ? data : undefined;
}

/** Fetches the user info. Many providers send the e-mail address only in the user info. */
async function fetchInfo(
  config: openid.Configuration,
  accessToken: string,
  subject: string,
): Promise<Partial<openid.UserInfoResponse>> {
  if (config.serverMetadata().userinfo_endpoint === undefined) return {};
  return openid.fetchUserInfo(config, accessToken, subject);
}

function verifiedEmail(email: unknown, verified: unknown): string | undefined {
  return verified === true && typeof email === "string" && isAddress(email)
    ? normaliseEmail(email)
    : undefined;
}

const isAddress = (text: string): boolean =>
  text.length <= 254 && text.isWellFormed() && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(text);

const retryAfterSeconds = 5;

/**
 * Replaces provider failures with errors without the provider's text. The log contains only the OAuth error
 * code.
 */
const providerErrors = (name: string) => {
  const unavailable = (cause: unknown) =>
    new ApiError(
      "busy",
      { message: `${name} cannot be used right now. Try again shortly.`, retryAfterSeconds },
      { cause: withoutContents(cause) },
    );
  return {
    discovering: <Result>(work: Promise<Result>): Promise<Result> =>
      work.catch((error: unknown) => {
        throw unavailable(error);
      }),
    verifying: <Result>(work: Promise<Result>): Promise<Result> =>
      work.catch((error: unknown) => {
        throw isUnavailable(error) ? unavailable(error) : refusal(name, error);
      }),
  };
};

function refusal(name: string, error: unknown): ApiError {
  const cause = withoutContents(error);
  if (error instanceof openid.AuthorizationResponseError)
    return new ApiError(
      "forbidden",
      { message: `${name} did not sign you in. You can try again.` },
      { cause },
    );
  const message = `This sign-in with ${name} could not be verified, or was used before. Start it again.`;
  return new ApiError("bad_request", { message }, { cause });
}

/**
 * Whether nobody can sign in, because the network or the provider fails, or the provider refuses the client id
 * or secret.
 */
function isUnavailable(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof openid.WWWAuthenticateChallengeError) return true;
  if (error instanceof openid.AuthorizationResponseError)
    return ["server_error", "temporarily_unavailable"].includes(error.error);
  if (error instanceof openid.ResponseBodyError)
    return error.status >= 500 || ["invalid_client", "unauthorized_client"].includes(error.error);
  if (!(error instanceof openid.ClientError)) return false;
  const { code, cause } = error;
  return code === "OAUTH_TIMEOUT" || (cause instanceof Response && cause.status >= 500);
}

/** Returns an error without the answer of the provider, because that answer may contain codes and tokens. */
function withoutContents(error: unknown): Error {
  if (!(error instanceof Error)) return new Error("something that is not an Error was thrown");
  const code = "code" in error ? ` (${error.code})` : "";
  const under = error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return new Error(error.message + code + kindOf(error) + under);
}

/** Returns a colon and the OAuth error code, such as `: invalid_client`. Empty if there is no code. */
function kindOf(error: Error): string {
  if (error instanceof openid.ResponseBodyError) return `: ${error.error.slice(0, 60)}`;
  if (!(error instanceof openid.WWWAuthenticateChallengeError)) return "";
  return `: ${error.cause[0]?.parameters.error ?? "challenged"}`;
}

const lifetimeMilliseconds = 86_400_000;

/** Returns a function that caches the result of `make` for a day. A failure is not cached. */
function cachedForDay<Made>(make: () => Promise<Made>, now: () => Date): () => Promise<Made> {
  let made: { readonly result: Promise<Made>; readonly until: number } | undefined;
  return () => {
    const at = now().getTime();
    if (made && at < made.until) return made.result;
    const making = { result: make(), until: at + lifetimeMilliseconds };
    made = making;
    making.result.catch(() => {
      if (made === making) made = undefined;
    });
    return making.result;
  };
}
