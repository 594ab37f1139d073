import { createServer } from "node:http";
import { exportJWK, generateKeyPair } from "jose";
import { memory, portOf, quietly } from "./identity-provider.ts";

/** An authorization server to compare ours with. It supports public clients with PKCE. Its only client is `known`. */
export interface OAuthOracle {
  readonly baseUrl: string;
  readonly paths: { readonly token: string; readonly revoke: string; readonly register: string };
  stop(): Promise<void>;
}

export const knownProgram = { clientId: "known", redirect: "http://127.0.0.1:33418/callback" } as const;

export async function startOAuthOracle(): Promise<OAuthOracle> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${portOf(server.address())}`;
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), alg: "RS256", use: "sig" };
  const provider = await quietly(async () => {
    const { default: Provider } = await import("oidc-provider");
    return new Provider(baseUrl, {
      jwks: { keys: [jwk] },
      cookies: { keys: ["a key of the tests"] },
      adapter: memory(new Map()),
      clients: [
        {
          client_id: knownProgram.clientId,
          redirect_uris: [knownProgram.redirect],
          application_type: "native",
          token_endpoint_auth_method: "none",
          grant_types: ["authorization_code", "refresh_token"],
        },
      ],
      clientAuthMethods: ["none"],
      features: {
        devInteractions: { enabled: false },
        revocation: { enabled: true },
        registration: { enabled: true },
      },
      pkce: { required: () => true },
    });
  });
  server.on("request", provider.callback());
  return {
    baseUrl,
    paths: { token: "/token", revoke: "/token/revocation", register: "/reg" },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
