import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { freePort } from "../network/free-port.ts";

/** The faults of a provider. */
export interface ProviderFaults {
  /** Claims of the id token, in addition to or instead of correct ones. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Parameters of the answer with which people are redirected. */
  readonly answer?: Readonly<Record<string, string>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Signs with a key that it does not publish. */
  readonly foreignKey?: boolean;
  /** Answers requests for tokens with this status. */
  readonly tokenStatus?: number;
  /** Never answers these paths. */
  readonly silentAt?: string;
}

/** A provider that accepts every code, even twice, and has the given faults. */
export interface FaultyProvider {
  readonly issuer: string;
  bend(bend: ProviderFaults): void;
  /** How often a path was requested. */
  asked(path: string): number;
  stop(): Promise<void>;
}

export const faultyProviderClient = { clientId: "innkeep", clientSecret: "known to both" };

/** On this port. By default on one that stays free when it is stopped. */
export async function startFaultyProvider(port?: number): Promise<FaultyProvider> {
  const [own, foreign] = await Promise.all([generateKeyPair("RS256"), generateKeyPair("RS256")]);
  const jwk = { ...(await exportJWK(own.publicKey)), alg: "RS256", use: "sig" };
  let bend: ProviderFaults = {};
  let nonce = "";
  const counts = new Map<string, number>();
  const token = () =>
    new SignJWT({ ...rightClaims(issuer, nonce), ...bend.claims })
      .setProtectedHeader({ alg: "RS256" })
      .sign((bend.foreignKey ? foreign : own).privateKey);
  const answers: Record<string, (query: URLSearchParams, response: ServerResponse) => Promise<void> | void> =
    {
      "/.well-known/openid-configuration": (_, response) =>
        json(response, { ...metadata(issuer), ...bend.metadata }),
      "/jwks": (_, response) => json(response, { keys: [jwk] }),
      "/authorize": (query, response) => {
        nonce = query.get("nonce") ?? "";
        const answer = { code: "a code", state: query.get("state") ?? "", iss: issuer, ...bend.answer };
        const to = `${query.get("redirect_uri")}?${new URLSearchParams(answer)}`;
        response.writeHead(303, { location: to }).end();
      },
      "/token": async (_, response) =>
        json(
          response,
          { access_token: "an access token", token_type: "Bearer", id_token: await token() },
          bend.tokenStatus,
        ),
    };
  const server = createServer((request: IncomingMessage, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", issuer);
    counts.set(pathname, (counts.get(pathname) ?? 0) + 1);
    if (pathname !== bend.silentAt) void answers[pathname]?.(searchParams, response);
  });
  const at = port ?? (await freePort());
  await new Promise<void>((resolve) => server.listen(at, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${portOf(server.address())}`;
  return {
    issuer,
    asked: (path) => counts.get(path) ?? 0,
    bend: (wanted) => {
      bend = wanted;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function rightClaims(issuer: string, nonce: string) {
  const now = Math.floor(Date.now() / 1_000);
  return {
    iss: issuer,
    sub: "ada",
    aud: faultyProviderClient.clientId,
    iat: now,
    exp: now + 600,
    nonce,
    email: "ada@example.org",
    email_verified: true,
  };
}

const metadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ["code"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["RS256"],
  authorization_response_iss_parameter_supported: true,
});

const json = (response: ServerResponse, body: object, status = 200) =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

function portOf(address: AddressInfo | string | null): number {
  if (typeof address === "object" && address !== null) return address.port;
  throw new Error("The provider does not listen.");
}
