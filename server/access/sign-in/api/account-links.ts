import type { accountLinks as contract } from "../../../../src/contract/account-links.ts";
import { ApiError, badRequest } from "../../../../src/contract/errors.ts";
import type { Deps } from "../../../deps.ts";
import type { Handler, Handlers } from "../../../http/handler.ts";
import { knownBrowser } from "../../../http/known-browser.ts";
import { sendsMail } from "../../../mail/outgoing/queue.ts";
import { hashPassword, normaliseEmail } from "../../../secrets/passwords.ts";
import { hashOf } from "../../../secrets/secrets.ts";
import { noticeAccount } from "../../accounts/notice.ts";
import { users } from "../../accounts/store.ts";
import { createAuditWriter } from "../../audit/record.ts";
import { accountLinks } from "../account-links.ts";
import { newConsoleSession, startConsoleSession } from "../start-session.ts";
import { consoleSessions } from "../store.ts";
import { removeUnprovenAccess } from "../unproven-access.ts";
import { mailRecovery, mailSignUp } from "./link-mails.ts";
import { refuseForeignPage } from "./session.ts";

type Needed = Pick<Deps, "clock" | "database" | "newId" | "sealer" | "settings" | "time">;

/** New accounts and forgotten passwords. No answer shows whether an address has an account. (rules S26, S27) */
export const accountLinkHandlers = (deps: Needed): Handlers<typeof contract> => ({
  signUp: signUp(deps),
  finishSignUp: finishSignUp(deps),
  recover: recover(deps),
  finishRecovery: finishRecovery(deps),
});

const refuseWithoutRegistration = ({ settings }: Pick<Deps, "settings">): void => {
  if (settings.registration) return;
  throw new ApiError("forbidden", { message: "New accounts are turned off here." });
};

/** By mail the account is made later, with the link. Without mail it is made now, unless the address has one. */
function signUp(deps: Needed): Handler<typeof contract.signUp> {
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
    const user = { id: deps.newId(), email, passwordHash, createdAt, emailVerifiedAt: null };
    return save(async (tx) => {
      await users.insertUnlessTaken(tx, user);
      return undefined;
    });
  };
}

function finishSignUp(deps: Needed): Handler<typeof contract.finishSignUp> {
  return async ({ body, address, browser, save, setSession }) => {
    refuseForeignPage(deps, browser);
    refuseWithoutRegistration(deps);
    const passwordHash = await hashPassword(body.password);
    const opened = newConsoleSession(deps);
    const now = deps.clock.now().toISOString();
    const answer = await save(async (tx) => {
      const link = await accountLinks.take(tx, { kind: "sign_up", tokenHash: hashOf(body.token), now });
      if (!link) throw linkIsOver();
      const made = { createdAt: now, emailVerifiedAt: now };
      const user = { id: deps.newId(), email: link.email, passwordHash, ...made };
      if (!(await users.insertUnlessTaken(tx, user))) throw linkIsOver();
      await startConsoleSession(deps, tx, { opened, user, browser, address });
      return { user: { id: user.id, email: user.email } };
    });
    const { email } = answer.user;
    setSession({ ...opened, known: knownBrowser.withAccount(deps.sealer, browser.known, email) });
    return answer;
  };
}

function recover(deps: Needed): Handler<typeof contract.recover> {
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
 * Ends every session and every other link. The second factor stays: a mailbox alone opens no account that has one. If the
 * address was never verified, somebody else may have made the account: what opens it besides the password ends, too. (rule S30)
 */
function finishRecovery(deps: Needed): Handler<typeof contract.finishRecovery> {
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
      await noticeAccount(deps, tx, { what: "password", email, address });
      return undefined;
    });
  };
}

const linkIsOver = () =>
  new ApiError("invalid_code", {
    message: "This link cannot be used: it is too old, was used, or was replaced by a newer one.",
  });
