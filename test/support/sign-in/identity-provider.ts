import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import type { Adapter, AdapterPayload, Configuration } from "oidc-provider";

export interface Person {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

/** A real OpenID Connect provider with one client. It signs every visitor in immediately as the last named person. */
export interface TestIdentityProvider {
  readonly issuer: string;
  readonly clientSecret: string;
  /** Allows the client to use this redirect address. */
  register(redirectUri: string): void;
  signsIn(person: Person): void;
  stop(): Promise<void>;
}

export const clientId = "innkeep";

export async function startIdentityProvider(): Promise<TestIdentityProvider> {
  const clientSecret = "a secret that only the two of them know";
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${portOf(server.address())}`;
  const people = new Map<string, Person>();
  const kept = new Map<string, AdapterPayload>();
  let present: Person = { sub: "nobody" };
  const provider = await quietly(async () => {
    const { default: Provider } = await import("oidc-provider");
    return new Provider(issuer, {
      ...(await traits()),
      adapter: memory(kept),
      findAccount: (_, id) => ({
        accountId: id,
        claims: async () => ({ ...people.get(id), sub: id }),
      }),
      async loadExistingGrant({ oidc: { session, client, provider: its } }) {
        const grant = new its.Grant({ accountId: session?.accountId, clientId: client?.clientId });
        grant.addOIDCScope("openid email profile");
        await grant.save();
        return grant;
      },
    });
  });
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith("/interaction/")) return next();
    await provider.interactionFinished(ctx.req, ctx.res, { login: { accountId: present.sub } });
    ctx.respond = false;
  });
  server.on("request", provider.callback());
  return {
    issuer,
    clientSecret,
    register: (redirectUri) =>
      void kept.set(`Client:${clientId}`, {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
      }),
    signsIn(person) {
      present = person;
      people.set(person.sub, person);
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function traits(): Promise<Configuration> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  return {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: "RS256", use: "sig" }] },
    cookies: { keys: ["a key of the tests"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
  };
}

/** The stored data of the provider. */
export function memory(kept: Map<string, AdapterPayload>): (name: string) => Adapter {
  const findBy = async (test: (payload: AdapterPayload) => boolean) => [...kept.values()].find(test);
  return (name) => ({
    upsert: async (id, payload) => void kept.set(`${name}:${id}`, payload),
    find: async (id) => kept.get(`${name}:${id}`),
    findByUid: (uid) => findBy((payload) => payload.uid === uid && payload.kind === name),
    findByUserCode: (code) => findBy((payload) => payload.userCode === code),
    async consume(id) {
      const payload = kept.get(`${name}:${id}`);
      if (payload) payload.consumed = Math.floor(Date.now() / 1_000);
    },
    destroy: async (id) => void kept.delete(`${name}:${id}`),
    async revokeByGrantId(grantId) {
      for (const [key, payload] of kept) if (payload.grantId === grantId) kept.delete(key);
    },
  });
}

/** The provider's package prints a greeting on the console. */
export async function quietly<Result>(work: () => Promise<Result>): Promise<Result> {
  const { info, warn } = console;
  Object.assign(console, { info: () => {}, warn: () => {} });
  try {
    return await work();
  } finally {
    Object.assign(console, { info, warn });
  }
}

export function portOf(address: AddressInfo | string | null): number {
  if (typeof address === "object" && address !== null) return address.port;
  throw new Error("The provider does not listen.");
}
