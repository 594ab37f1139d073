import { badRequest } from "../../src/contract/errors.ts";
import type { MailChoice } from "../../src/programs.ts";
import { isMailAddress } from "../mail/address.ts";
import type { Mailer } from "../mail/outgoing/smtp.lazy.ts";
import { mailOutOf } from "../settings/mail.ts";
import { SettingError } from "../settings/setting-error.ts";
import type { MailOut } from "../settings/settings.ts";

const timeoutMilliseconds = 60_000;

/**
 * Checks that the mail server accepts mail from this server. Sends nothing. Returns the mail server and the address of
 * the sender. Throws an Error that describes the problem.
 */
export const checkMail = (choice: MailChoice) =>
  withMailer(choice, async (mailer, mailOut) => {
    const fault = await mailer.fault();
    if (fault !== undefined) throw new Error(`${fault}.`);
    return { server: serverOf(mailOut), from: mailOut.from.address };
  });

/**
 * Sends one test mail immediately. Returns the mail server, the addresses and the id of the mail. Throws an Error
 * with the reason if the mail server refuses it.
 */
export const sendTestMail = (choice: MailChoice & { readonly to: string }) =>
  withMailer(choice, async (mailer, mailOut) => {
    const { to } = choice;
    if (!isMailAddress(to)) throw badRequest("to", "must be an address such as ada@example.org");
    const messageId = `<test.${crypto.randomUUID()}@${mailOut.from.address.split("@").at(-1)}>`;
    const none = { replyTo: null, thread: null, unsubscribeUrl: null, automatic: false };
    const text = "This server can send mail. Its operator sent you this mail as a test.\n";
    const mail = { to, fromName: mailOut.from.name, subject: "A test of Innkeep", text, messageId, ...none };
    const sending = await mailer.send(mail, AbortSignal.timeout(timeoutMilliseconds));
    if (sending.outcome !== "sent") throw new Error(`${sending.reason}.`);
    return { sent: to, server: serverOf(mailOut), from: mailOut.from.address, messageId };
  });

const serverOf = ({ host, port }: MailOut): string => `${host}:${port}`;

async function withMailer<Result>(
  { smtpUrl, mailFrom }: MailChoice,
  work: (mailer: Mailer, mailOut: MailOut) => Promise<Result>,
): Promise<Result> {
  const mailOut = mailOutOf({ INNKEEP_SMTP_URL: smtpUrl, INNKEEP_MAIL_FROM: mailFrom });
  if (mailOut === undefined)
    throw new SettingError("INNKEEP_SMTP_URL must be set, such as smtps://user:password@smtp.example.com.");
  const { createMailer } = await import("../mail/outgoing/smtp.lazy.ts");
  const mailer = createMailer(mailOut, 1);
  try {
    return await work(mailer, mailOut);
  } finally {
    mailer.close();
  }
}
