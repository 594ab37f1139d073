import type { Transaction } from "../../../database/database.ts";
import type { Deps } from "../../../deps.ts";
import { consume } from "../../../http/rate-limits/store.ts";
import { queueMail } from "../../../mail/outgoing/queue.ts";
import { hashOf, randomName } from "../../../secrets/secrets.ts";
import { users } from "../../accounts/store.ts";
import { accountLinks } from "../account-links.ts";

const recoveryMilliseconds = 30 * 60_000;
const signUpMilliseconds = 24 * 3_600_000;

type Needed = Pick<Deps, "clock" | "newId" | "sealer" | "settings">;

/**
 * Mails a link to a new password, if the address has an account with one. For every address the same statements run, so
 * that no answer is slower than another: the mail of an unknown address is queued and taken back. (rule S27)
 */
export async function mailRecovery(deps: Needed, tx: Transaction, email: string): Promise<void> {
  if (!(await mayMail(deps, tx, email))) return;
  const { link, url, sendBefore } = newLink(deps, { email, path: "recover", lives: recoveryMilliseconds });
  await accountLinks.addRecovery(tx, link);
  const mailId = await queueMail(deps, tx, {
    kind: "recovery",
    to: email,
    subject: "A new password for your account",
    text: `With this link you set a new password. It works once, for 30 minutes:\n\n${url}\n\nIf you did not ask for it, you need not do anything: your password stays.`,
    sendBefore,
  });
  if (mailId !== undefined) await accountLinks.dropMailWithoutLink(tx, mailId, link.tokenHash);
}

/** Mails a link to a new account. To an address that has one it mails how to sign in. The statements are the same. */
export async function mailSignUp(deps: Needed, tx: Transaction, email: string): Promise<void> {
  if (!(await mayMail(deps, tx, email))) return;
  const { link, url, sendBefore } = newLink(deps, { email, path: "sign-up", lives: signUpMilliseconds });
  const known = await users.findByEmail(tx, email);
  await accountLinks.addSignUp(tx, link);
  const { consoleUrl } = deps.settings;
  await queueMail(deps, tx, {
    kind: "recovery",
    to: email,
    subject: known ? "You have an account already" : "Your new account",
    text: known
      ? `Somebody asked for an account for this address. You have one already. Sign in here:\n\n${consoleUrl}/sign-in\n\nIf you forgot the password, set a new one:\n\n${consoleUrl}/recover`
      : `With this link you choose a password, and your account is ready. It works once, for a day:\n\n${url}\n\nIf you did not ask for it, you need not do anything: nothing is made.`,
    sendBefore,
  });
}

interface LinkTraits {
  readonly email: string;
  readonly path: "recover" | "sign-up";
  readonly lives: number;
}

function newLink({ clock, settings }: Needed, { email, path, lives }: LinkTraits) {
  const token = randomName();
  const now = clock.now();
  const sendBefore = new Date(now.getTime() + lives);
  const link = {
    ...{ tokenHash: hashOf(token), email },
    ...{ now: now.toISOString(), expiresAt: sendBefore.toISOString() },
  };
  return { link, url: `${settings.consoleUrl}/${path}/${token}`, sendBefore };
}

/** Whether the address may get another such mail now. The answer to the request is the same if not. */
async function mayMail({ clock, settings }: Needed, tx: Transaction, email: string): Promise<boolean> {
  if (!settings.rateLimited) return true;
  const rule = settings.rateLimits.linkMails;
  return (await consume(tx, { key: `linkMails:${hashOf(email)}`, rule, clock })).allowed;
}
