import type {
  secondFactor as contract,
  Passkey,
  passkeys as passkeysContract,
} from "../../../src/contract/account.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Transaction } from "../../database/database.ts";
import type { ConsoleCaller, Handler, Handlers } from "../../http/handler.ts";
import {
  newPasskeyKey,
  newRecoveryCodes,
  newTotpSecret,
  recoveryHash,
  totpUri,
} from "../../secrets/second-factor.ts";
import { hashOf } from "../../secrets/secrets.ts";
import { notifyAccount } from "../accounts/changes.ts";
import { users } from "../accounts/store.ts";
import { createAuditWriter } from "../audit/record.ts";
import { givenCode } from "../sign-in/rules.ts";
import { consoleSessions } from "../sign-in/store.ts";
import {
  assertFreshSession,
  beginAttempt,
  beginFactorAttempt,
  uncountAttempt,
  verifiedUser,
} from "../sign-in/verify.ts";
import {
  assertFirstUse,
  openCeremony,
  passkeyCreation,
  passkeyHost,
  passkeyOrigins,
} from "./passkey-challenges.ts";
import { hasSecondFactor, type ProvingDeps, proveSecondFactor, type Spend, stepOfCode } from "./prove.ts";
import { passkeys as rows, secondFactors } from "./store.ts";

/**
 * Returns the handlers for the caller's second factor: an authenticator app and recovery codes. (rules S23, S24, S25)
 */
export const secondFactorHandlers = (deps: ProvingDeps): Handlers<typeof contract> => ({
  async find({ caller: { userId } }) {
    const row = await secondFactors.find(deps.database, userId);
    const createdAt = row?.confirmedAt ?? null;
    return {
      totp: createdAt === null ? null : { createdAt },
      recoveryCodesLeft: await secondFactors.countRecoveryCodes(deps.database, userId),
    };
  },
  begin: beginFactor(deps),
  confirm: confirmFactor(deps),
  renewRecoveryCodes: renewRecoveryCodes(deps),
  remove: removeFactor(deps),
});

/**
 * Creates a secret for an authenticator app. Without `assertPassword`, a stranger at a signed-in browser could
 * lock out the owner.
 */
function beginFactor(deps: ProvingDeps): Handler<typeof contract.begin> {
  return async ({ caller, address, body, save }) => {
    await assertPassword(deps, caller, address, body.currentPassword ?? "");
    const secret = newTotpSecret();
    const made = { secretSealed: deps.sealer.seal(secret), at: deps.clock.now().toISOString() };
    const issuer = `Innkeep ${new URL(deps.settings.consoleUrl).host}`;
    return save(async (tx) => {
      if (!(await secondFactors.begin(tx, caller.userId, made))) throw alreadyOn();
      return { secret, uri: totpUri(secret, { account: caller.email, issuer }) };
    });
  };
}

async function assertPassword(
  deps: ProvingDeps,
  caller: ConsoleCaller,
  address: string,
  password: string,
): Promise<void> {
  const { email } = caller;
  if (!(await users.findByEmail(deps.database, email))?.passwordHash) return assertFreshSession(deps, caller);
  const counted = await beginAttempt(deps, { email, address, known: `session:${caller.id}` });
  await verifiedUser(deps, email, password);
  await deps.database.write((tx) => uncountAttempt(tx, counted));
}

const alreadyOn = () =>
  new ApiError("wrong_state", { message: "This account already has a second factor. Remove it first." });

/**
 * Turns the second factor on, signs out other browsers and returns recovery codes. Throws
 * `invalid_second_factor`, `rate_limited` and `wrong_state`.
 */
function confirmFactor(deps: ProvingDeps): Handler<typeof contract.confirm> {
  const record = createAuditWriter(deps);
  return async ({ caller, address, body, save }) => {
    const { userId } = caller;
    const row = await secondFactors.find(deps.database, userId);
    if (row?.confirmedAt) throw alreadyOn();
    if (!row?.secretSealed)
      throw new ApiError("wrong_state", { message: "There is nothing to confirm. Begin again." });
    const { secretSealed } = row;
    const given = givenCode(body.code);
    const counted = await beginFactorAttempt(deps, {
      ...{ userId, kind: "totp", address },
      known: `session:${caller.id}`,
    });
    const step = given.kind === "totp" ? stepOfCode(deps, row, given.digits) : undefined;
    if (step === undefined) throw new ApiError("invalid_second_factor");
    const recoveryCodes = newRecoveryCodes();
    return save(async (tx) => {
      await secondFactors.lock(tx, userId);
      const at = deps.clock.now().toISOString();
      if (!(await secondFactors.confirm(tx, userId, { secretSealed, step, at })))
        throw new ApiError("wrong_state", {
          message: "A newer key was created in the meantime. Start again.",
        });
      await uncountAttempt(tx, counted);
      await storeRecoveryCodes(tx, userId, recoveryCodes);
      await consoleSessions.removeOthers(tx, userId, caller.id);
      await record(tx, { caller, address }, { action: "second_factor.enable" });
      await notifyAccount(deps, tx, { what: "factorOn", email: caller.email, address });
      return { recoveryCodes };
    });
  };
}

const storeRecoveryCodes = (tx: Transaction, userId: string, codes: readonly string[]): Promise<void> =>
  secondFactors.replaceRecoveryCodes(
    tx,
    userId,
    codes.map((code) => recoveryHash(userId, code)),
  );

function renewRecoveryCodes(deps: ProvingDeps): Handler<typeof contract.renewRecoveryCodes> {
  const record = createAuditWriter(deps);
  return async ({ caller, address, body, save }) => {
    const spend = await proveAgain(deps, { caller, address, code: body.code });
    const recoveryCodes = newRecoveryCodes();
    return save(async (tx) => {
      await spend(tx);
      await storeRecoveryCodes(tx, caller.userId, recoveryCodes);
      await record(tx, { caller, address }, { action: "second_factor.new_codes" });
      await notifyAccount(deps, tx, { what: "newCodes", email: caller.email, address });
      return { recoveryCodes };
    });
  };
}

function removeFactor(deps: ProvingDeps): Handler<typeof contract.remove> {
  const record = createAuditWriter(deps);
  return async ({ caller, address, body, save }) => {
    const spend = await proveAgain(deps, { caller, address, code: body.code });
    return save(async (tx) => {
      await spend(tx);
      await secondFactors.remove(tx, caller.userId);
      await record(tx, { caller, address }, { action: "second_factor.disable" });
      await notifyAccount(deps, tx, { what: "factorOff", email: caller.email, address });
      return undefined;
    });
  };
}

/**
 * Checks `code` of the second factor. Returns the function that marks `code` as used. Throws `wrong_state`
 * without a second factor.
 */
async function proveAgain(
  deps: ProvingDeps,
  {
    caller,
    address,
    code,
  }: { readonly caller: ConsoleCaller; readonly address: string; readonly code: string },
): Promise<Spend> {
  const { userId: id, email } = caller;
  if (!(await hasSecondFactor(deps.database, id)))
    throw new ApiError("wrong_state", { message: "This account has no second factor." });
  return proveSecondFactor(deps, { user: { id, email }, address, known: `session:${caller.id}`, code });
}

const mostPasskeys = 20;

/** Returns the handlers for the caller's passkeys. A passkey can replace a code of the authenticator app. (rule S29) */
export const passkeyHandlers = (deps: ProvingDeps): Handlers<typeof passkeysContract> => ({
  async list({ caller }) {
    return { items: await rows.list(deps.database, caller.userId) };
  },
  begin: beginPasskey(deps),
  create: createPasskey(deps),
  remove: removePasskey(deps),
});

function beginPasskey(deps: ProvingDeps): Handler<typeof passkeysContract.begin> {
  return async ({ caller, address, body, save }) => {
    const user = { id: caller.userId, email: caller.email };
    const host = hostOf(deps);
    const known = await rows.list(deps.database, user.id);
    if (known.length >= mostPasskeys)
      throw new ApiError("wrong_state", { message: `An account has at most ${mostPasskeys} passkeys.` });
    const spend = await proveAgain(deps, { caller, address, code: body.code });
    return save(async (tx) => {
      await spend(tx);
      return passkeyCreation(deps, { user, host, rows: known });
    });
  };
}

function hostOf({ settings }: ProvingDeps): string {
  const host = passkeyHost(settings);
  if (host !== undefined) return host;
  throw new ApiError("wrong_state", {
    message: "Browsers create passkeys only for a host name. The address of this console is an IP address.",
  });
}

function createPasskey(deps: ProvingDeps): Handler<typeof passkeysContract.create> {
  const record = createAuditWriter(deps);
  return async ({ caller, address, body, save }) => {
    const { userId, email } = caller;
    const ceremony = openCeremony(deps, body.ceremony, { kind: "new passkey", userId });
    if (!ceremony) throw new ApiError("wrong_state", { message: "This took too long. Begin again." });
    const { challenge } = ceremony;
    const expected = { challenge, rpId: hostOf(deps), origins: passkeyOrigins(deps.settings) };
    const key = await newPasskeyKey(body, expected);
    if (!key) throw new ApiError("invalid_second_factor");
    const createdAt = deps.clock.now().toISOString();
    const shown: Passkey = { id: deps.newId(), name: body.name, createdAt, lastUsedAt: null };
    return save(async (tx) => {
      await secondFactors.lock(tx, userId);
      if (!(await hasSecondFactor(tx, userId))) throw new ApiError("wrong_state");
      await assertFirstUse(deps, tx, hashOf(challenge));
      const transports = JSON.stringify(body.transports ?? []);
      if (!(await rows.insertUnlessTaken(tx, userId, { ...shown, ...key, transports })))
        throw new ApiError("wrong_state", {
          message: "This account, or another one, already has this passkey.",
        });
      await record(tx, { caller, address }, { action: "passkey.create", target: shown.id, label: body.name });
      await notifyAccount(deps, tx, { what: "passkey", email, address });
      return shown;
    });
  };
}

function removePasskey(deps: ProvingDeps): Handler<typeof passkeysContract.remove> {
  const record = createAuditWriter(deps);
  return async ({ caller, address, params: { passkeyId }, body, save }) => {
    const known = await rows.list(deps.database, caller.userId);
    if (!known.some(({ id }) => id === passkeyId)) throw new ApiError("not_found");
    const spend = await proveAgain(deps, { caller, address, code: body.code });
    return save(async (tx) => {
      await spend(tx);
      if (!(await rows.remove(tx, caller.userId, passkeyId))) throw new ApiError("not_found");
      await record(tx, { caller, address }, { action: "passkey.delete", target: passkeyId });
      return undefined;
    });
  };
}
