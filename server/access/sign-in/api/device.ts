import { ApiError } from "../../../../src/contract/errors.ts";
import { challengeOf } from "../../../../src/contract/pkce.ts";
import type { signIn as contract } from "../../../../src/contract/sign-in.ts";
import type { Transaction } from "../../../database/database.ts";
import { deviceTopic } from "../../../database/signals.ts";
import type { Deps } from "../../../deps.ts";
import { type Handler, type Handlers, notYet } from "../../../http/handler.ts";
import { hashPassword, normaliseEmail } from "../../../secrets/passwords.ts";
import { hashOf } from "../../../secrets/secrets.ts";
import { users } from "../../accounts/store.ts";
import { devices } from "../../devices/store.ts";
import { proveSecondFactor } from "../../sign-in-methods/prove.ts";
import { beginAttempt, beginRegistration, succeed } from "../attempts.ts";
import { judgeCode } from "../rules.ts";
import { type SignInCodeRow, signInCodes } from "../sign-in-codes.ts";
import { claimDevice, linkDevice } from "./device-link.ts";
import { assertPasswordStands, verifiedUser } from "./session.ts";

export const signIn = (
  deps: Pick<Deps, "attest" | "clock" | "database" | "log" | "newId" | "sealer" | "settings" | "waiting">,
): Handlers<typeof contract> => ({
  exchange: exchange(deps),
  await: awaitCode(deps),
  register: register(deps),
  token: token(deps),
});

/** Only a successful exchange uses up a code. The checks are in this order: code, attestation, device. (rule S8) */
function exchange(
  deps: Pick<Deps, "attest" | "clock" | "database" | "log" | "newId">,
): Handler<typeof contract.exchange> {
  return async ({ body, address, save }) => {
    const { verifier, integrityToken, ...shown } = body;
    const found = await findExchangeable(deps, shown, await challengeOf(verifier));
    // Refused inside `save`, after the check of the Idempotency-Key: another request with the same key may have just
    // used the code.
    if ("why" in found) return save(async () => refuseCode(deps, found.why));
    const { code, codeHash } = found;
    const { deviceId } = code;
    await attestDevice(deps, { integrityToken, subject: body.code, deviceId });
    const user = { id: code.userId, email: code.email };
    const signInDevice = async (tx: Transaction) => {
      await claimDevice(deps, tx, { user, deviceId });
      const used = await signInCodes.use(tx, codeHash, deps.clock.now().toISOString());
      if (!used) refuseCode(deps, "used or replaced at the same moment");
      return linkDevice(deps, tx, { ...shown, user, address, name: code.deviceName });
    };
    return save(signInDevice, { repeatableUntil: new Date(code.expiresAt) });
  };
}

interface AttestedDevice {
  readonly integrityToken: string | null | undefined;
  /** The code or the e-mail address, as the device sent it. */
  readonly subject: string;
  readonly deviceId: string;
}

/** Throws `integrity_failed` if the deployment requires attestation and the device does not prove its integrity. */
async function attestDevice(
  { attest, clock }: Pick<Deps, "attest" | "clock">,
  { integrityToken, subject, deviceId }: AttestedDevice,
): Promise<void> {
  const attestation = { integrityToken: integrityToken ?? undefined, subject, deviceId, now: clock.now() };
  const reasons = await attest(attestation);
  if (reasons.length > 0) throw new ApiError("integrity_failed", { reasons });
}

type Found = { readonly code: SignInCodeRow; readonly codeHash: string } | { readonly why: string };

/**
 * Finds the code if this device may exchange it. Finding a reason to refuse takes the same work, whatever the reason is.
 */
async function findExchangeable(
  { database, clock }: Pick<Deps, "database" | "clock">,
  { code, deviceId }: { readonly code: string; readonly deviceId: string },
  challenge: string,
): Promise<Found> {
  const codeHash = hashOf(code);
  const nearest = await signInCodes.findNearest(database, codeHash);
  const row = nearest?.codeHash === codeHash ? nearest : undefined;
  const verdict = judgeCode(row, { deviceId, challenge }, clock.now());
  if (!verdict.accepted) return verdict;
  return row ? { code: row, codeHash } : { why: "unknown code" };
}

/** The reason goes only to the log: a person with a foreign code learns nothing. */
function refuseCode({ log }: Pick<Deps, "log">, why: string): never {
  log.info({ why }, "sign-in code refused");
  throw new ApiError("invalid_code");
}

/** For terminals: holds the answer until the person has decided or the time is over. */
function awaitCode({
  database,
  clock,
  waiting,
  sealer,
}: Pick<Deps, "database" | "clock" | "waiting" | "sealer">): Handler<typeof contract.await> {
  return async ({ body, signal }) => {
    const { deviceId, challenge, wait = 0 } = body;
    const look = () => signInCodes.decided(database, { deviceId, challenge }, clock.now().toISOString());
    const decided = await waiting.until([deviceTopic(deviceId)], look, {
      enough: (found) => found !== undefined,
      milliseconds: wait * 1_000,
      signal,
    });
    if (decided === "refused") throw new ApiError("access_denied");
    return decided ? { code: sealer.open(decided.codeSealed) } : notYet;
  };
}

function register(
  deps: Pick<Deps, "attest" | "clock" | "database" | "newId" | "settings">,
): Handler<typeof contract.register> {
  return async ({ body, address, save }) => {
    if (!deps.settings.registration) {
      throw new ApiError("forbidden", { message: "New accounts are turned off here." });
    }
    const { password, deviceName, integrityToken, ...device } = body;
    await attestDevice(deps, { integrityToken, subject: body.email, deviceId: body.deviceId });
    const counted = await beginRegistration(deps, address);
    const user = {
      id: deps.newId(),
      email: normaliseEmail(body.email),
      passwordHash: await hashPassword(password),
      createdAt: deps.clock.now().toISOString(),
      emailVerifiedAt: null,
    };
    return save(async (tx) => {
      if (!(await users.insertUnlessTaken(tx, user))) throw new ApiError("email_taken");
      await succeed(tx, counted);
      await claimDevice(deps, tx, { user, ...device });
      return linkDevice(deps, tx, { ...device, user, address, name: deviceName || unnamed });
    });
  };
}

/** Uses the limits of failed console sign-ins, because the password is the same, and asks for the second factor. */
function token(
  deps: Pick<Deps, "attest" | "clock" | "database" | "newId" | "sealer" | "settings">,
): Handler<typeof contract.token> {
  return async ({ body, address, save }) => {
    const { password, code, deviceName, integrityToken, ...device } = body;
    const email = normaliseEmail(body.email);
    const isKnown = await devices.isLinked(deps.database, device.deviceId, email);
    const known = isKnown ? `device:${device.deviceId}` : undefined;
    const counted = await beginAttempt(deps, { email, address, known });
    const user = await verifiedUser(deps, email, password);
    // The password was right although the device is taken.
    if (counted.length > 0) await deps.database.write((tx) => succeed(tx, counted));
    const spend = await proveSecondFactor(deps, { user, address, known, code: code || undefined });
    await attestDevice(deps, { integrityToken, subject: body.email, deviceId: body.deviceId });
    return save(async (tx) => {
      await assertPasswordStands(tx, user);
      await spend(tx);
      await claimDevice(deps, tx, { user, ...device });
      return linkDevice(deps, tx, { ...device, user, address, name: deviceName || unnamed });
    });
  };
}

const unnamed = "Unnamed device";
