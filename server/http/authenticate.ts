import {
  type Auth,
  type DeviceScope,
  deviceScopes,
  type Endpoint,
  type MaintainerScope,
  maintainerScopes,
  type Scope,
} from "../../src/contract/endpoint.ts";
import { ApiError } from "../../src/contract/errors.ts";
import type { Deps } from "../deps.ts";
import { hashOf } from "../secrets/secrets.ts";
import {
  type AppKeyCredential,
  credentials,
  type DeviceCredential,
  type TokenCredential,
} from "../store/access/credentials.ts";
import { credentialsTopic } from "../store/engine/topics.ts";
import type { AgentCaller, AppCaller, Callers, ConsoleCaller, DeviceCaller } from "./handler.ts";
import { fieldOf } from "./invocation.ts";
import { cachedLookup } from "./lookup-cache.ts";
import type { PresentedCredentials } from "./presented-credentials.ts";

export type Authenticate = <A extends Auth>(auth: A, presented: PresentedCredentials) => Promise<Callers[A]>;

const isCredentialsTopic = (topic: string): boolean => topic === credentialsTopic;

type Ways = { readonly [A in Auth]: (presented: PresentedCredentials) => Promise<Callers[A]> };

/** Finds the caller of a request. A credential that is missing, malformed, unknown or revoked gets the same refusal. */
export function createAuthenticate(
  deps: Pick<Deps, "clock" | "database" | "log" | "settings">,
): Authenticate {
  const { database, settings } = deps;
  const findAppKey = cachedLookup(database, isCredentialsTopic, async (hash) => {
    const row = await credentials.findAppKey(database, hash);
    return row && { row, caller: appCaller(row) };
  });
  const findToken = cachedLookup(database, isCredentialsTopic, (hash) =>
    credentials.findToken(database, hash),
  );
  const findDevice = cachedLookup(database, isCredentialsTopic, async (hash) => {
    const row = await credentials.findDevice(database, hash);
    return row && { row, caller: deviceCaller(row), expiresAt: Date.parse(row.expiresAt) };
  });
  const touch = createTouch(deps);

  const person = async ({ sessionId, mutates, origin }: PresentedCredentials): Promise<ConsoleCaller> => {
    const id = hashOf(sessionId ?? "");
    const row = await credentials.findSession(database, id, deps.clock.now().toISOString());
    if (!row || sessionId === undefined) throw new ApiError("sign_in_required");
    if (mutates && !isOwnOrigin(origin, settings)) {
      throw new ApiError("forbidden", { message: "This must be sent from a page of the console." });
    }
    return { kind: "session", id, ...row, scopes: maintainerScopes, appId: null };
  };

  const token = async (kind: string, { authorization }: PresentedCredentials): Promise<TokenCredential> => {
    const hash = hashOf(bearerOf(authorization));
    const row = await findToken(hash);
    if (!row || row.kind !== kind) throw new ApiError("invalid_token");
    touch(hash, row, credentials.touchToken);
    return row;
  };

  const ways: Ways = {
    none: async () => undefined,
    async appKey({ apiKey }) {
      const hash = hashOf(apiKey ?? "");
      const known = await findAppKey(hash);
      if (!known) throw new ApiError("invalid_api_key");
      touch(hash, known.row, credentials.touchAppKey);
      return known.caller;
    },
    async agentToken(presented) {
      const { id, userId, appId } = await token("agent", presented);
      return { kind: "agentToken", id, userId, appId } satisfies AgentCaller;
    },
    async deviceToken({ authorization }) {
      const hash = hashOf(bearerOf(authorization));
      const known = await findDevice(hash);
      if (!known || known.expiresAt <= deps.clock.now().getTime()) throw new ApiError("invalid_token");
      touch(hash, known.row, credentials.touchDevice);
      return known.caller;
    },
    async console(presented) {
      if (presented.authorization === undefined) return person(presented);
      const { id, userId, email, appId, scopes } = await token("maintainer", presented);
      return { kind: "maintainerToken", id, userId, email, appId, scopes: maintainerScopesOf(scopes) };
    },
    async session(presented) {
      // Only a person may decide, and a request with a bearer token does not come from a browser.
      if (presented.authorization !== undefined) throw new ApiError("sign_in_required");
      return person(presented);
    },
  };
  return (auth, presented) => ways[auth](presented);
}

const intakeScopes: readonly MaintainerScope[] = [];

const appCaller = ({ id, appId, ownerId, kind, ...row }: AppKeyCredential): AppCaller => ({
  kind: "appKey",
  id,
  appId,
  ownerId,
  feedbackEnabled: row.feedbackEnabled === 1,
  changelogEnabled: row.changelogEnabled === 1,
  faqsVersion: row.faqsVersion,
  changelogVersion: row.changelogVersion,
  scopes: kind === "full" ? maintainerScopes : intakeScopes,
});

const deviceCaller = ({ id, userId, email, scopes }: DeviceCredential): DeviceCaller => ({
  kind: "deviceToken",
  id,
  userId,
  email,
  scopes: deviceScopesOf(scopes),
});

function maintainerScopesOf(json: string): MaintainerScope[] {
  const granted: unknown = JSON.parse(json);
  return maintainerScopes.filter((scope) => Array.isArray(granted) && granted.includes(scope));
}

function deviceScopesOf(json: string): DeviceScope[] {
  const granted: unknown = JSON.parse(json);
  return deviceScopes.filter((scope) => Array.isArray(granted) && granted.includes(scope));
}

const bearerOf = (authorization: string | undefined): string =>
  /^bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? "";

/** Throws `insufficient_scope` if the caller lacks the scope of the endpoint, and is not the token that it is about. */
export function requireScope(
  { scope, ownToken }: Endpoint,
  { caller, params }: { readonly caller: Callers[Auth]; readonly params: unknown },
): void {
  if (!scope || !caller || !("scopes" in caller)) return;
  if (ownToken && caller.kind === "maintainerToken" && fieldOf(params, ownToken) === caller.id) return;
  const granted: readonly Scope[] = caller.scopes;
  if (granted.includes(scope)) return;
  throw new ApiError("insufficient_scope", { message: `The credential lacks the scope \`${scope}\`.` });
}

/** Whether a request that changes something comes from a page of this deployment. */
export function isOwnOrigin(origin: string | undefined, { baseUrl, consoleUrl }: Deps["settings"]): boolean {
  return origin !== undefined && [baseUrl, consoleUrl].some((url) => new URL(url).origin === origin);
}

interface Touched {
  readonly id: string;
  readonly lastUsedAt: string | null;
}

const hourMilliseconds = 3_600_000;

/**
 * Records the hour of a credential's last use. The request does not wait for it. The hour is kept by the hash, so that a
 * new credential in the place of an old one is recorded too.
 */
function createTouch({ database, clock, log }: Pick<Deps, "database" | "clock" | "log">) {
  const touched = new Map<string, number>();
  return (hash: string, { id, lastUsedAt }: Touched, write: typeof credentials.touchToken) => {
    const hour = Math.floor(clock.now().getTime() / hourMilliseconds);
    if (touched.get(hash) === hour) return;
    touched.set(hash, hour);
    const at = new Date(hour * hourMilliseconds).toISOString();
    if (lastUsedAt === at) return;
    database
      .write((tx) => write(tx, id, at))
      .catch((error) => log.warn({ err: error }, "last use not recorded"));
  };
}
