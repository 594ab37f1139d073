import type { AuditActionName } from "../../../src/contract/audit.ts";
import type { connectionConsent as contract } from "../../../src/contract/devices.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { textAt } from "../../../src/contract/json.ts";
import { challengeOf, verifierPattern } from "../../../src/contract/pkce.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { consume } from "../../http/rate-limits/store.ts";
import { createSealer, hashOf, mintCredential, randomName } from "../../secrets/secrets.ts";
import { ownedApp } from "../apps/owned-app.ts";
import { createAuditWriter } from "../audit/record.ts";
import { audit } from "../audit/store.ts";
import { tokens } from "../tokens/store.ts";
import { isClientRedirect, lifetimes, programName, refreshVerdict } from "./rules.ts";
import { type OAuthCodeRow, oauthClients, oauthCodes, oauthTokens } from "./store.ts";

type ConnectionsDeps = Pick<Deps, "clock" | "database" | "newId" | "settings">;

/** The request of a program to exchange a code for tokens. */
interface CodeExchange {
  readonly code: string;
  readonly clientId: string;
  readonly redirect: string;
  readonly verifier: string;
  readonly address: string;
}

/** New tokens for a program, with their scopes. */
interface Grant extends TokenPair {
  readonly scopes: readonly string[];
}

const badGrant = () =>
  new OAuthFault(
    "invalid_grant",
    "The code or refresh token is unknown, used, expired, or of another client. Start again at the authorization endpoint.",
  );

/**
 * Returns the error for an invalid code or refresh token. A program whose registration is unknown gets
 * `invalid_client`, so that it registers again. Otherwise the program would send its user to an error page at each
 * attempt. (rule A71)
 */
async function refusalTo(clientId: string, { database }: ConnectionsDeps): Promise<OAuthFault> {
  return (await isKnownClient(database, clientId))
    ? badGrant()
    : new OAuthFault("invalid_client", "The registration of this program is unknown. Register it again.");
}

/**
 * Exchanges a code for a new connection. If that fails, the error does not show why. If a code is used a second time,
 * two programs have it. Then the connection of the first use ends. (rule A47)
 */
export async function exchangeCode(deps: ConnectionsDeps, exchange: CodeExchange): Promise<Grant> {
  const refuse = () => refusalTo(exchange.clientId, deps);
  if (!verifierPattern.test(exchange.verifier)) throw await refuse();
  const challenge = await challengeOf(exchange.verifier);
  const codeHash = hashOf(exchange.code);
  // This check needs no transaction. So a stranger who guesses codes does not make other changes wait.
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

/**
 * Adds a connection as a row of `tokens`. Its hash is random and belongs to no secret, because only the access tokens
 * of a connection are credentials.
 */
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
 * Exchanges a refresh token for the next pair of tokens. A repeat within a minute gets the same pair. A later repeat
 * ends the connection, because two programs have the token. (rule A48)
 */
export async function refreshConnection(
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

/** Throws `rate_limited` if a program refreshes in a loop. (rule A70) */
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

/** Ends the connection of an access or refresh token. Does nothing for an unknown token. (RFC 7009) */
export async function revokeToken(
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

/** Ends a connection, and writes that to the audit. (rule A49) */
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

/** An access token and its refresh token. */
export interface TokenPair {
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

/** Stores the hashes of a pair. */
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

/**
 * Seals a pair of tokens with the refresh token that the pair replaces. So only a program with the old refresh token
 * can decrypt the pair.
 */
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

/** A registered program. */
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
 * Registers a program. The registration is deleted after a day if nobody has allowed the program to connect. (RFC 7591;
 * rule A45)
 */
export async function registerClient(
  { clock, database, newId }: Pick<Deps, "clock" | "database" | "newId">,
  { name, redirects }: { readonly name: unknown; readonly redirects: readonly string[] },
): Promise<OAuthClient & { readonly createdAt: string }> {
  if (redirects.length === 0 || redirects.length > mostRedirects)
    throw new OAuthFault("invalid_redirect_uri", `Send 1 to ${mostRedirects} redirect_uris.`);
  if (!redirects.every(isClientRedirect))
    throw new OAuthFault(
      "invalid_redirect_uri",
      "Each of redirect_uris must be an https address, an http address on localhost, or an address whose scheme is that of an app and has a domain (com.example.app). It must have no user, no fragment, and none of the query parameters `code`, `error`, `state` and `iss`.",
    );
  const clientName = programName(name) || "An agent without a name";
  const client = { id: newId(), name: clientName, createdAt: clock.now().toISOString() };
  await database.write((tx) => oauthClients.insert(tx, { ...client, redirects: JSON.stringify(redirects) }));
  return { ...client, redirects, host: null };
}

/**
 * Finds a registration. PostgreSQL refuses texts with NUL characters, so the format of the id is checked before the
 * query.
 */
const registered = async (reader: Reader, id: string) =>
  /^[\w-]{1,100}$/.test(id) ? oauthClients.find(reader, id) : undefined;

/**
 * Whether an id can belong to a program, because it is registered or is an https address. This function does not read
 * the document at the address.
 */
export const isKnownClient = async (reader: Reader, id: string): Promise<boolean> =>
  id.startsWith("https://") || (await registered(reader, id)) !== undefined;

/** The error text for an id that is not registered. */
export const unknownClient = "is not registered on this server, or its registration has expired";

/**
 * Finds a program by its id. The id is the address of a document, or the id of a registration. The message of the error
 * describes the problem.
 */
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
export type OAuthCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_target"
  | "unsupported_grant_type"
  | "temporarily_unavailable"
  | "server_error"
  | "invalid_redirect_uri"
  | "invalid_client_metadata";

/** The refusal of a program's request. The message describes what to do. */
export class OAuthFault extends Error {
  readonly code: OAuthCode;

  constructor(code: OAuthCode, message: string) {
    super(message);
    this.name = "OAuthFault";
    this.code = code;
  }
}

/**
 * Returns the handler that the consent page calls when a person allows a connection. The handler creates the code that
 * the program exchanges for the connection. (rule A44)
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
