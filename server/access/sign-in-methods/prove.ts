import { isIP } from "node:net";
import type { PasskeyCreation, PasskeyProof, PasskeyRequest } from "../../../src/contract/account.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { consume } from "../../http/rate-limits/store.ts";
import { isTotpCode, passkeyCounter, recoveryHash } from "../../secrets/second-factor.ts";
import { hashOf, randomName } from "../../secrets/secrets.ts";
import { notifyAccount } from "../accounts/changes.ts";
import { createAuditWriter } from "../audit/record.ts";
import { acceptedSteps, givenCode } from "../sign-in/rules.ts";
import { beginFactorAttempt, type Counted, uncountAttempt } from "../sign-in/verify.ts";
import { type PasskeyRow, passkeys, type SecondFactorRow, secondFactors } from "./store.ts";

export type ProvingDeps = Pick<Deps, "clock" | "database" | "newId" | "sealer" | "settings">;

/** The account, the browser, and the code or passkey that a person uses as the second factor. */
interface Proving {
  readonly user: { readonly id: string; readonly email: string };
  readonly address: string;
  /** The id of the browser, device or session, if it has signed in to this account before. */
  readonly known: string | undefined;
  /** The typed code; undefined if the page has not asked for it yet. */
  readonly code: string | undefined;
  readonly passkey?: PasskeyProof | undefined;
}

/**
 * Marks the presented code or passkey as used, in the transaction of the action. Throws `invalid_second_factor` if
 * another request has used it.
 */
export type Spend = (tx: Transaction) => Promise<void>;

export const hasSecondFactor = async (reader: Reader, userId: string): Promise<boolean> =>
  isOn(await secondFactors.find(reader, userId));

const isOn = (row: SecondFactorRow | undefined): row is SecondFactorRow => Boolean(row?.confirmedAt);

/**
 * Checks the second factor of an account. Throws `second_factor_required` if a code is missing, `invalid_second_factor`
 * if it is wrong, and `rate_limited` after too many attempts. An account without a second factor needs no code. (rules
 * S23, S24)
 */
export async function proveSecondFactor(deps: ProvingDeps, proving: Proving): Promise<Spend> {
  const { user, address, known, code, passkey } = proving;
  const row = await secondFactors.find(deps.database, user.id);
  if (!isOn(row)) return (tx) => assertStillNone(tx, user.id);
  if (passkey) return provePasskey(deps, proving, passkey);
  if (code === undefined) throw new ApiError("second_factor_required");
  const given = givenCode(code);
  const counted = await beginFactorAttempt(deps, { userId: user.id, kind: given.kind, address, known });
  if (given.kind === "recovery") return spendRecoveryCode(deps, proving, { code: given.code, counted });
  const step = stepOfCode(deps, row, given.digits);
  if (step === undefined) throw new ApiError("invalid_second_factor");
  return async (tx) => {
    await secondFactors.lock(tx, user.id);
    if (!(await secondFactors.useStep(tx, user.id, step))) throw new ApiError("invalid_second_factor");
    await uncountAttempt(tx, counted);
  };
}

/** Throws `invalid_second_factor` if the challenge with this hash was answered before, on any server. */
export async function assertFirstUse(
  { clock }: Pick<Deps, "clock">,
  tx: Transaction,
  challengeHash: string,
): Promise<void> {
  const once = { limit: 1, windowSeconds: 1_200 };
  const { allowed } = await consume(tx, { key: `passkey:${challengeHash}`, rule: once, clock });
  if (!allowed) throw new ApiError("invalid_second_factor");
}

/** Checks the answer of an authenticator to a challenge. Throws `invalid_second_factor` if it is wrong. */
async function provePasskey(deps: ProvingDeps, { user }: Proving, proof: PasskeyProof): Promise<Spend> {
  const { clock, database, settings } = deps;
  const ceremony = openCeremony(deps, proof.ceremony, { kind: "passkey", userId: user.id });
  const row = (await passkeys.list(database, user.id)).find(({ credentialId }) => credentialId === proof.id);
  const rpId = passkeyHost(settings);
  if (!ceremony || !row || rpId === undefined) throw new ApiError("invalid_second_factor");
  const { challenge } = ceremony;
  const counter = await passkeyCounter(proof, { challenge, rpId, origins: passkeyOrigins(settings) }, row);
  if (counter === undefined) throw new ApiError("invalid_second_factor");
  return async (tx) => {
    await secondFactors.lock(tx, user.id);
    await assertFirstUse(deps, tx, hashOf(challenge));
    const used = await passkeys.use(tx, row.id, { counter, at: clock.now().toISOString() });
    if (!used) throw new ApiError("invalid_second_factor");
  };
}

/** Returns the time step of a code of the authenticator app; undefined if the code is wrong or was used. */
export function stepOfCode(
  { clock, sealer }: Pick<Deps, "clock" | "sealer">,
  { secretSealed, lastStep }: Pick<SecondFactorRow, "secretSealed" | "lastStep">,
  digits: string,
): number | undefined {
  if (secretSealed === null) return undefined;
  const secret = sealer.open(secretSealed);
  return acceptedSteps(clock.now(), lastStep).find((step) => isTotpCode(secret, step, digits));
}

const spendRecoveryCode =
  (deps: ProvingDeps, { user, address }: Proving, given: { code: string; counted: Counted }): Spend =>
  async (tx) => {
    await secondFactors.lock(tx, user.id);
    const use = { codeHash: recoveryHash(user.id, given.code), at: deps.clock.now().toISOString() };
    if (!(await secondFactors.useRecoveryCode(tx, user.id, use))) throw new ApiError("invalid_second_factor");
    await uncountAttempt(tx, given.counted);
    const caller = { kind: "session", id: user.id, userId: user.id, email: user.email } as const;
    await createAuditWriter(deps)(tx, { caller, address }, { action: "second_factor.recovery_code" });
    await notifyAccount(deps, tx, { what: "recoveryCode", email: user.email, address });
  };

/** Throws `second_factor_required` if the second factor was turned on after the check. */
async function assertStillNone(tx: Transaction, userId: string): Promise<void> {
  await secondFactors.lock(tx, userId);
  if (await hasSecondFactor(tx, userId)) throw new ApiError("second_factor_required");
}

const lifetimeMilliseconds = 600_000;

/**
 * A challenge for an authenticator, and the purpose of the challenge. The browser gets the challenge encrypted, and
 * sends it back with the answer.
 */
interface Ceremony {
  readonly kind: "passkey" | "new passkey";
  readonly userId: string;
  readonly challenge: string;
}

type Sealing = Pick<Deps, "sealer" | "clock">;

const sealCeremony = ({ sealer, clock }: Sealing, ceremony: Ceremony): string =>
  sealer.seal(JSON.stringify({ ...ceremony, expiresAt: clock.now().getTime() + lifetimeMilliseconds }));

/**
 * Decrypts a challenge. Returns undefined if this deployment did not encrypt the value, or if the value was changed.
 * Also returns undefined if the challenge has expired, or is for another purpose or another account.
 */
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
 * Returns the host for which passkeys are created; undefined for an IP address, because browsers create passkeys only
 * for host names.
 */
export function passkeyHost({ consoleUrl }: Pick<Deps["settings"], "consoleUrl">): string | undefined {
  const { hostname } = new URL(consoleUrl);
  return isIP(hostname.replace(/^\[|\]$/g, "")) === 0 ? hostname : undefined;
}

/** Returns the origins of the pages that may ask for passkeys. */
export const passkeyOrigins = ({ consoleUrl, baseUrl }: Pick<Deps["settings"], "consoleUrl" | "baseUrl">) => [
  ...new Set([consoleUrl, baseUrl].map((url) => new URL(url).origin)),
];

const descriptorOf = ({ credentialId, transports }: PasskeyRow) => ({
  ...{ type: "public-key" as const, id: credentialId, transports: namesIn(transports) },
});

function namesIn(json: string): string[] {
  const names: unknown = JSON.parse(json);
  return Array.isArray(names) ? names.map(String) : [];
}

/** An account that is asked for a passkey, and its passkeys. */
interface PasskeyAccount {
  readonly user: { readonly id: string; readonly email: string };
  readonly host: string;
  readonly rows: readonly PasskeyRow[];
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

/**
 * Creates the request that asks an authenticator for a passkey of the account. Returns null if the account has no
 * passkey, or if passkeys cannot be used at this console's address.
 */
export function passkeyRequestFor(
  deps: Sealing & Pick<Deps, "settings">,
  user: PasskeyAccount["user"],
  rows: readonly PasskeyRow[],
): PasskeyRequest | null {
  const host = passkeyHost(deps.settings);
  return host === undefined || rows.length === 0 ? null : passkeyRequest(deps, { user, host, rows });
}

/** The accepted signature algorithms, by their COSE numbers: Ed25519, ECDSA with P-256, RSA. */
const algorithms = [-8, -7, -257];

/**
 * Creates the request for a new passkey. The request lists the existing passkeys. So an authenticator that already
 * has one of them does not create a second passkey.
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
