import type { PasskeyProof } from "../../../src/contract/account.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { isTotpCode, passkeyCounter, recoveryHash } from "../../secrets/second-factor.ts";
import { hashOf } from "../../secrets/secrets.ts";
import { notifyAccount } from "../accounts/changes.ts";
import { createAuditWriter } from "../audit/record.ts";
import { acceptedSteps, givenCode } from "../sign-in/rules.ts";
import { beginFactorAttempt, type Counted, uncountAttempt } from "../sign-in/verify.ts";
import { assertFirstUse, openCeremony, passkeyHost, passkeyOrigins } from "./passkey-challenges.ts";
import { passkeys, type SecondFactorRow, secondFactors } from "./store.ts";

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

/** Marks the code or passkey as used. Throws `invalid_second_factor` if the code or passkey was used before. */
export type Spend = (tx: Transaction) => Promise<void>;

export const hasSecondFactor = async (reader: Reader, userId: string): Promise<boolean> =>
  isOn(await secondFactors.find(reader, userId));

const isOn = (row: SecondFactorRow | undefined): row is SecondFactorRow => Boolean(row?.confirmedAt);

/**
 * Checks the code or passkey. A recovery code is checked only by the returned function. Throws
 * `second_factor_required`, `invalid_second_factor` and `rate_limited`. (rules S23, S24)
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

/**
 * Checks the answer of an authenticator. Returns the function that records the use. Throws
 * `invalid_second_factor` for a wrong answer.
 */
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

/** Returns the time step of a code. Undefined for a wrong or used code, and if the secret was lost. */
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

/**
 * Locks the second factor. Throws `second_factor_required` if the second factor was turned on after the first
 * check.
 */
async function assertStillNone(tx: Transaction, userId: string): Promise<void> {
  await secondFactors.lock(tx, userId);
  if (await hasSecondFactor(tx, userId)) throw new ApiError("second_factor_required");
}
