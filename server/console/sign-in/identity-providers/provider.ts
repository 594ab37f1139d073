import * as openid from "openid-client";
import type { Clock } from "../../../clock.ts";
import type { Proven } from "../../../routes/access/identities.ts";
import { normaliseEmail } from "../../../secrets/passwords.ts";
import type { IdentityProvider } from "../../../settings/settings.ts";
import { cachedForDay } from "./day-cache.ts";
import { providerErrors } from "./provider-errors.ts";

/** What must be the same when a person comes back as when they set out. */
export interface Way {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** An OpenID Connect provider. Its methods throw ApiErrors: `busy` where it does not answer. */
export interface Provider {
  readonly id: string;
  readonly name: string;
  begin(): Promise<{ readonly location: string; readonly way: Way }>;
  /** `answer` is the query with which the person came back. */
  finish(answer: URLSearchParams, way: Way): Promise<Proven>;
}

const timeoutSeconds = 5;

/** Nothing is asked of a provider before somebody wants to sign in with it. */
export function createProvider(settings: IdentityProvider, callback: string, clock: Clock): Provider {
  const { id, name } = settings;
  const terms = providerErrors(name);
  const configuration = cachedForDay(
    () => terms.discovering(discover(settings)),
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
      const { issuer, subject, email } = await terms.verifying(
        redeem(config, new URL(`${callback}?${answer}`), way),
      );
      return { providerId: id, issuer, subject, email };
    },
  };
}

function discover({ issuer, clientId, clientSecret }: IdentityProvider): Promise<openid.Configuration> {
  const server = new URL(issuer);
  // The signature is checked, too: over http nothing else would tell whose token it is.
  const execute = [openid.enableNonRepudiationChecks];
  if (server.protocol === "http:") execute.push(openid.allowInsecureRequests);
  const authentication = clientSecret === undefined ? openid.None() : secretly(clientSecret);
  return openid.discovery(server, clientId, undefined, authentication, { timeout: timeoutSeconds, execute });
}

/** In the header, as the standard's default says, where the provider does not rule that out. */
function secretly(secret: string): openid.ClientAuth {
  const [inHeader, inBody] = [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const known = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return (known.includes("client_secret_basic") ? inHeader : inBody)(server, ...rest);
  };
}

/** Exchanges the code of an answer, and checks state, issuer, nonce, audience, times and signature. */
async function redeem(config: openid.Configuration, answer: URL, way: Way) {
  const tokens = await openid.authorizationCodeGrant(config, answer, {
    expectedState: way.state,
    expectedNonce: way.nonce,
    pkceCodeVerifier: way.verifier,
  });
  const claims = tokens.claims();
  if (!claims) throw new Error("There was no id token");
  const { iss: issuer, sub: subject } = claims;
  const told = claims.email === undefined ? await askMore(config, tokens.access_token, subject) : claims;
  return { issuer, subject, email: verifiedEmail(told.email, told.email_verified) };
}

/** Many providers tell the address only where they are asked for it. */
async function askMore(
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
