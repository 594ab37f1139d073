import type { Transaction } from "../../../database/database.ts";
import type { Deps } from "../../../deps.ts";
import { createSealer, hashOf, mintCredential } from "../../../secrets/secrets.ts";
import { lifetimes } from "../rules.ts";
import { oauthTokens } from "../store.ts";

/** A new access token and the refresh token that follows it. */
export interface TokenPair {
  readonly access: string;
  readonly refresh: string;
  /** When the access token expires. */
  readonly expiresAt: string;
}

export const newTokenPair = ({ clock }: Pick<Deps, "clock">): TokenPair => ({
  access: mintCredential("sdo_"),
  refresh: mintCredential("sdr_"),
  expiresAt: new Date(clock.now().getTime() + lifetimes.access).toISOString(),
});

/** Stores the hashes of a pair. */
export async function insertTokenPair(
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

/** Seals the answer to the use of a refresh token, so that only who has that token can open it. */
export const sealPair = (pair: TokenPair, refreshToken: string): string =>
  createSealer(refreshToken).seal(JSON.stringify(pair));

export function openPair(sealed: string, refreshToken: string): TokenPair {
  const pair: unknown = JSON.parse(createSealer(refreshToken).open(sealed));
  const field = (name: string) =>
    typeof pair === "object" && pair !== null ? String(Reflect.get(pair, name)) : "";
  return { access: field("access"), refresh: field("refresh"), expiresAt: field("expiresAt") };
}
