import type {
  accountLinks as accountLinksContract,
  session as sessionContract,
} from "../../../src/contract/console-session.ts";
import { deviceScopes } from "../../../src/contract/endpoint.ts";
import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import { challengeOf } from "../../../src/contract/pkce.ts";
import type {
  deviceApproval as approvalContract,
  DeviceGrant,
  signIn as signInContract,
} from "../../../src/contract/sign-in.ts";
import type { Transaction } from "../../database/database.ts";
import { deviceTopic, userTopic } from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import { isOwnOrigin, knownBrowser } from "../../http/authenticate.ts";
import {
  type Browser,
  type ConsoleCaller,
  type Handler,
  type Handlers,
  notYet,
  type Request,
  withTraits,
} from "../../http/handler.ts";
import { consume } from "../../http/rate-limits/store.ts";
import { queueMail, sendsMail } from "../../mail/outgoing/queue.ts";
import { changeHours } from "../../notices/choices/hours.ts";
import { hashPassword, normaliseEmail } from "../../secrets/passwords.ts";
import { hashOf, mintCredential, randomName, visiblePrefix } from "../../secrets/secrets.ts";
import { type NoticeDeps, notifyAccount, serverHost, serverName } from "../accounts/changes.ts";
import { type UserRow, users } from "../accounts/store.ts";
import { apps } from "../apps/store.ts";
import { createAuditWriter } from "../audit/record.ts";
import { type InvitedRow, invitations } from "../members/store.ts";
import { passkeyRequestFor } from "../sign-in-methods/passkey-challenges.ts";
import { type ProvingDeps, proveSecondFactor, type Spend } from "../sign-in-methods/prove.ts";
import { passkeys } from "../sign-in-methods/store.ts";
import { codeLifetimeMilliseconds, judgeCode, tokenLifetimeDays } from "./rules.ts";
import { newConsoleSession, openStep, sealStep, startConsoleSession, stepOf } from "./start-session.ts";
import {
  accountLinks,
  consoleSessions,
  devices,
  removeUnprovenAccess,
  type SignInCodeRow,
  signInCodes,
} from "./store.ts";
import {
  assertFreshSession,
  beginAttempt,
  beginRegistration,
  uncountAttempt,
  verifiedUser,
} from "./verify.ts";

export const signIn = (
  deps: Pick<Deps, "attest" | "clock" | "database" | "log" | "newId" | "sealer" | "settings" | "waiting">,
): Handlers<typeof signInContract> => ({
  exchange: exchange(deps),
  await: awaitCode(deps),
  register: withTraits({ sealedBy: ["password"] }, register(deps)),
  token: token(deps),
});

/** Exchanges a code for a token. If the exchange is refused, the code stays valid. (rule S8) */
function exchange(
  deps: Pick<Deps, "attest" | "clock" | "database" | "log" | "newId">,
): Handler<typeof signInContract.exchange> {
  return async ({ body, address, save }) => {
    const { verifier, integrityToken, ...presented } = body;
    const found = await findExchangeable(deps, presented, await challengeOf(verifier));
    // `save` checks the Idempotency-Key first. A repeat gets the first answer, although the first request used
    // the code.
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
    /** The sign-in code or the e-mail address, as the device sent it. */
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
 * Returns the code if this device may exchange it, otherwise the reason. Both cases must take the same time.
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

/** Logs the reason and throws `invalid_code`. The answer hides the reason from a person who has stolen the code. */
function refuseCode({ log }: Pick<Deps, "log">, why: string): never {
  log.info({ why }, "sign-in code refused");
  throw new ApiError("invalid_code");
}

/**
 * Creates the handler in which a terminal waits for its code. Throws `access_denied` after a refusal.
 * (rule S14)
 */
function awaitCode({
  database,
  clock,
  waiting,
  sealer,
}: Pick<Deps, "database" | "clock" | "waiting" | "sealer">): Handler<typeof signInContract.await> {
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
): Handler<typeof signInContract.register> {
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

/** Signs a device in with e-mail and password. Failures count against the limits of the console sign-in. */
function token(
  deps: Pick<Deps, "attest" | "clock" | "database" | "newId" | "sealer" | "settings">,
): Handler<typeof signInContract.token> {
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

/** The values with which a device is linked to an account. */
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
 * Locks the device until the transaction ends. Throws `device_taken` if the device has a valid token of another
 * account. (rule S9)
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
 * Links a claimed device to an account. Ends earlier tokens. Returns a token and stores only its hash and
 * prefix.
 */
async function linkDevice(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  linking: DeviceLink,
): Promise<DeviceGrant> {
  const { user, address, timezone } = linking;
  const token = mintCredential("sdt_");
  const { createdAt, expiresAt } = timesOf(deps.clock.now());
  if (timezone) await changeHours(deps, tx, user.id, { timezone });
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

export function consoleSession(
  deps: Pick<Deps, "clock" | "database" | "newId" | "sealer" | "settings" | "time">,
): Handlers<typeof sessionContract> {
  const record = createAuditWriter(deps);
  const open = openSession(deps);
  return {
    async create({ body, address, browser, save, setSession }) {
      refuseForeignPage(deps, browser);
      const email = normaliseEmail(body.email);
      const known = knownBrowser.idFor(deps.sealer, browser.known, email);
      const counted = await beginAttempt(deps, { email, address, known });
      const user = await verifiedUser(deps, email, body.password);
      // The password was correct, so the attempt does not count as failed, even if the second factor is wrong.
      if (counted.length > 0) await deps.database.write((tx) => uncountAttempt(tx, counted));
      const { code } = body;
      const spend = await orStep(deps, user, () => proveSecondFactor(deps, { user, address, known, code }));
      return open({ user, spend, address, browser, save, setSession });
    },

    async finish({ body, address, browser, save, setSession }) {
      refuseForeignPage(deps, browser);
      const user = await userOfStep(deps, body.step);
      const { code, passkey } = body;
      const known = knownBrowser.idFor(deps.sealer, browser.known, user.email);
      const prove = () => proveSecondFactor(deps, { user, address, known, code, passkey });
      const spend = await orStep(deps, user, prove);
      return open({ user, spend, address, browser, save, setSession });
    },

    async askPasskey({ body }) {
      const user = await userOfStep(deps, body.step);
      const rows = await passkeys.list(deps.database, user.id);
      return { passkey: passkeyRequestFor(deps, user, rows) };
    },

    async remove({ caller, address, save, setSession }) {
      await save(async (tx) => {
        await consoleSessions.remove(tx, caller.id);
        await record(tx, { caller, address }, { action: "session.delete" });
        return undefined;
      });
      setSession(null);
      return undefined;
    },

    changePassword: changePassword(deps),

    firstPassword: firstPassword(deps),

    me: async ({ caller }) => ({
      user: {
        id: caller.userId,
        email: caller.email,
        name: (await users.find(deps.database, caller.userId))?.name ?? null,
      },
      scopes: [...caller.scopes],
      app: await appOf(deps, caller),
      tokenId: caller.kind === "maintainerToken" ? caller.id : null,
    }),
  };
}

/**
 * Creates a function that starts a session. It throws `invalid_credentials` if the password has changed since
 * the check.
 */
const openSession =
  (deps: Pick<Deps, "clock" | "newId" | "sealer" | "time">) =>
  async ({
    user,
    spend,
    address,
    browser,
    save,
    setSession,
  }: Pick<Request, "address" | "browser" | "setSession"> & {
    readonly user: UserRow;
    /** Marks the code or passkey of the second factor as used. */
    readonly spend: Spend;
    readonly save: Request<typeof sessionContract.create>["save"];
  }) => {
    const opened = newConsoleSession(deps);
    const answer = await save(async (tx) => {
      await assertPasswordUnchanged(tx, user);
      await spend(tx);
      await startConsoleSession(deps, tx, { opened, user, browser, address });
      return { user: { id: user.id, email: user.email, name: user.name ?? null } };
    });
    setSession({ ...opened, known: knownBrowser.withAccount(deps.sealer, browser.known, user.email) });
    return answer;
  };

/**
 * Calls `prove`. Adds `step` to the error `second_factor_required`. Later, the client sends `step` in place of
 * the password.
 */
const orStep = (
  deps: Pick<Deps, "clock" | "sealer">,
  user: UserRow,
  prove: () => Promise<Spend>,
): Promise<Spend> =>
  prove().catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== "second_factor_required") throw error;
    throw new ApiError("second_factor_required", { step: sealStep(deps, stepOf(user)) });
  });

/**
 * Returns the account of the sign-in step in `sealed`. Throws `invalid_credentials` if the step expired or the
 * password changed.
 */
async function userOfStep(
  deps: Pick<Deps, "clock" | "database" | "sealer">,
  sealed: string,
): Promise<UserRow> {
  const step = openStep(deps, sealed);
  const user = step && (await users.find(deps.database, step.userId));
  if (!step || !user || stepOf(user).password !== step.password) throw stepHasExpired();
  return user;
}

const stepHasExpired = () =>
  new ApiError("invalid_credentials", {
    message: "This sign-in has expired, or is already finished. Begin again.",
  });

/** Changes the password. Ends other sessions and deletes mailed links. Tokens and devices stay valid. (rule S19) */
function changePassword(
  deps: NoticeDeps & Pick<Deps, "database">,
): Handler<typeof sessionContract.changePassword> {
  const record = createAuditWriter(deps);
  return async ({ body, caller, address, save }) => {
    const known = `session:${caller.id}`;
    const counted = await beginAttempt(deps, { email: caller.email, address, known });
    const user = await verifiedUser(deps, caller.email, body.currentPassword);
    const change = { old: user.passwordHash, fresh: await hashPassword(body.newPassword) };
    return save(async (tx) => {
      if (!(await users.changePassword(tx, user.id, change))) throw new ApiError("invalid_credentials");
      await uncountAttempt(tx, counted);
      await consoleSessions.removeOthers(tx, user.id, caller.id);
      await accountLinks.removeAll(tx, user.id);
      await record(tx, { caller, address }, { action: "user.password", target: user.id });
      await notifyAccount(deps, tx, { what: "password", email: user.email, address });
      return undefined;
    });
  };
}

/** Returns the app to which the credential is limited; null if it is not limited to one app. */
async function appOf(
  { database }: Pick<Deps, "database">,
  caller: ConsoleCaller,
): Promise<{ id: string; name: string } | null> {
  const app =
    caller.appId === null
      ? undefined
      : await apps.find(database, caller.appId, { ...caller, needs: "viewer" });
  return app ? { id: app.id, name: app.name } : null;
}

/** Sets the first password. Ends the other sessions and deletes the mailed links. (rule S31) */
function firstPassword(deps: ProvingDeps): Handler<typeof sessionContract.firstPassword> {
  const record = createAuditWriter(deps);
  return async ({ caller, address, body, save }) => {
    const { userId, email } = caller;
    if ((await users.find(deps.database, userId))?.passwordHash) throw hasPassword();
    await assertFreshSession(deps, caller);
    const proving = { user: { id: userId, email }, address, known: `session:${caller.id}`, code: body.code };
    const spend = await proveSecondFactor(deps, proving);
    const change = { old: "", fresh: await hashPassword(body.newPassword) };
    return save(async (tx) => {
      await spend(tx);
      if (!(await users.changePassword(tx, userId, change))) throw hasPassword();
      await consoleSessions.removeOthers(tx, userId, caller.id);
      await accountLinks.removeAll(tx, userId);
      await record(tx, { caller, address }, { action: "user.password", target: userId });
      await notifyAccount(deps, tx, { what: "firstPassword", email, address });
      return undefined;
    });
  };
}

const hasPassword = () =>
  new ApiError("wrong_state", { message: "This account already has a password. Change it instead." });

type AccountLinksDeps = Pick<Deps, "clock" | "database" | "newId" | "sealer" | "settings" | "time">;

/**
 * Returns the handlers for new accounts and forgotten passwords. No answer reveals whether an address has an account.
 * (rules S26, S27)
 */
export const accountLinkHandlers = (deps: AccountLinksDeps): Handlers<typeof accountLinksContract> => ({
  signUp: signUp(deps),
  finishSignUp: finishSignUp(deps),
  recover: recover(deps),
  finishRecovery: finishRecovery(deps),
});

const refuseWithoutRegistration = ({ settings }: Pick<Deps, "settings">): void => {
  if (settings.registration) return;
  throw new ApiError("forbidden", { message: "New accounts are turned off on this server." });
};

/**
 * Mails a link that creates the account. A server without mail creates the account now, unless the address
 * already has an account.
 */
function signUp(deps: AccountLinksDeps): Handler<typeof accountLinksContract.signUp> {
  return async ({ body, save }) => {
    refuseWithoutRegistration(deps);
    const email = normaliseEmail(body.email);
    if (sendsMail(deps.settings))
      return save(async (tx) => {
        await mailSignUp(deps, tx, { email, invitation: body.invitation });
        return undefined;
      });
    if (body.password === undefined) throw badRequest("password", "is missing");
    const passwordHash = await hashPassword(body.password);
    const createdAt = deps.clock.now().toISOString();
    const { name } = body;
    const user = { id: deps.newId(), email, passwordHash, name, createdAt, emailVerifiedAt: null };
    return save(async (tx) => {
      await users.insertUnlessTaken(tx, user);
      return undefined;
    });
  };
}

function finishSignUp(deps: AccountLinksDeps): Handler<typeof accountLinksContract.finishSignUp> {
  return async ({ body, address, browser, save, setSession }) => {
    refuseForeignPage(deps, browser);
    refuseWithoutRegistration(deps);
    const { name = null } = body;
    const passwordHash = await hashPassword(body.password);
    const opened = newConsoleSession(deps);
    const now = deps.clock.now().toISOString();
    const answer = await save(async (tx) => {
      const link = await accountLinks.take(tx, { kind: "sign_up", tokenHash: hashOf(body.token), now });
      if (!link) throw linkIsOver();
      const made = { createdAt: now, emailVerifiedAt: now };
      const user = { id: deps.newId(), email: link.email, passwordHash, name, ...made };
      if (!(await users.insertUnlessTaken(tx, user))) throw linkIsOver();
      await startConsoleSession(deps, tx, { opened, user, browser, address });
      return { user: { id: user.id, email: user.email, name } };
    });
    const { email } = answer.user;
    setSession({ ...opened, known: knownBrowser.withAccount(deps.sealer, browser.known, email) });
    return answer;
  };
}

function recover(deps: AccountLinksDeps): Handler<typeof accountLinksContract.recover> {
  return async ({ body, save }) => {
    if (!sendsMail(deps.settings))
      throw new ApiError("forbidden", {
        message: "This server sends no mail. Its operator can set a new password.",
      });
    return save(async (tx) => {
      await mailRecovery(deps, tx, { email: normaliseEmail(body.email), invitation: body.invitation });
      return undefined;
    });
  };
}

/**
 * Sets the new password. Ends sessions and mailed links. The second factor stays, because a mailbox alone must
 * not allow a sign-in. (rule S30)
 */
function finishRecovery(deps: AccountLinksDeps): Handler<typeof accountLinksContract.finishRecovery> {
  const record = createAuditWriter(deps);
  return async ({ body, address, save }) => {
    const passwordHash = await hashPassword(body.newPassword);
    const now = deps.clock.now().toISOString();
    return save(async (tx) => {
      const link = await accountLinks.take(tx, { kind: "recovery", tokenHash: hashOf(body.token), now });
      if (!link?.userId) throw linkIsOver();
      const { userId, email } = link;
      await users.setPassword(tx, userId, passwordHash);
      await consoleSessions.removeAll(tx, userId);
      await accountLinks.removeAll(tx, userId);
      if (await users.verify(tx, userId, now)) await removeUnprovenAccess(tx, userId);
      const caller = { kind: "session", id: userId, userId, email } as const;
      await record(tx, { caller, address }, { action: "user.recover", target: userId });
      await notifyAccount(deps, tx, { what: "password", email, address });
      return undefined;
    });
  };
}

const linkIsOver = () =>
  new ApiError("invalid_code", {
    message: "This link cannot be used: it is too old, was used, or was replaced by a newer one.",
  });

const recoveryMilliseconds = 30 * 60_000;

const signUpMilliseconds = 24 * 3_600_000;

type MailingDeps = Pick<Deps, "clock" | "newId" | "sealer" | "settings">;

/**
 * Mails a link for a new password. Runs the same SQL for every address, so that the time reveals nothing.
 * (rule S27)
 */
async function mailRecovery(deps: MailingDeps, tx: Transaction, asked: AskedLink): Promise<void> {
  const { email } = asked;
  if (!(await mayMail(deps, tx, email))) return;
  const goal = await goalOf(deps, tx, asked);
  const { link, url, sendBefore } = newLink(deps, { email, goal }, "recover", recoveryMilliseconds);
  await accountLinks.addRecovery(tx, link);
  const mailId = await queueMail(deps, tx, {
    kind: "recovery",
    to: email,
    subject: "A new password for your account",
    text: [
      `Set a new password for your account for ${serverName(deps.settings)} with this link. You can use it once, within 30 minutes:`,
      url,
      ...(goal ? [`After you have signed in, you see ${invitationWords(goal)}`] : []),
      "If you did not request it, you do not have to do anything. Your password does not change.",
    ].join("\n\n"),
    sendBefore,
  });
  if (mailId !== undefined) await accountLinks.dropMailWithoutLink(tx, mailId, link.tokenHash);
}

/** Mails a sign-up link, or how to sign in. Both cases run the same SQL, so that the time reveals nothing. */
async function mailSignUp(deps: MailingDeps, tx: Transaction, asked: AskedLink): Promise<void> {
  const { email } = asked;
  if (!(await mayMail(deps, tx, email))) return;
  const goal = await goalOf(deps, tx, asked);
  const { link, url, sendBefore } = newLink(deps, { email, goal }, "sign-up", signUpMilliseconds);
  const known = await users.findByEmail(tx, email);
  await accountLinks.addSignUp(tx, link);
  const { consoleUrl } = deps.settings;
  await queueMail(deps, tx, {
    kind: "recovery",
    to: email,
    subject: known
      ? `You already have an account on ${serverHost(deps.settings)}`
      : `Your new account on ${serverHost(deps.settings)}`,
    text: (known
      ? [
          `Somebody requested an account for ${serverName(deps.settings)} with this address. You already have one.`,
          goal ? `Sign in here to see ${invitationWords(goal)}` : "Sign in here:",
          goal ? `${consoleUrl}/invitations/${goal.secret}` : `${consoleUrl}/sign-in`,
          "If you forgot the password, set a new one:",
          `${consoleUrl}/recover`,
        ]
      : [
          `Choose a password with this link, and your account for ${serverName(deps.settings)} is ready. You can use the link once, within a day:`,
          url,
          ...(goal ? [`Then you see ${invitationWords(goal)}`] : []),
          "If you did not request it, you do not have to do anything. Then no account is created.",
        ]
    ).join("\n\n"),
    sendBefore,
  });
}

/** A request for a mailed link. `invitation` is the secret of the invitation that the person wants to accept. */
interface AskedLink {
  readonly email: string;
  readonly invitation: string | undefined;
}

/** An invitation and its secret. The invitation's page opens after the person has used the mailed link. */
interface InvitationGoal extends InvitedRow {
  readonly secret: string;
}

/**
 * Returns the invitation that the mailed link will open. Returns undefined if `email` cannot accept the
 * invitation. (rule K27)
 */
async function goalOf(
  { clock }: MailingDeps,
  tx: Transaction,
  { email, invitation: secret }: AskedLink,
): Promise<InvitationGoal | undefined> {
  if (secret === undefined) return undefined;
  const now = clock.now().toISOString();
  const invited = await invitations.invited(tx, { tokenHash: hashOf(secret), now });
  return invited?.email === email ? { ...invited, secret } : undefined;
}

/** The name of the app is in quotation marks, because it must not look like a sentence of the server. */
const invitationWords = ({ invitedBy, appName, role }: InvitationGoal): string =>
  `the invitation of ${invitedBy} to work on the app “${appName}” as ${role}.`;

/**
 * Creates a function that reads a mailed link's invitation. In the result, `invited` is undefined for an
 * unusable invitation.
 */
export const createMailedInvitationRead =
  ({ clock, database, sealer }: Pick<Deps, "clock" | "database" | "sealer">) =>
  async (linkToken: string): Promise<MailedInvitation | undefined> => {
    const now = clock.now().toISOString();
    const sealed = await accountLinks.invitationOf(database, hashOf(linkToken), now);
    if (sealed === undefined) return undefined;
    const secret = unsealed(sealer, sealed);
    if (secret === undefined) return undefined;
    return { secret, invited: await invitations.invited(database, { tokenHash: hashOf(secret), now }) };
  };

/** Decrypts the secret of an invitation. Returns undefined if the encryption key was lost. */
function unsealed(sealer: Pick<Deps["sealer"], "open">, sealed: string): string | undefined {
  try {
    return sealer.open(sealed);
  } catch {
    return undefined;
  }
}

export type MailedInvitationRead = ReturnType<typeof createMailedInvitationRead>;

export interface MailedInvitation {
  readonly secret: string;
  readonly invited: InvitedRow | undefined;
}

function newLink(
  { clock, sealer, settings }: MailingDeps,
  { email, goal }: { readonly email: string; readonly goal: InvitationGoal | undefined },
  path: "recover" | "sign-up",
  lifetime: number,
) {
  const token = randomName();
  const now = clock.now();
  const sendBefore = new Date(now.getTime() + lifetime);
  const link = {
    ...{ tokenHash: hashOf(token), email },
    ...{ now: now.toISOString(), expiresAt: sendBefore.toISOString() },
    invitationSealed: goal ? sealer.seal(goal.secret) : null,
  };
  return { link, url: `${settings.consoleUrl}/${path}/${token}`, sendBefore };
}

/** Counts a mail with a link. Returns false if the rate limit is reached. */
async function mayMail({ clock, settings }: MailingDeps, tx: Transaction, email: string): Promise<boolean> {
  if (!settings.rateLimited) return true;
  const rule = settings.rateLimits.linkMails;
  return (await consume(tx, { key: `linkMails:${hashOf(email)}`, rule, clock })).allowed;
}

/**
 * Throws `forbidden` for a request from another site, which could sign a person in to an attacker's account.
 */
function refuseForeignPage({ settings }: Pick<Deps, "settings">, { origin }: Browser): void {
  if (origin === undefined || isOwnOrigin(origin, settings)) return;
  throw new ApiError("forbidden", { message: "Sign in from a page of the console." });
}

/**
 * Throws `invalid_credentials` if the password was changed after it was verified. Locks the password until the
 * transaction ends.
 */
async function assertPasswordUnchanged(tx: Transaction, user: UserRow): Promise<void> {
  if (!(await users.lockPassword(tx, user.id, user.passwordHash))) throw new ApiError("invalid_credentials");
}
