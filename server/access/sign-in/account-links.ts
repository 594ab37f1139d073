import type { accountLinks as contract } from "../../../src/contract/console-session.ts";
import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { knownBrowser } from "../../http/authenticate.ts";
import type { Handler, Handlers } from "../../http/handler.ts";
import { consume } from "../../http/rate-limits/store.ts";
import { queueMail, sendsMail } from "../../mail/outgoing/queue.ts";
import { hashPassword, normaliseEmail } from "../../secrets/passwords.ts";
import { hashOf, randomName } from "../../secrets/secrets.ts";
import { notifyAccount } from "../accounts/notice.ts";
import { users } from "../accounts/store.ts";
import { createAuditWriter } from "../audit/record.ts";
import { newConsoleSession, startConsoleSession } from "./start-session.ts";
import { accountLinks, consoleSessions, removeUnprovenAccess } from "./store.ts";
import { refuseForeignPage } from "./verify.ts";

type AccountLinksDeps = Pick<Deps, "clock" | "database" | "newId" | "sealer" | "settings" | "time">;

/**
 * Returns the handlers for new accounts and forgotten passwords. No answer reveals whether an address has an account.
 * (rules S26, S27)
 */
export const accountLinkHandlers = (deps: AccountLinksDeps): Handlers<typeof contract> => ({
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
 * Starts a sign-up. If the server sends mail, it mails a link that creates the account later. Otherwise this request
 * creates the account, unless the address already has one.
 */
function signUp(deps: AccountLinksDeps): Handler<typeof contract.signUp> {
  return async ({ body, save }) => {
    refuseWithoutRegistration(deps);
    const email = normaliseEmail(body.email);
    if (sendsMail(deps.settings))
      return save(async (tx) => {
        await mailSignUp(deps, tx, email);
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

function finishSignUp(deps: AccountLinksDeps): Handler<typeof contract.finishSignUp> {
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

function recover(deps: AccountLinksDeps): Handler<typeof contract.recover> {
  return async ({ body, save }) => {
    if (!sendsMail(deps.settings))
      throw new ApiError("forbidden", {
        message: "This server sends no mail. Its operator can set a new password.",
      });
    return save(async (tx) => {
      await mailRecovery(deps, tx, normaliseEmail(body.email));
      return undefined;
    });
  };
}

/**
 * Sets the new password, and ends all sessions and all other links. The second factor stays, because access to the
 * mailbox alone must not be enough to sign in. If the address was never verified, somebody else may have created the
 * account. Then all other credentials of the account are removed, too. (rule S30)
 */
function finishRecovery(deps: AccountLinksDeps): Handler<typeof contract.finishRecovery> {
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
 * Mails a link for a new password, if the address has an account with a password. The same statements run for each
 * address, so that the time of the answer reveals nothing. For an unknown address, the mail is queued and then deleted.
 * (rule S27)
 */
async function mailRecovery(deps: MailingDeps, tx: Transaction, email: string): Promise<void> {
  if (!(await mayMail(deps, tx, email))) return;
  const { link, url, sendBefore } = newLink(deps, email, "recover", recoveryMilliseconds);
  await accountLinks.addRecovery(tx, link);
  const mailId = await queueMail(deps, tx, {
    kind: "recovery",
    to: email,
    subject: "A new password for your account",
    text: `Set a new password with this link. It works once, for 30 minutes:\n\n${url}\n\nIf you did not request it, you do not have to do anything. Your password does not change.`,
    sendBefore,
  });
  if (mailId !== undefined) await accountLinks.dropMailWithoutLink(tx, mailId, link.tokenHash);
}

/**
 * Mails a link for a new account. If the address already has an account, the mail says how to sign in. The same
 * statements run in both cases.
 */
async function mailSignUp(deps: MailingDeps, tx: Transaction, email: string): Promise<void> {
  if (!(await mayMail(deps, tx, email))) return;
  const { link, url, sendBefore } = newLink(deps, email, "sign-up", signUpMilliseconds);
  const known = await users.findByEmail(tx, email);
  await accountLinks.addSignUp(tx, link);
  const { consoleUrl } = deps.settings;
  await queueMail(deps, tx, {
    kind: "recovery",
    to: email,
    subject: known ? "You already have an account" : "Your new account",
    text: known
      ? `Somebody requested an account for this address. You already have one. Sign in here:\n\n${consoleUrl}/sign-in\n\nIf you forgot the password, set a new one:\n\n${consoleUrl}/recover`
      : `Choose a password with this link, and your account is ready. The link works once, for a day:\n\n${url}\n\nIf you did not request it, you do not have to do anything. Then no account is created.`,
    sendBefore,
  });
}

function newLink(
  { clock, settings }: MailingDeps,
  email: string,
  path: "recover" | "sign-up",
  lifetime: number,
) {
  const token = randomName();
  const now = clock.now();
  const sendBefore = new Date(now.getTime() + lifetime);
  const link = {
    ...{ tokenHash: hashOf(token), email },
    ...{ now: now.toISOString(), expiresAt: sendBefore.toISOString() },
  };
  return { link, url: `${settings.consoleUrl}/${path}/${token}`, sendBefore };
}

/** Whether the address may get another mail with a link now. The answer to the request is the same in both cases. */
async function mayMail({ clock, settings }: MailingDeps, tx: Transaction, email: string): Promise<boolean> {
  if (!settings.rateLimited) return true;
  const rule = settings.rateLimits.linkMails;
  return (await consume(tx, { key: `linkMails:${hashOf(email)}`, rule, clock })).allowed;
}
