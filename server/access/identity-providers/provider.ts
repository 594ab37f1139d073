import * as openid from "openid-client";
import type { Clock } from "../../clock.ts";
import { normaliseEmail } from "../../secrets/passwords.ts";
import type { IdentityProvider } from "../../settings/settings.ts";
import type { Proven } from "./api.ts";
import { cachedForDay } from "./day-cache.ts";
import { providerErrors } from "./provider-errors.ts";

/** The values that must be the same at the start and at the end of a sign-in. */
export interface FlowChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** An OpenID Connect provider. Its methods throw ApiErrors: `busy` when it does not answer. */
export interface Provider {
  readonly id: string;
  readonly name: string;
  begin(): Promise<{ readonly location: string; readonly way: FlowChecks }>;
  /** `answer` is the query with which the person returned. */
  finish(answer: URLSearchParams, way: FlowChecks): Promise<Proven>;
}

const timeoutSeconds = 5;

/** A provider is contacted only when somebody signs in with it. */
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
      const way = {
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        verifier: openid.randomPKCECodeVerifier(),
      };
      const location = openid.buildAuthorizationUrl(config, {
        redirect_uri: callback,
        scope: "openid email",
        state: way.state,
        nonce: way.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(way.verifier),
        code_challenge_method: "S256",
      });
      return { location: location.href, way };
    },
    async finish(answer, way) {
      const config = await configuration();
      const { issuer, subject, email } = await errors.verifying(
        redeem(config, new URL(`${callback}?${answer}`), way),
      );
      return { providerId: id, issuer, subject, email };
    },
  };
}

function discover({ issuer, clientId, clientSecret }: IdentityProvider): Promise<openid.Configuration> {
  const server = new URL(issuer);
  // The signature is checked, too: over http nothing else proves who made the token.
  const execute = [openid.enableNonRepudiationChecks];
  if (server.protocol === "http:") execute.push(openid.allowInsecureRequests);
  const authentication = clientSecret === undefined ? openid.None() : secretAuthentication(clientSecret);
  return openid.discovery(server, clientId, undefined, authentication, { timeout: timeoutSeconds, execute });
}

/** Sends the secret in the header, the standard's default, unless the provider does not support that. */
function secretAuthentication(secret: string): openid.ClientAuth {
  const [inHeader, inBody] = [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const known = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return (known.includes("client_secret_basic") ? inHeader : inBody)(server, ...rest);
  };
}

/** Exchanges the code of an answer, and checks state, issuer, nonce, audience, times and signature. */
async function redeem(config: openid.Configuration, answer: URL, way: FlowChecks) {
  const tokens = await openid.authorizationCodeGrant(config, answer, {
    expectedState: way.state,
    expectedNonce: way.nonce,
    pkceCodeVerifier: way.verifier,
  });
  const claims = tokens.claims();
  if (!claims) throw new Error("There was no id token");
  const { iss: issuer, sub: subject } = claims;
  const info = claims.email === undefined ? await fetchInfo(config, tokens.access_token, subject) : claims;
  return { issuer, subject, email: verifiedEmail(info.email, info.email_verified) };
}

/** The user info of the provider. Many providers give the e-mail address only there. */
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
