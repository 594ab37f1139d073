import type { AuditActionName } from "../../../../src/contract/audit.ts";
import { ApiError } from "../../../../src/contract/errors.ts";
import { challengeOf, verifierPattern } from "../../../../src/contract/pkce.ts";
import type { Transaction } from "../../../database/database.ts";
import type { Deps } from "../../../deps.ts";
import { consume } from "../../../http/rate-limits/store.ts";
import { hashOf, randomName } from "../../../secrets/secrets.ts";
import { audit } from "../../audit/store.ts";
import { tokens } from "../../tokens/store.ts";
import { refreshVerdict } from "../rules.ts";
import { type OAuthCodeRow, oauthCodes, oauthTokens } from "../store.ts";
import { isKnownClient } from "./clients.ts";
import { OAuthFault } from "./oauth-fault.ts";
import { insertTokenPair, newTokenPair, openPair, sealPair, type TokenPair } from "./token-pair.ts";

type Needed = Pick<Deps, "clock" | "database" | "newId" | "settings">;

/** A program exchanges the code that a person's browser brought it. */
export interface CodeExchange {
  readonly code: string;
  readonly clientId: string;
  readonly redirect: string;
  readonly verifier: string;
  readonly address: string;
}

/** Tokens for a program, and what they allow. */
export interface Grant extends TokenPair {
  readonly scopes: readonly string[];
}

const badGrant = () =>
  new OAuthFault(
    "invalid_grant",
    "The code or refresh token is unknown, used, expired, or of another client. Start again at the authorization endpoint.",
  );

/**
 * The error for a code or refresh token that is not valid. A program with an unknown registration gets
 * `invalid_client`, so that it registers again. Otherwise it would send its user to an error page each time.
 */
async function refusalTo(clientId: string, { database }: Needed): Promise<OAuthFault> {
  return (await isKnownClient(database, clientId))
    ? badGrant()
    : new OAuthFault("invalid_client", "This server does not know the program. Register it again.");
}

/**
 * Makes a connection of a code. All refusals are alike. A second use of a code ends the connection of the first: two
 * programs have the code. (rule A47)
 */
export async function exchangeCode(deps: Needed, exchange: CodeExchange): Promise<Grant> {
  const refuse = () => refusalTo(exchange.clientId, deps);
  if (!verifierPattern.test(exchange.verifier)) throw await refuse();
  const challenge = await challengeOf(exchange.verifier);
  const codeHash = hashOf(exchange.code);
  // A stranger who guesses must not make other changes wait.
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
    const connectionId = await insertConnection(deps, tx, { row, address: exchange.address });
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

interface NewConnection {
  readonly row: OAuthCodeRow;
  readonly address: string;
}

/** A connection is a row among the tokens. Its own hash fits no secret: only its access tokens open anything. */
async function insertConnection(
  deps: Needed,
  tx: Transaction,
  { row, address }: NewConnection,
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

/** A program asks for its next pair of tokens. */
export interface Refresh {
  readonly refreshToken: string;
  readonly clientId: string;
  readonly address: string;
}

/**
 * Rotates a refresh token. Repeats within a minute get the same pair; a later use ends the connection, because two programs
 * have the token. (rule A48)
 */
export async function refreshConnection(
  deps: Needed,
  { refreshToken, clientId, address }: Refresh,
): Promise<TokenPair> {
  const tokenHash = hashOf(refreshToken);
  if (!(await oauthTokens.isKnown(deps.database, tokenHash))) throw await refusalTo(clientId, deps);
  const next = newTokenPair(deps);
  const given = await deps.database.write(async (tx) => {
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
  if (!given) throw await refusalTo(clientId, deps);
  return given;
}

/** Throws `rate_limited` if the program of the connection refreshes in a loop. (rule A70) */
async function countRefresh(
  { clock, settings }: Needed,
  tx: Transaction,
  connectionId: string,
): Promise<void> {
  if (!settings.rateLimited) return;
  const rule = settings.rateLimits.refreshesByConnection;
  const verdict = await consume(tx, { key: `refreshesByConnection:${connectionId}`, rule, clock });
  if (!verdict.allowed) throw new ApiError("rate_limited", { retryAfterSeconds: verdict.retryAfterSeconds });
}

/** Ends the connection of an access or refresh token. An unknown token needs no ending. (RFC 7009) */
export async function revokeToken(
  deps: Needed,
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

async function endConnection(
  deps: Needed,
  tx: Transaction,
  { connectionId, address }: { readonly connectionId: string; readonly address: string },
): Promise<void> {
  const ended = await oauthTokens.disconnect(tx, connectionId);
  if (ended) await record(deps, tx, { action: "connection.end", ...ended, connectionId, address });
}

interface Recorded {
  readonly action: Extract<AuditActionName, `connection.${string}`>;
  readonly userId: string;
  readonly appId: string | null;
  readonly label: string;
  readonly connectionId: string;
  readonly address: string;
}

const record = (
  { clock, newId }: Needed,
  tx: Transaction,
  { userId, connectionId, ...entry }: Recorded,
): Promise<void> =>
  audit.insert(tx, {
    id: newId(),
    at: clock.now().toISOString(),
    ownerId: userId,
    actor: `agent, token ${connectionId}`,
    target: connectionId,
    ...entry,
  });
