import { isIP } from "node:net";
import type { PasskeyCreation, PasskeyRequest } from "../../../src/contract/account.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { consume } from "../../http/rate-limits/store.ts";
import { randomName } from "../../secrets/secrets.ts";
import type { PasskeyRow } from "./store.ts";

/** The account whose passkey is requested, and its passkeys. */
interface PasskeyAccount {
  readonly user: { readonly id: string; readonly email: string };
  readonly host: string;
  readonly rows: readonly PasskeyRow[];
}

/**
 * Creates the request for a passkey. Returns null if the account has no passkey, or the console's address
 * supports none.
 */
export function passkeyRequestFor(
  deps: Sealing & Pick<Deps, "settings">,
  user: PasskeyAccount["user"],
  rows: readonly PasskeyRow[],
): PasskeyRequest | null {
  const host = passkeyHost(deps.settings);
  return host === undefined || rows.length === 0 ? null : passkeyRequest(deps, { user, host, rows });
}

/** Creates the request that asks an authenticator for one of these passkeys. */
function passkeyRequest(deps: Sealing, { user, host, rows }: PasskeyAccount): PasskeyRequest {
  const challenge = randomName();
  return {
    ceremony: sealCeremony(deps, { kind: "passkey", userId: user.id, challenge }),
    options: {
      ...{ challenge, rpId: host, timeout: lifetimeMilliseconds, userVerification: "discouraged" },
      allowCredentials: rows.map(descriptorOf),
    },
  };
}

/** The accepted signature algorithms, by their COSE numbers: Ed25519, ECDSA with P-256, RSA. */
const algorithms = [-8, -7, -257];

/**
 * Creates the request for a new passkey. An authenticator with an existing passkey must not create a second
 * one.
 */
export function passkeyCreation(deps: Sealing, { user, host, rows }: PasskeyAccount): PasskeyCreation {
  const challenge = randomName();
  const { id, email: name } = user;
  return {
    ceremony: sealCeremony(deps, { kind: "new passkey", userId: id, challenge }),
    options: {
      challenge,
      rp: { id: host, name: "Innkeep" },
      user: { id: Buffer.from(id).toString("base64url"), name, displayName: name },
      pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key", alg })),
      timeout: lifetimeMilliseconds,
      attestation: "none",
      authenticatorSelection: { residentKey: "discouraged", userVerification: "discouraged" },
      excludeCredentials: rows.map(descriptorOf),
    },
  };
}

const descriptorOf = ({ credentialId, transports }: PasskeyRow) => ({
  ...{ type: "public-key" as const, id: credentialId, transports: namesIn(transports) },
});

function namesIn(json: string): string[] {
  const names: unknown = JSON.parse(json);
  return Array.isArray(names) ? names.map(String) : [];
}

const lifetimeMilliseconds = 600_000;

/** A challenge for an authenticator. The browser gets it encrypted, and sends it back with the answer. */
interface Ceremony {
  readonly kind: "passkey" | "new passkey";
  readonly userId: string;
  readonly challenge: string;
}

type Sealing = Pick<Deps, "sealer" | "clock">;

const sealCeremony = ({ sealer, clock }: Sealing, ceremony: Ceremony): string =>
  sealer.seal(JSON.stringify({ ...ceremony, expiresAt: clock.now().getTime() + lifetimeMilliseconds }));

/** Decrypts a challenge. Returns undefined if the challenge is invalid or expired, or does not fit `wanted`. */
export function openCeremony(
  { sealer, clock }: Sealing,
  sealed: string,
  wanted: Omit<Ceremony, "challenge">,
): Ceremony | undefined {
  try {
    const { kind, userId, challenge, expiresAt } = Object(JSON.parse(sealer.open(sealed)));
    const fits = kind === wanted.kind && userId === wanted.userId && typeof challenge === "string";
    return fits && clock.now().getTime() < Number(expiresAt) ? { ...wanted, challenge } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Records that this challenge was answered. Throws `invalid_second_factor` if it was answered before, on any server.
 */
export async function assertFirstUse(
  { clock }: Pick<Deps, "clock">,
  tx: Transaction,
  challengeHash: string,
): Promise<void> {
  const once = { limit: 1, windowSeconds: 1_200 };
  const { allowed } = await consume(tx, { key: `passkey:${challengeHash}`, rule: once, clock });
  if (!allowed) throw new ApiError("invalid_second_factor");
}

/** Returns the host for passkeys. Undefined for an IP address, because browsers need a host name. */
export function passkeyHost({ consoleUrl }: Pick<Deps["settings"], "consoleUrl">): string | undefined {
  const { hostname } = new URL(consoleUrl);
  return isIP(hostname.replace(/^\[|\]$/g, "")) === 0 ? hostname : undefined;
}

/** Returns the origins of the pages that may ask for passkeys. */
export const passkeyOrigins = ({ consoleUrl, baseUrl }: Pick<Deps["settings"], "consoleUrl" | "baseUrl">) => [
  ...new Set([consoleUrl, baseUrl].map((url) => new URL(url).origin)),
];
