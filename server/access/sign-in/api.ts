import type { deviceApproval as approvalContract } from "../../../src/contract/devices.ts";
import { deviceScopes } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { challengeOf } from "../../../src/contract/pkce.ts";
import type { signIn as contract, DeviceGrant } from "../../../src/contract/sign-in.ts";
import type { Transaction } from "../../database/database.ts";
import { deviceTopic, userTopic } from "../../database/signals.ts";
import type { Deps } from "../../deps.ts";
import { type Handler, type Handlers, notYet, withTraits } from "../../http/handler.ts";
import { hashPassword, normaliseEmail } from "../../secrets/passwords.ts";
import { hashOf, mintCredential, randomName, visiblePrefix } from "../../secrets/secrets.ts";
import { users } from "../accounts/store.ts";
import { createAuditWriter } from "../audit/record.ts";
import { devices } from "./devices-store.ts";
import { proveSecondFactor } from "../sign-in-methods/prove.ts";
import { beginAttempt, beginRegistration, uncountAttempt } from "./attempts.ts";
import { codeLifetimeMilliseconds, judgeCode, tokenLifetimeDays } from "./rules.ts";
import { type SignInCodeRow, signInCodes } from "./store.ts";
import { assertPasswordUnchanged, verifiedUser } from "./verify.ts";

export const signIn = (
  deps: Pick<Deps, "attest" | "clock" | "database" | "log" | "newId" | "sealer" | "settings" | "waiting">,
): Handlers<typeof contract> => ({
  exchange: exchange(deps),
  await: awaitCode(deps),
  register: withTraits({ sealedBy: ["password"] }, register(deps)),
  token: token(deps),
});

/**
 * Exchanges a code for a token. A refused exchange does not use the code. The order of the checks is: code,
 * attestation, device. (rule S8)
 */
function exchange(
  deps: Pick<Deps, "attest" | "clock" | "database" | "log" | "newId">,
): Handler<typeof contract.exchange> {
  return async ({ body, address, save }) => {
    const { verifier, integrityToken, ...presented } = body;
    const found = await findExchangeable(deps, presented, await challengeOf(verifier));
    // The refusal happens in `save`, after the check of the Idempotency-Key. An earlier request with the same key may
    // have used the code. Then `save` repeats the answer to that request.
    if ("why" in found) return save(async () => refuseCode(deps, found.why));
    const { code, codeHash } = found;
    const { deviceId } = code;
    await attestDevice(deps, { integrityToken, subject: body.code, deviceId });
    const user = { id: code.userId, email: code.email };
    const signInDevice = async (tx: Transaction) => {
      await claimDevice(deps, tx, { user, deviceId });
      const used = await signInCodes.use(tx, codeHash, deps.clock.now().toISOString());
      if (!used) refuseCode(deps, "used or replaced at the same time");
      return linkDevice(deps, tx, { ...presented, user, address, name: code.deviceName });
    };
    return save(signInDevice, { repeatableUntil: new Date(code.expiresAt) });
  };
}

/** Throws `integrity_failed` if the deployment requires attestation and the device does not prove its integrity. */
async function attestDevice(
  { attest, clock }: Pick<Deps, "attest" | "clock">,
  {
    integrityToken,
    subject,
    deviceId,
  }: {
    readonly integrityToken: string | null | undefined;
    /** The code or the e-mail address, as the device sent it. */
    readonly subject: string;
    readonly deviceId: string;
  },
): Promise<void> {
  const attestation = { integrityToken: integrityToken ?? undefined, subject, deviceId, now: clock.now() };
  const reasons = await attest(attestation);
  if (reasons.length > 0) throw new ApiError("integrity_failed", { reasons });
}

type FoundCode = { readonly code: SignInCodeRow; readonly codeHash: string } | { readonly why: string };

/**
 * Finds the code if this device may exchange it. The same work is done for each reason of a refusal, so that the time
 * of the answer does not reveal the reason.
 */
async function findExchangeable(
  { database, clock }: Pick<Deps, "database" | "clock">,
  { code, deviceId }: { readonly code: string; readonly deviceId: string },
  challenge: string,
): Promise<FoundCode> {
  const codeHash = hashOf(code);
  const nearest = await signInCodes.findNearest(database, codeHash);
  const row = nearest?.codeHash === codeHash ? nearest : undefined;
  const verdict = judgeCode(row, { deviceId, challenge }, clock.now());
  if (!verdict.accepted) return verdict;
  return row ? { code: row, codeHash } : { why: "unknown code" };
}

/**
 * Logs why the code was refused. The answer does not contain the reason, because a person with a stolen code must not
 * get any information.
 */
function refuseCode({ log }: Pick<Deps, "log">, why: string): never {
  log.info({ why }, "sign-in code refused");
  throw new ApiError("invalid_code");
}

/**
 * Returns the handler with which a terminal waits for its code. The answer comes when the person has decided, or when
 * the waiting time has ended. (rule S14)
 */
function awaitCode({
  database,
  clock,
  waiting,
  sealer,
}: Pick<Deps, "database" | "clock" | "waiting" | "sealer">): Handler<typeof contract.await> {
  return async ({ body, signal }) => {
    const { deviceId, challenge, wait = 0 } = body;
    const findDecision = () =>
      signInCodes.decided(database, { deviceId, challenge }, clock.now().toISOString());
    const decided = await waiting.until([deviceTopic(deviceId)], findDecision, {
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
      throw new ApiError("forbidden", { message: "New accounts are turned off on this server." });
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
      await uncountAttempt(tx, counted);
      await claimDevice(deps, tx, { user, ...device });
      return linkDevice(deps, tx, { ...device, user, address, name: deviceName || unnamed });
    });
  };
}

/**
 * Signs a device in with e-mail and password. Failed attempts count for the same limits as a sign-in to the console,
 * because the password is the same. If the account has a second factor, it is required here, too.
 */
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
    // The password was correct, so the attempt does not count as failed, even if a later step refuses the device.
    if (counted.length > 0) await deps.database.write((tx) => uncountAttempt(tx, counted));
    const spend = await proveSecondFactor(deps, { user, address, known, code: code || undefined });
    await attestDevice(deps, { integrityToken, subject: body.email, deviceId: body.deviceId });
    return save(async (tx) => {
      await assertPasswordUnchanged(tx, user);
      await spend(tx);
      await claimDevice(deps, tx, { user, ...device });
      return linkDevice(deps, tx, { ...device, user, address, name: deviceName || unnamed });
    });
  };
}

const unnamed = "Unnamed device";

/** A sign-in of a device, with the fields that the device sent. */
interface DeviceLink {
  readonly user: { readonly id: string; readonly email: string };
  /** The client's network address. */
  readonly address: string;
  readonly deviceId: string;
  readonly name: string;
  readonly timezone?: string | null | undefined;
  readonly pushToken?: string | null | undefined;
}

/**
 * Locks the device, so that only this transaction can link it. Throws `device_taken` while the device has a valid token
 * of another account. (rule S9)
 */
async function claimDevice(
  { clock }: Pick<Deps, "clock">,
  tx: Transaction,
  { user, deviceId }: Pick<DeviceLink, "user" | "deviceId">,
): Promise<void> {
  await devices.lock(tx, deviceId);
  const holder = await devices.findHolder(tx, deviceId, clock.now().toISOString());
  if (holder && holder.userId !== user.id) throw new ApiError("device_taken");
}

/**
 * Links a claimed device to an account. An earlier token of the device stops working. Only this answer contains the new
 * token.
 */
async function linkDevice(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  linking: DeviceLink,
): Promise<DeviceGrant> {
  const { user, address, timezone } = linking;
  const token = mintCredential("sdt_");
  const { createdAt, expiresAt } = timesOf(deps.clock.now());
  if (timezone) await devices.setTimezone(tx, user.id, timezone);
  const target = await devices.link(tx, {
    id: deps.newId(),
    deviceId: linking.deviceId,
    userId: user.id,
    name: linking.name,
    pushToken: linking.pushToken || null,
    scopes: JSON.stringify(deviceScopes),
    prefix: visiblePrefix(token),
    tokenHash: hashOf(token),
    createdAt,
    expiresAt,
  });
  const caller = { kind: "session", id: user.id, userId: user.id, email: user.email } as const;
  await createAuditWriter(deps)(tx, { caller, address }, { action: "device.create", target });
  tx.signal(userTopic(user.id));
  const profile = await devices.findProfile(tx, user.id);
  return {
    token,
    expiresAt,
    scopes: [...deviceScopes],
    profile: { timezone: profile?.timezone ?? "UTC", isTester: profile?.isTester === 1 },
  };
}

const timesOf = (now: Date) => ({
  createdAt: now.toISOString(),
  expiresAt: new Date(now.getTime() + tokenLifetimeDays * 86_400_000).toISOString(),
});

/**
 * Returns the handlers that approve or refuse the sign-in of a device. The page of the device sign-in calls them.
 */
export const deviceApprovalHandlers = (
  deps: Pick<Deps, "clock" | "sealer">,
): Handlers<typeof approvalContract> => ({
  approve: approve(deps),
  refuse: refuse(deps),
});

/** Creates the only valid code of a device. An earlier code stops working. (rule S6) */
function approve({
  clock,
  sealer,
}: Pick<Deps, "clock" | "sealer">): Handler<typeof approvalContract.approve> {
  return ({ caller, body, save }) => {
    const code = randomName();
    const sealed = { codeHash: hashOf(code), codeSealed: sealer.seal(code) };
    return save(async (tx) => {
      await devices.lock(tx, body.device);
      await signInCodes.mint(tx, { ...sealed, ...decisionRow(caller.userId, body, clock.now()) });
      tx.signal(deviceTopic(body.device));
      return { code };
    });
  };
}

/** Stores the refusal, so that the waiting device gets an answer. */
function refuse({ clock }: Pick<Deps, "clock">): Handler<typeof approvalContract.refuse> {
  return ({ caller, body, save }) =>
    save(async (tx) => {
      await devices.lock(tx, body.device);
      const refusal = { codeHash: hashOf(randomName()), codeSealed: null };
      await signInCodes.refuse(tx, { ...refusal, ...decisionRow(caller.userId, body, clock.now()) });
      tx.signal(deviceTopic(body.device));
      return undefined;
    });
}

const decisionRow = (
  userId: string,
  { device, name, challenge }: { readonly device: string; readonly name: string; readonly challenge: string },
  now: Date,
) => ({
  userId,
  deviceId: device,
  deviceName: name,
  challenge,
  createdAt: now.toISOString(),
  expiresAt: new Date(now.getTime() + codeLifetimeMilliseconds).toISOString(),
});
