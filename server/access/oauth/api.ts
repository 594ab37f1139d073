import type { Context } from "koa";
import type { AuditActionName } from "../../../src/contract/audit.ts";
import { connectionScopes } from "../../../src/contract/endpoint.ts";
import { ApiError, type ErrorCode } from "../../../src/contract/errors.ts";
import { fieldsOf, textAt } from "../../../src/contract/json.ts";
import { limits, type RateLimitName } from "../../../src/contract/limits.ts";
import { challengeOf, verifierPattern } from "../../../src/contract/pkce.ts";
import { consentPath, type connectionConsent as contract } from "../../../src/contract/sign-in.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { answerErrors, sentencesOf } from "../../http/answers.ts";
import {
  counted,
  mediaTypeOf,
  readBytes,
  readJson,
  refuseEncoded,
  type Sending,
} from "../../http/body/read-body.ts";
import type { Handlers } from "../../http/handler.ts";
import type { Route, SharedSteps } from "../../http/pipeline.ts";
import { limitApplies, networkOf, senderOf, spendAsStranger } from "../../http/rate-limits/rate-limits.ts";
import { consume } from "../../http/rate-limits/store.ts";
import { createSealer, hashOf, mintCredential, randomName } from "../../secrets/secrets.ts";
import type { Settings } from "../../settings/settings.ts";
import { ownedApp } from "../apps/store.ts";
import { createAuditWriter } from "../audit/record.ts";
import { audit } from "../audit/store.ts";
import { tokens } from "../tokens/store.ts";
import { isClientRedirect, lifetimes, programName, refreshVerdict } from "./rules.ts";
import { type OAuthCodeRow, oauthClients, oauthCodes, oauthTokens } from "./store.ts";

type OAuthDeps = Pick<Deps, "clock" | "database" | "log" | "newId" | "settings">;

/** Returns the routes of the OAuth endpoints that programs call. The consent page is in `page.tsx`. */
export function oauthRoutes(deps: OAuthDeps, steps: SharedSteps): Route[] {
  const { settings } = deps;
  if (!settings.mcp) return [];
  const { resource, server } = metadataPaths(settings);
  const orFault = createFaultAnswers(deps);
  const post = (path: `/${string}`, wrong: OAuthCode, answer: (ctx: Context) => Promise<void>): Route => ({
    method: "POST",
    path,
    answer(ctx) {
      // Older programs evaluate only `Pragma`, not `Cache-Control`. (RFC 6749 5.1)
      ctx.set({ "Cache-Control": "no-store", Pragma: "no-cache" });
      return orFault(ctx, wrong, () => answer(ctx));
    },
  });
  return [
    ...resource.map((path) => document(path, resourceMetadata(settings))),
    ...server.map((path) => document(path, serverMetadata(settings))),
    post(oauthPaths.token, "invalid_request", async (ctx) => {
      const address = await countAddress(ctx, deps, { steps, rateLimit: "connectionsByAddress" });
      const form = await formOf(ctx, steps);
      if (ctx.req.headers.authorization !== undefined && form.one("client_id") === "")
        throw new OAuthFault("invalid_client", "Send the `client_id` in the form, without a secret.");
      ctx.body = await tokenAnswer(deps, form, address);
    }),
    post(oauthPaths.revoke, "invalid_request", async (ctx) => {
      const address = await countAddress(ctx, deps, { steps, rateLimit: "connectionsByAddress" });
      const form = await formOf(ctx, steps);
      await revokeToken(deps, { token: form.needed("token"), clientId: form.one("client_id"), address });
      ctx.body = {};
    }),
    post(oauthPaths.register, "invalid_client_metadata", (ctx) => register(ctx, deps, steps)),
  ];
}

const document = (path: string, body: object): Route => ({
  method: "GET",
  path: `/${path.replace(/^\//, "")}`,
  async answer(ctx) {
    ctx.set("Cache-Control", "public, max-age=300");
    // The metadata is not secret, and programs that run in a browser must be able to read the metadata.
    ctx.set("Access-Control-Allow-Origin", "*");
    ctx.body = body;
  },
});

/**
 * Counts a request against the rate limit of its network. Returns the network address. Throws `rate_limited`.
 */
async function countAddress(
  { req }: Context,
  deps: OAuthDeps,
  { steps, rateLimit }: { readonly steps: SharedSteps; readonly rateLimit: RateLimitName },
): Promise<string> {
  const address = steps.addressOf(req);
  if (limitApplies(deps.settings, rateLimit))
    await spendAsStranger(deps, { who: networkOf(address), rateLimit });
  return address;
}

async function tokenAnswer(deps: OAuthDeps, form: Form, address: string): Promise<object> {
  refuseOtherResource(form.one("resource"), deps.settings);
  const clientId = form.needed("client_id");
  switch (form.needed("grant_type")) {
    case "authorization_code": {
      const [code, redirect, verifier] = [
        form.needed("code"),
        form.one("redirect_uri"),
        form.one("code_verifier"),
      ];
      const { scopes, ...pair } = await exchangeCode(deps, { code, clientId, redirect, verifier, address });
      return { ...answerWith(pair, deps), scope: scopes.join(" ") };
    }
    case "refresh_token":
      return answerWith(
        await refreshConnection(deps, { refreshToken: form.needed("refresh_token"), clientId, address }),
        deps,
      );
    default:
      throw new OAuthFault("unsupported_grant_type", "Send `authorization_code` or `refresh_token`.");
  }
}

/**
 * Throws `invalid_target` if `resource` is neither the MCP tools nor empty. Older programs send no `resource`.
 */
function refuseOtherResource(resource: string, settings: Deps["settings"]): void {
  if (resource === "" || resource.replace(/\/$/, "") === resourceOf(settings)) return;
  throw new OAuthFault("invalid_target", `Tokens of this server are for ${resourceOf(settings)}.`);
}

const answerWith = ({ access, refresh, expiresAt }: TokenPair, { clock }: Pick<Deps, "clock">) => ({
  access_token: access,
  token_type: "Bearer",
  expires_in: Math.max(0, Math.ceil((Date.parse(expiresAt) - clock.now().getTime()) / 1_000)),
  refresh_token: refresh,
});

async function register(ctx: Context, deps: OAuthDeps, steps: SharedSteps): Promise<void> {
  await countAddress(ctx, deps, { steps, rateLimit: "clientsByAddress" });
  const sending = sendingOf(ctx, steps);
  const body = await counted(sending, () => readJson(ctx.req, sending));
  const { client_name: name, redirect_uris: uris } = fieldsOf(body);
  const redirects: unknown[] = Array.isArray(uris) ? uris : [];
  const { id, createdAt, ...client } = await registerClient(deps, {
    name,
    redirects: redirects.map((each) => (typeof each === "string" ? each : "")),
  });
  ctx.status = 201;
  ctx.body = {
    client_id: id,
    client_id_issued_at: Math.floor(Date.parse(createdAt) / 1_000),
    client_name: client.name,
    redirect_uris: client.redirects,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
}

/** The fields of a form that a program sent. */
interface Form {
  /** Returns the value of a field; empty if the field is missing. Throws an OAuthFault if the field occurs twice. */
  one(name: string): string;
  /** Returns the value of a required field. Throws an OAuthFault if the field is missing or occurs twice. */
  needed(name: string): string;
}

const sendingOf = ({ req }: Context, { arrivals, addressOf }: SharedSteps): Sending => ({
  arrivals,
  sender: senderOf(undefined, addressOf(req)),
});

/** Reads the form that a program sent. Throws an ApiError if the body is not a form. */
async function formOf(ctx: Context, steps: SharedSteps): Promise<Form> {
  const sending = sendingOf(ctx, steps);
  const bytes = await counted(sending, async () => {
    refuseEncoded(ctx.req);
    if (mediaTypeOf(ctx.req) !== "application/x-www-form-urlencoded")
      throw new ApiError("unsupported_media_type");
    return readBytes(ctx.req, limits.anonymousBody, sending);
  });
  const fields = new URLSearchParams(bytes.toString("utf8"));
  const one = (name: string) => {
    const values = fields.getAll(name);
    if (values.length > 1) throw new OAuthFault("invalid_request", `Send \`${name}\` once.`);
    return values[0] ?? "";
  };
  return {
    one,
    needed(name) {
      const value = one(name);
      if (value === "") throw new OAuthFault("invalid_request", `Send \`${name}\`.`);
      return value;
    },
  };
}

/**
 * Creates a function that answers errors in OAuth format. `wrong` is the code for malformed requests. (RFC 6749
 * 5.2)
 */
function createFaultAnswers(deps: Pick<Deps, "log">) {
  return (ctx: Context, wrong: OAuthCode, act: () => Promise<void>): Promise<void> =>
    answerErrors(deps, (_, error) => answerFault(ctx, wrong, error))(ctx, async () => {
      try {
        await act();
      } catch (thrown) {
        if (!(thrown instanceof OAuthFault)) throw thrown;
        const { code, message } = thrown;
        send(ctx, code === "invalid_client" ? 401 : 400, code, message);
      }
    });
}

/** Sends an ApiError in the format of OAuth. Returns true, because the request is answered. */
export function answerFault(
  ctx: Context,
  wrong: OAuthCode,
  { code, status, message, details }: ApiError,
): true {
  const sentences = sentencesOf({ message, details });
  if (status === 500) sentences.push(`The requestId is ${ctx.state.requestId}.`);
  send(ctx, status, oauthCodeOf(code, status, wrong), sentences.join(" "));
  return true;
}

const waitingCodes: ReadonlySet<ErrorCode> = new Set(["rate_limited", "busy"]);

/**
 * Returns the OAuth code for an ApiError. `temporarily_unavailable` makes a program wait and keep its tokens.
 */
function oauthCodeOf(code: ErrorCode, status: number, wrong: OAuthCode): OAuthCode {
  if (waitingCodes.has(code)) return "temporarily_unavailable";
  return status >= 500 ? "server_error" : wrong;
}

function send(ctx: Context, status: number, code: OAuthCode, message: string): void {
  // The standard requires this header if the program sent credentials in a header. (RFC 6749 5.2)
  if (status === 401 && ctx.req.headers.authorization !== undefined)
    ctx.set("WWW-Authenticate", 'Basic realm="innkeep"');
  ctx.set("Cache-Control", "no-store");
  ctx.status = status;
  // OAuth allows only some characters in the description. All others become `'`.
  ctx.body = { error: code, error_description: message.replace(/[^ !#-[\]-~]/g, "'") };
}

type Addresses = Pick<Settings, "baseUrl">;

/** The paths as this server receives them. A reverse proxy removes the path of the base address. */
const oauthPaths = {
  token: "/oauth/token",
  register: "/oauth/register",
  revoke: "/oauth/revoke",
} as const;

const resourcePath = "/mcp";

/** Returns the address of the MCP tools. The address also names the tools as an OAuth resource. (RFC 8707) */
export const resourceOf = ({ baseUrl }: Addresses): string => baseUrl + resourcePath;

const wellKnown = (name: string): string => `/.well-known/${name}`;

/**
 * Returns where a refused program finds `resourceMetadata`. The address is below the base address, because some
 * proxies forward nothing else.
 */
export const metadataAddress = ({ baseUrl }: Addresses): string =>
  `${baseUrl}${wellKnown("oauth-protected-resource")}${resourcePath}`;

/**
 * Returns the metadata of the MCP tools as a resource. The metadata says which tokens the tools accept. (RFC
 * 9728)
 */
const resourceMetadata = (settings: Addresses) => ({
  resource: resourceOf(settings),
  authorization_servers: [settings.baseUrl],
  scopes_supported: connectionScopes,
  bearer_methods_supported: ["header"],
  resource_name: "Innkeep",
});

/** Returns the metadata of the authorization server. It says how a program gets tokens. (RFC 8414) */
const serverMetadata = ({ baseUrl }: Addresses) => ({
  issuer: baseUrl,
  authorization_endpoint: baseUrl + consentPath,
  token_endpoint: baseUrl + oauthPaths.token,
  registration_endpoint: baseUrl + oauthPaths.register,
  revocation_endpoint: baseUrl + oauthPaths.revoke,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  code_challenge_methods_supported: ["S256"],
  scopes_supported: connectionScopes,
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
});

/**
 * Returns the paths at which programs look for the metadata. A proxy may remove the path of the base address.
 */
function metadataPaths(settings: Addresses) {
  const base = new URL(settings.baseUrl).pathname.replace(/\/$/, "");
  const below = [...new Set(["", base])];
  const pathsOf = (name: string, suffixes: readonly string[]) => [
    ...new Set([
      ...suffixes.flatMap((suffix) => below.map((path) => path + wellKnown(name) + suffix)),
      ...suffixes.map((suffix) => wellKnown(name) + base + suffix),
      ...(suffixes.includes(resourcePath) ? below.map((path) => path + resourcePath + wellKnown(name)) : []),
    ]),
  ];
  return {
    resource: pathsOf("oauth-protected-resource", ["", resourcePath]),
    server: [
      ...pathsOf("oauth-authorization-server", ["", resourcePath]),
      ...pathsOf("openid-configuration", ["", resourcePath]),
    ],
  };
}

type ConnectionsDeps = Pick<Deps, "clock" | "database" | "newId" | "settings">;

/** The request of a program to exchange a code for tokens. */
interface CodeExchange {
  readonly code: string;
  readonly clientId: string;
  readonly redirect: string;
  readonly verifier: string;
  readonly address: string;
}

interface Grant extends TokenPair {
  readonly scopes: readonly string[];
}

const badGrant = () =>
  new OAuthFault(
    "invalid_grant",
    "The code or refresh token is unknown, used, expired, or of another client. Start again at the authorization endpoint.",
  );

/**
 * Returns the error for an invalid code or refresh token. `invalid_client` makes a program register again.
 * (rule A71)
 */
async function refusalTo(clientId: string, { database }: ConnectionsDeps): Promise<OAuthFault> {
  return (await isKnownClient(database, clientId))
    ? badGrant()
    : new OAuthFault("invalid_client", "The registration of this program is unknown. Register it again.");
}

/**
 * Exchanges a code for a new connection. Throws an OAuthFault for an invalid code. A second use ends the
 * connection. (rule A47)
 */
async function exchangeCode(deps: ConnectionsDeps, exchange: CodeExchange): Promise<Grant> {
  const refuse = () => refusalTo(exchange.clientId, deps);
  if (!verifierPattern.test(exchange.verifier)) throw await refuse();
  const challenge = await challengeOf(exchange.verifier);
  const codeHash = hashOf(exchange.code);
  // This check is outside of the transaction, so that other changes need not wait for a stranger who guesses
  // codes.
  if (!(await oauthCodes.isKnown(deps.database, codeHash))) throw await refuse();
  const pair = newTokenPair(deps);
  const granted = await deps.database.write(async (tx) => {
    const row = await oauthCodes.take(tx, codeHash);
    if (!row) return undefined;
    if (row.connectionId !== null) {
      await endConnection(deps, tx, { connectionId: row.connectionId, address: exchange.address });
      return undefined;
    }
    if (!matches(row, exchange, { challenge, now: deps.clock.now() })) return undefined;
    const connectionId = await insertConnection(deps, tx, row, exchange.address);
    await insertTokenPair(deps, tx, { pair, connectionId, clientId: row.clientId });
    await oauthCodes.use(tx, codeHash, connectionId);
    return { ...pair, scopes: scopesOf(row) };
  });
  if (!granted) throw await refuse();
  return granted;
}

const matches = (
  row: OAuthCodeRow,
  { clientId, redirect }: CodeExchange,
  { challenge, now }: { readonly challenge: string; readonly now: Date },
): boolean =>
  row.clientId === clientId &&
  row.redirect === redirect &&
  row.challenge === challenge &&
  Date.parse(row.expiresAt) > now.getTime();

function scopesOf({ scopes }: Pick<OAuthCodeRow, "scopes">): string[] {
  const granted: unknown = JSON.parse(scopes);
  return Array.isArray(granted) ? granted.map(String) : [];
}

/** Adds a connection as a row of `tokens`, and returns its id. The random `tokenHash` belongs to no secret. */
async function insertConnection(
  deps: ConnectionsDeps,
  tx: Transaction,
  row: OAuthCodeRow,
  address: string,
): Promise<string> {
  const id = deps.newId();
  const { userId, appId, scopes, clientName: label } = row;
  await tokens.insert(tx, {
    ...{ id, userId, kind: "oauth", label, scopes, appId, prefix: "sdo_" },
    tokenHash: hashOf(randomName()),
    createdAt: deps.clock.now().toISOString(),
    createdBy: row.email,
  });
  await record(deps, tx, { action: "connection.create", userId, appId, label, connectionId: id, address });
  return id;
}

/**
 * Exchanges a refresh token for the next pair of tokens. Throws an OAuthFault, and `rate_limited` for a refresh
 * loop. (rule A48)
 */
async function refreshConnection(
  deps: ConnectionsDeps,
  {
    refreshToken,
    clientId,
    address,
  }: { readonly refreshToken: string; readonly clientId: string; readonly address: string },
): Promise<TokenPair> {
  const tokenHash = hashOf(refreshToken);
  if (!(await oauthTokens.isKnown(deps.database, tokenHash))) throw await refusalTo(clientId, deps);
  const next = newTokenPair(deps);
  const pair = await deps.database.write(async (tx) => {
    const row = await oauthTokens.take(tx, tokenHash);
    if (row?.kind !== "refresh" || row.clientId !== clientId) return undefined;
    const now = deps.clock.now();
    const verdict = refreshVerdict(row, now);
    const { connectionId } = row;
    if (verdict === "replay") await endConnection(deps, tx, { connectionId, address });
    if (verdict === "repeat" && row.successor !== null) return openPair(row.successor, refreshToken);
    if (verdict !== "fresh") return undefined;
    await countRefresh(deps, tx, connectionId);
    await oauthTokens.use(tx, row, { usedAt: now.toISOString(), successor: sealPair(next, refreshToken) });
    await insertTokenPair(deps, tx, { pair: next, connectionId, clientId });
    return next;
  });
  if (!pair) throw await refusalTo(clientId, deps);
  return pair;
}

/** Counts a refresh of a connection. Throws `rate_limited` if a program refreshes in a loop. (rule A70) */
async function countRefresh(
  { clock, settings }: ConnectionsDeps,
  tx: Transaction,
  connectionId: string,
): Promise<void> {
  if (!settings.rateLimited) return;
  const rule = settings.rateLimits.refreshesByConnection;
  const verdict = await consume(tx, { key: `refreshesByConnection:${connectionId}`, rule, clock });
  if (!verdict.allowed) throw new ApiError("rate_limited", { retryAfterSeconds: verdict.retryAfterSeconds });
}

/** Ends the connection of a token. Ignores an unknown token and a token of another program. (RFC 7009) */
async function revokeToken(
  deps: ConnectionsDeps,
  {
    token,
    clientId,
    address,
  }: { readonly token: string; readonly clientId: string; readonly address: string },
): Promise<void> {
  const tokenHash = hashOf(token);
  if (!(await oauthTokens.isKnown(deps.database, tokenHash))) return;
  await deps.database.write(async (tx) => {
    const row = await oauthTokens.take(tx, tokenHash);
    if (!row || (clientId !== "" && clientId !== row.clientId)) return;
    await endConnection(deps, tx, { connectionId: row.connectionId, address });
  });
}

/** Ends a connection, and writes an audit entry. (rule A49) */
async function endConnection(
  deps: ConnectionsDeps,
  tx: Transaction,
  { connectionId, address }: { readonly connectionId: string; readonly address: string },
): Promise<void> {
  const ended = await oauthTokens.disconnect(tx, connectionId);
  if (ended) await record(deps, tx, { action: "connection.end", ...ended, connectionId, address });
}

const record = (
  { clock, newId }: ConnectionsDeps,
  tx: Transaction,
  {
    userId,
    connectionId,
    ...entry
  }: {
    readonly action: Extract<AuditActionName, `connection.${string}`>;
    readonly userId: string;
    readonly appId: string | null;
    readonly label: string;
    readonly connectionId: string;
    readonly address: string;
  },
): Promise<void> =>
  audit.insert(tx, {
    id: newId(),
    at: clock.now().toISOString(),
    ownerId: userId,
    actor: `agent, token ${connectionId}`,
    target: connectionId,
    ...entry,
  });

interface TokenPair {
  readonly access: string;
  readonly refresh: string;
  /** When the access token expires. */
  readonly expiresAt: string;
}

const newTokenPair = ({ clock }: Pick<Deps, "clock">): TokenPair => ({
  access: mintCredential("sdo_"),
  refresh: mintCredential("sdr_"),
  expiresAt: new Date(clock.now().getTime() + lifetimes.access).toISOString(),
});

/** Stores the hashes of the access token and of the refresh token in `pair`. */
async function insertTokenPair(
  { clock }: Pick<Deps, "clock">,
  tx: Transaction,
  { pair, ...of }: { readonly pair: TokenPair; readonly connectionId: string; readonly clientId: string },
): Promise<void> {
  const now = clock.now();
  const token = { ...of, createdAt: now.toISOString() };
  const access = { kind: "access", tokenHash: hashOf(pair.access), expiresAt: pair.expiresAt } as const;
  await oauthTokens.insert(tx, { ...token, ...access });
  const expiresAt = new Date(now.getTime() + lifetimes.refresh).toISOString();
  await oauthTokens.insert(tx, { ...token, kind: "refresh", tokenHash: hashOf(pair.refresh), expiresAt });
}

/** Encrypts a pair of tokens. Only a program with the replaced `refreshToken` can decrypt the pair. */
const sealPair = (pair: TokenPair, refreshToken: string): string =>
  createSealer(refreshToken).seal(JSON.stringify(pair));

function openPair(sealed: string, refreshToken: string): TokenPair {
  const pair: unknown = JSON.parse(createSealer(refreshToken).open(sealed));
  return {
    access: textAt(pair, "access"),
    refresh: textAt(pair, "refresh"),
    expiresAt: textAt(pair, "expiresAt"),
  };
}

/**
 * A program that can ask for a connection. It is registered, or a document at an https address describes it.
 */
export interface OAuthClient {
  readonly id: string;
  readonly name: string;
  readonly redirects: readonly string[];
  /**
   * The host of the document that states the program's name; null if the program stated the name when it registered.
   */
  readonly host: string | null;
}

const mostRedirects = 10;

/**
 * Registers a program. Throws an OAuthFault for redirect addresses that are not allowed. (RFC 7591; rule A45)
 */
async function registerClient(
  { clock, database, newId }: Pick<Deps, "clock" | "database" | "newId">,
  { name, redirects }: { readonly name: unknown; readonly redirects: readonly string[] },
): Promise<OAuthClient & { readonly createdAt: string }> {
  if (redirects.length === 0 || redirects.length > mostRedirects)
    throw new OAuthFault("invalid_redirect_uri", `Send 1 to ${mostRedirects} redirect_uris.`);
  if (!redirects.every(isClientRedirect))
    throw new OAuthFault(
      "invalid_redirect_uri",
      "Each of redirect_uris must be one of these: an https address; an http address on localhost; an address with an app's scheme that contains a domain, such as com.example.app. None of them may have a user, a fragment, or a query parameter `code`, `error`, `state` or `iss`.",
    );
  const clientName = programName(name) || "An agent without a name";
  const client = { id: newId(), name: clientName, createdAt: clock.now().toISOString() };
  await database.write((tx) => oauthClients.insert(tx, { ...client, redirects: JSON.stringify(redirects) }));
  return { ...client, redirects, host: null };
}

/** Checks the format of the id first, because PostgreSQL refuses texts with NUL characters. */
const registered = async (reader: Reader, id: string) =>
  /^[\w-]{1,100}$/.test(id) ? oauthClients.find(reader, id) : undefined;

/** Whether an id is registered or is an https address. Does not read the document at the address. */
export const isKnownClient = async (reader: Reader, id: string): Promise<boolean> =>
  id.startsWith("https://") || (await registered(reader, id)) !== undefined;

/** The message of the error for an id that is not registered. */
export const unknownClient = "is not registered on this server, or its registration has expired";

/** Finds a program by the address of its document or the id of its registration. Otherwise throws an Error. */
export async function findClient(
  { database, readClientDocument }: Pick<Deps, "database" | "readClientDocument">,
  id: string,
): Promise<OAuthClient> {
  if (id.startsWith("https://")) {
    const { name, redirects } = await readClientDocument(id);
    const { host } = new URL(id);
    return { id, name: programName(name) || host, redirects, host };
  }
  const row = await registered(database, id);
  if (!row) throw new Error(unknownClient);
  const redirects: unknown = JSON.parse(row.redirects);
  return { id, name: row.name, redirects: Array.isArray(redirects) ? redirects.map(String) : [], host: null };
}

/** The error codes of OAuth that programs get. (RFC 6749 4.1.2.1 and 5.2, RFC 7591 3.2.2) */
type OAuthCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_target"
  | "unsupported_grant_type"
  | "temporarily_unavailable"
  | "server_error"
  | "invalid_redirect_uri"
  | "invalid_client_metadata";

/** The error for a wrong request of a program. The message says what the program should do. */
class OAuthFault extends Error {
  readonly code: OAuthCode;

  constructor(code: OAuthCode, message: string) {
    super(message);
    this.name = "OAuthFault";
    this.code = code;
  }
}

/**
 * Returns the handler of the consent page. It creates the code that the program exchanges for the connection. (rule
 * A44)
 */
export function connectionConsentHandlers(deps: Pick<Deps, "clock" | "newId">): Handlers<typeof contract> {
  const record = createAuditWriter(deps);
  return {
    allow({ caller, address, body, save }) {
      const code = randomName();
      const now = deps.clock.now();
      return save(async (tx) => {
        const { appId, clientId, clientName } = body;
        if (appId !== null) await ownedApp(tx, appId, caller);
        await oauthCodes.insert(tx, {
          ...body,
          codeHash: hashOf(code),
          userId: caller.userId,
          scopes: JSON.stringify(["read", ...body.scopes.filter((scope) => scope !== "read")]),
          createdAt: now.toISOString(),
          expiresAt: new Date(now.getTime() + lifetimes.code).toISOString(),
        });
        await oauthClients.use(tx, clientId, now.toISOString());
        await record(
          tx,
          { caller, address },
          { action: "connection.allow", appId, target: clientId, label: clientName },
        );
        return { code };
      });
    },
  };
}
