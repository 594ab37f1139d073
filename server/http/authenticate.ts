import { randomBytes } from "node:crypto";
import type { Context } from "koa";
import {
  type AgentScope,
  type Auth,
  agentScopes,
  deviceScopes,
  type Endpoint,
  type MaintainerScope,
  maintainerScopes,
  type Scope,
} from "../../src/contract/endpoint.ts";
import { ApiError } from "../../src/contract/errors.ts";
import { shortTextAt } from "../../src/contract/json.ts";
import {
  type AppKeyCredential,
  credentials,
  type DeviceCredential,
  hourMilliseconds,
  hourOf,
  type TokenCredential,
} from "../access/credentials.ts";
import { accessTopic, appTopic, credentialsTopic, userTopic } from "../database/transaction.ts";
import type { Deps } from "../deps.ts";
import { hashOf, type Sealer } from "../secrets/secrets.ts";
import type { Settings } from "../settings/settings.ts";
import type { Lasting } from "./answers.ts";
import type { AgentCaller, AppCaller, Callers, ConsoleCaller, DeviceCaller, Request } from "./handler.ts";
import { cachedLookup } from "./memory.ts";

/**
 * Finds the caller of a request. Throws the same error for missing, malformed, unknown and revoked credentials. (rule
 * H6)
 */
export interface Authenticate {
  <A extends Auth>(auth: A, presented: PresentedCredentials): Promise<Callers[A]>;
  /**
   * Returns how long an answer may be sent again without authentication. `isCurrent` says whether the
   * credential still belongs to `caller`.
   */
  readonly lasting: (
    auth: KeptAuth,
    presented: Pick<PresentedCredentials, "apiKey" | "authorization">,
    caller: NonNullable<Callers[Auth]>,
  ) => Lasting;
}

/** The kinds of credentials that the server caches. */
type KeptAuth = "appKey" | "agentToken" | "deviceToken";

export const isKept = (auth: Auth): auth is KeptAuth =>
  auth === "appKey" || auth === "agentToken" || auth === "deviceToken";

type Authenticators = { readonly [A in Auth]: (presented: PresentedCredentials) => Promise<Callers[A]> };

export function createAuthenticate(
  deps: Pick<Deps, "clock" | "database" | "log" | "memory" | "settings">,
): Authenticate {
  const find = createFindCredentials(deps);
  const touch = createTouch(deps);

  const person = createFindPerson(deps, touch);

  // A token that has expired is refused like a revoked token. (rule K32)
  const token = async (kind: string, { authorization }: PresentedCredentials): Promise<KnownToken> => {
    const hash = hashOf(bearerOf(authorization));
    const known = await find.findToken(hash);
    if (known?.row.kind !== kind || known.expiresAt <= deps.clock.now().getTime())
      throw new ApiError("invalid_token");
    touch(hash, known.row, credentials.touchToken);
    return known;
  };

  const authenticators: Authenticators = {
    none: async () => undefined,
    async appKey({ apiKey }) {
      const hash = hashOf(apiKey ?? "");
      const known = await find.findAppKey(hash);
      if (!known) throw new ApiError("invalid_api_key");
      touch(hash, known.row, credentials.touchAppKey);
      return known.caller;
    },
    async agentToken(presented) {
      return (await token("agent", presented)).agent;
    },
    async deviceToken({ authorization }) {
      const hash = hashOf(bearerOf(authorization));
      const known = await find.findDevice(hash);
      if (!known || known.expiresAt <= deps.clock.now().getTime()) throw new ApiError("invalid_token");
      touch(hash, known.row, credentials.touchDevice);
      return known.caller;
    },
    async console(presented) {
      if (presented.authorization === undefined) return person(presented);
      return maintainerCaller((await token("maintainer", presented)).row);
    },
    async session(presented) {
      // Only a person may use this endpoint. A bearer token comes from a program. (rule K8)
      if (presented.authorization !== undefined)
        throw new ApiError("sign_in_required", {
          message: "This is not possible with a token. Sign in to the console.",
        });
      return person(presented);
    },
  };
  const authenticate = <A extends Auth>(auth: A, presented: PresentedCredentials) =>
    authenticators[auth](presented);
  return Object.assign(authenticate, { lasting: createLasting(find, touch) });
}

const createLasting =
  ({ findAppKey, findToken, findDevice }: ReturnType<typeof createFindCredentials>, touch: Touch) =>
  (
    auth: KeptAuth,
    { apiKey, authorization }: Pick<PresentedCredentials, "apiKey" | "authorization">,
    caller: NonNullable<Callers[Auth]>,
  ): Lasting => {
    const hash = hashOf(auth === "appKey" ? (apiKey ?? "") : bearerOf(authorization));
    const { from, until } = touch.recorded(hash);
    const ends = {
      appKey: () => undefined,
      agentToken: () => findToken.peek(hash)?.expiresAt,
      deviceToken: () => findDevice.peek(hash)?.expiresAt,
    }[auth]();
    const callerNow = {
      appKey: () => findAppKey.peek(hash)?.caller,
      agentToken: () => findToken.peek(hash)?.agent,
      deviceToken: () => findDevice.peek(hash)?.caller,
    }[auth];
    return { from, until: Math.min(until, ends ?? until), isCurrent: () => callerNow() === caller };
  };

/** The topics whose signals mean that any credential may have changed. */
export const topicsOfAllCredentials: readonly string[] = [credentialsTopic];

/** The topics whose signals drop a token from memory. */
export const topicsOfToken = ({ userId, appId }: Pick<TokenCredential, "userId" | "appId">): string[] => [
  userTopic(userId),
  ...(appId === null ? [] : [accessTopic(appId)]),
];

/** Creates functions that find credentials by their hashes, in memory or in the database. */
function createFindCredentials({ database, memory }: Pick<Deps, "database" | "memory">) {
  const dropAll = topicsOfAllCredentials;
  return {
    findAppKey: cachedLookup({
      ...{ memory, dropAll },
      load: async (hash) => {
        const row = await credentials.findAppKey(database, hash);
        return row && { row, caller: appCaller(row) };
      },
      topicsOf: ({ caller }) => [appTopic(caller.appId), accessTopic(caller.appId)],
    }),
    findToken: cachedLookup({
      ...{ memory, dropAll },
      load: async (hash) => {
        const row = await credentials.findToken(database, hash);
        return (
          row && { row, agent: agentCaller(row, agentScopesOf(row.scopes)), expiresAt: endOf(row.expiresAt) }
        );
      },
      topicsOf: ({ row }) => topicsOfToken(row),
    }),
    findDevice: cachedLookup({
      ...{ memory, dropAll },
      load: async (hash) => {
        const row = await credentials.findDevice(database, hash);
        return row && { row, caller: deviceCaller(row), expiresAt: Date.parse(row.expiresAt) };
      },
      topicsOf: ({ row }) => [userTopic(row.userId)],
    }),
  };
}

/**
 * Returns the person of a console session. Throws `sign_in_required` without a valid session. Throws
 * `forbidden` for a change from another site.
 */
const createFindPerson =
  ({ clock, database, settings }: Pick<Deps, "clock" | "database" | "settings">, touch: Touch) =>
  async ({ sessionId, mutates, origin }: PresentedCredentials): Promise<ConsoleCaller> => {
    const id = hashOf(sessionId ?? "");
    const row = await credentials.findSession(database, id, clock.now().toISOString());
    if (!row || sessionId === undefined) throw new ApiError("sign_in_required");
    if (mutates && !isOwnOrigin(origin, settings)) {
      throw new ApiError("forbidden", { message: "This request must come from a page of the console." });
    }
    touch(id, row, credentials.touchSession);
    const { userId, email } = row;
    return { kind: "session", id, userId, email, scopes: maintainerScopes, appId: null, needs: "owner" };
  };

const endOf = (expiresAt: string | null): number =>
  expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);

interface KnownToken {
  readonly row: TokenCredential;
  readonly expiresAt: number;
  /** The caller of a request with an agent token. */
  readonly agent: AgentCaller;
}

/** Returns the caller for an agent token. (rule K7) */
export const agentCaller = (
  { id, userId, appId }: Pick<TokenCredential, "id" | "userId" | "appId">,
  scopes: readonly AgentScope[],
): AgentCaller => ({ kind: "agentToken", id, userId, appId, needs: "owner", scopes });

const maintainerCaller = ({ id, userId, email, appId, scopes }: TokenCredential): ConsoleCaller => ({
  ...{ kind: "maintainerToken", id, userId, email, appId, needs: "owner" },
  scopes: maintainerScopesOf(scopes),
});

/** An intake key has no scopes, so it cannot change the FAQ. (rule K4) */
const intakeScopes: readonly MaintainerScope[] = [];

const appCaller = ({ id, appId, ownerId, kind, ...row }: AppKeyCredential): AppCaller => ({
  kind: "appKey",
  id,
  appId,
  ownerId,
  feedbackEnabled: row.feedbackEnabled === 1,
  changelogEnabled: row.changelogEnabled === 1,
  senderPages: row.senderPages === 1,
  blocksSenders: Number(row.blockedSenders) > 0,
  hasReceivers: Number(row.hasReceivers) > 0,
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

/** Returns the bearer token of a request, or an empty text if it has none. */
export const bearerOf = (authorization: string | undefined): string =>
  /^bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? "";

/** Throws `insufficient_scope` if the caller lacks the scope. A token needs no scope for an endpoint about itself. */
export function requireScope(
  { scope, ownToken }: Endpoint,
  { caller, params }: { readonly caller: Callers[Auth]; readonly params: unknown },
): void {
  if (!scope || !caller || !("scopes" in caller)) return;
  if (ownToken && caller.kind === "maintainerToken" && shortTextAt(params, ownToken) === caller.id) return;
  const granted: readonly Scope[] = caller.scopes;
  if (granted.includes(scope)) return;
  throw new ApiError("insufficient_scope", {
    message: `The credential does not have the scope \`${scope}\`.`,
  });
}

/** Returns the caller with the role of the endpoint in `needs`; unchanged if that role is `account`. */
export function asAsked({ role = "owner" }: Pick<Endpoint, "role">, caller: Callers[Auth]): Callers[Auth] {
  return caller && "needs" in caller && role !== "account" ? { ...caller, needs: role } : caller;
}

/** Whether the header `Origin` of a request is the origin of this server or of its console. */
export function isOwnOrigin(origin: string | undefined, { baseUrl, consoleUrl }: Deps["settings"]): boolean {
  return origin !== undefined && [baseUrl, consoleUrl].some((url) => new URL(url).origin === origin);
}

interface Touched {
  readonly id: string;
  readonly lastUsedAt: string | null;
}

/** Records the hour of a credential's last use. */
interface Touch {
  (hash: string, touched: Touched, write: typeof credentials.touchToken): void;
  /**
   * The hour for which a use is already recorded, in epoch milliseconds. Further uses in this hour are not recorded.
   */
  readonly recorded: (hash: string) => { readonly from: number; readonly until: number };
}

/** The maximum number of credentials whose last use is in memory. */
const mostRecorded = 100_000;

/**
 * Creates a function that records uses of credentials. `hash` identifies a credential, because a renewed
 * credential keeps its `id`.
 */
export function createTouch({ database, clock, log }: Pick<Deps, "database" | "clock" | "log">): Touch {
  const touched = new Map<string, string>();
  let present = "";
  const hourAt = createHourAt();
  const touch = (hash: string, { id, lastUsedAt }: Touched, write: typeof credentials.touchToken) => {
    const at = hourAt(clock.now());
    if (touched.get(hash) === at) return;
    if (at !== present) touched.clear();
    present = at;
    const [oldest] = touched.keys();
    if (touched.size >= mostRecorded && oldest !== undefined) touched.delete(oldest);
    touched.set(hash, at);
    if (lastUsedAt === at) return;
    database
      .write((tx) => write(tx, id, at))
      .catch((error) => log.warn({ err: error }, "the last use of a credential could not be recorded"));
  };
  const recorded = (hash: string) => {
    const from = Date.parse(touched.get(hash) ?? "");
    return { from, until: from + hourMilliseconds };
  };
  return Object.assign(touch, { recorded });
}

/** Creates a faster `hourOf` for every request. It computes the hour only once a minute. */
function createHourAt(): (at: Date) => string {
  let minute = Number.NaN;
  let hour = "";
  return (at) => {
    const asked = Math.floor(at.getTime() / 60_000);
    if (asked !== minute) hour = hourOf(at);
    minute = asked;
    return hour;
  };
}

/**
 * Creates a function that parses a stored list of scopes. It ignores scopes that this kind of credential cannot have.
 */
const grantedOf =
  <S extends Scope>(possible: readonly S[]) =>
  (json: string): S[] => {
    const granted: unknown = JSON.parse(json);
    return possible.filter((scope) => Array.isArray(granted) && granted.includes(scope));
  };

const maintainerScopesOf = grantedOf(maintainerScopes);

const deviceScopesOf = grantedOf(deviceScopes);

/** Returns the granted scopes of an agent token from its stored list. */
export const agentScopesOf = grantedOf(agentScopes);

/** The credentials of a request, before they are checked. */
export interface PresentedCredentials {
  readonly apiKey: string | undefined;
  readonly authorization: string | undefined;
  readonly sessionId: string | undefined;
  /** The cookie with the accounts to which the browser has signed in. */
  readonly known: string | undefined;
  /** Whether the request changes something. */
  readonly mutates: boolean;
  readonly userAgent: string | undefined;
  /** The header `Origin`: the site of the page that sent the request. */
  readonly origin: string | undefined;
}

export const nothingPresented: PresentedCredentials = {
  apiKey: undefined,
  authorization: undefined,
  sessionId: undefined,
  known: undefined,
  mutates: false,
  userAgent: undefined,
  origin: undefined,
};

export type ReadCredentials = (ctx: Context, mutates: boolean) => PresentedCredentials;

/** Reads the credentials of requests from their headers and cookies. */
export function createReadCredentials(settings: Pick<Settings, "consoleUrl">): ReadCredentials {
  const cookie = sessionCookie(settings);
  return (ctx, mutates) => {
    const {
      "x-api-key": apiKey,
      authorization,
      cookie: cookies,
      origin,
      "user-agent": userAgent,
    } = ctx.req.headers;
    // Most requests of the API have no cookies, so Koa's cookie parser is not called.
    const { sessionId, known } = cookies === undefined ? noCookies : cookie.shown(ctx);
    return {
      apiKey: typeof apiKey === "string" ? apiKey : undefined,
      authorization,
      sessionId,
      known,
      userAgent,
      mutates,
      origin,
    };
  };
}

const noCookies = { sessionId: undefined, known: undefined };

const knownSeconds = 400 * 86_400;

/**
 * The cookies for the console session and for the accounts of earlier sign-ins. Scripts cannot read them.
 * (rule K9)
 */
export function sessionCookie({ consoleUrl }: Pick<Settings, "consoleUrl">) {
  const secure = consoleUrl.startsWith("https:");
  const name = secure ? "__Host-innkeep" : "innkeep";
  const knownName = `${name}-known`;
  const traits = `Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
  return {
    name,
    /** The values that the browser sent. */
    shown: ({ cookies }: Context) => ({ sessionId: cookies.get(name), known: cookies.get(knownName) }),
    set(ctx: Context, session: Parameters<Request["setSession"]>[0]): void {
      const value = session ? `${session.id}; Expires=${session.expiresAt.toUTCString()}` : "; Max-Age=0";
      const cookies = [`${name}=${value}; ${traits}`];
      // This cookie is valid for longer than the console session, because it is used when the person signs in again.
      if (session?.known) cookies.push(`${knownName}=${session.known}; Max-Age=${knownSeconds}; ${traits}`);
      ctx.set("Set-Cookie", cookies);
    },
  };
}

type Marking = Pick<Sealer, "mark">;

const mostAccounts = 5;

/**
 * A cookie with hashes of accounts from earlier sign-ins. Failed sign-ins elsewhere do not block a browser with
 * this cookie.
 */
export const knownBrowser = {
  /** Returns the id of the browser, or undefined if the browser has never signed in to this account. */
  idFor(sealer: Marking, kept: string | undefined, email: string): string | undefined {
    const [id = "", ...marks] = (kept ?? "").split(".");
    return marks.includes(markOf(sealer, id, email)) ? id : undefined;
  },

  /**
   * Returns the new value of the cookie. The account `email` is first, before the accounts of earlier sign-ins.
   */
  withAccount(sealer: Marking, kept: string | undefined, email: string): string {
    const [found = "", ...marks] = (kept ?? "").split(".");
    const id = /^[\w-]{22}$/.test(found) ? found : randomBytes(16).toString("base64url");
    const own = markOf(sealer, id, email);
    const others = id === found ? marks.filter((mark) => mark !== own && /^[0-9a-f]{32}$/.test(mark)) : [];
    return [id, own, ...others.slice(0, mostAccounts - 1)].join(".");
  },
};

const markOf = ({ mark }: Marking, id: string, email: string): string =>
  mark(`known browser\n${id}\n${email}`).slice(0, 32);
