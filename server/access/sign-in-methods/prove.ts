import { ApiError } from "../../../src/contract/errors.ts";
import type { PasskeyProof } from "../../../src/contract/passkeys.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { ConsoleCaller } from "../../http/handler.ts";
import { consume } from "../../http/rate-limits/store.ts";
import { passkeyCounter } from "../../secrets/passkey-checks.ts";
import { isTotpCode, recoveryHash } from "../../secrets/second-factor.ts";
import { hashOf } from "../../secrets/secrets.ts";
import { noticeAccount } from "../accounts/notice.ts";
import { createAuditWriter } from "../audit/record.ts";
import { beginFactorAttempt, type Counted, succeed } from "../sign-in/attempts.ts";
import { openCeremony, passkeyHost, passkeyOrigins } from "./passkey-questions.ts";
import { acceptedSteps, givenCode } from "./rules.ts";
import { passkeys } from "./sign-in-passkeys.ts";
import { type SecondFactorRow, secondFactors } from "./store.ts";

export type ProvingDeps = Pick<Deps, "clock" | "database" | "newId" | "sealer" | "settings">;

export interface Proving {
  readonly user: { readonly id: string; readonly email: string };
  readonly address: string;
  /** The id of the browser, device or session, if it has signed in to this account before. */
  readonly known: string | undefined;
  /** What the person typed; undefined if nothing was asked yet. */
  readonly code: string | undefined;
  readonly passkey?: PasskeyProof | undefined;
}

/** Uses up what was shown, in the transaction of the act that needs it. Throws if another request was faster. */
export type Spend = (tx: Transaction) => Promise<void>;

/** Whether an account has a second factor. */
export const hasSecondFactor = async (reader: Reader, userId: string): Promise<boolean> =>
  isOn(await secondFactors.find(reader, userId));

const isOn = (row: SecondFactorRow | undefined): row is SecondFactorRow => Boolean(row?.confirmedAt);

/**
 * Checks the second factor of an account. Throws `second_factor_required` without a code, `invalid_second_factor` for a
 * wrong one, and `rate_limited`. An account without a second factor needs no code. (rules S23, S24)
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
    await succeed(tx, counted);
  };
}

interface ProvingAgain {
  readonly caller: ConsoleCaller;
  readonly address: string;
  readonly code: string;
}

/** The same for a person who is signed in. Throws `wrong_state` for an account without a second factor. */
export async function proveAgain(deps: ProvingDeps, { caller, address, code }: ProvingAgain): Promise<Spend> {
  const { userId: id, email } = caller;
  if (!(await hasSecondFactor(deps.database, id)))
    throw new ApiError("wrong_state", { message: "This account has no second factor." });
  return proveSecondFactor(deps, { user: { id, email }, address, known: `session:${caller.id}`, code });
}

/** Throws `invalid_second_factor` if the question with this hash was answered before, on any server. */
export async function assertFirstUse(
  { clock }: Pick<Deps, "clock">,
  tx: Transaction,
  question: string,
): Promise<void> {
  const once = { limit: 1, windowSeconds: 1_200 };
  const { allowed } = await consume(tx, { key: `passkey:${question}`, rule: once, clock });
  if (!allowed) throw new ApiError("invalid_second_factor");
}

/** Checks the answer of an authenticator. */
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

/** The time step of a code of the authenticator app; undefined if it is wrong or was used. */
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
    await succeed(tx, given.counted);
    const caller = { kind: "session", id: user.id, userId: user.id, email: user.email } as const;
    await createAuditWriter(deps)(tx, { caller, address }, { action: "second_factor.recovery_code" });
    await noticeAccount(deps, tx, { what: "recoveryCode", email: user.email, address });
  };

/** A second factor that was turned on a moment ago counts for a sign-in that began before. */
async function assertStillNone(tx: Transaction, userId: string): Promise<void> {
  await secondFactors.lock(tx, userId);
  if (await hasSecondFactor(tx, userId)) throw new ApiError("second_factor_required");
}
