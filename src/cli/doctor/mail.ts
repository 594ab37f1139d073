import type { Context } from "../core/context.ts";
import { type Finding, failure, faultOf, ok } from "./finding.ts";

/** Whether the mail server of INNKEEP_SMTP_URL takes our mails, where it is set. */
export async function checkMail({ env, programs }: Context): Promise<Finding[]> {
  const { INNKEEP_SMTP_URL: smtpUrl, INNKEEP_MAIL_FROM: mailFrom } = env;
  if (!smtpUrl) return [];
  try {
    const { server, from } = await programs.admin({ command: "mail check", smtpUrl, mailFrom });
    return [ok("mail", `The mail server ${server} takes mail from ${from}.`)];
  } catch (error) {
    const why = "A server with these settings sends no mail. Mails wait for three days.";
    const next = "Mend INNKEEP_SMTP_URL, then try `innkeep admin mail test --to ADDRESS`.";
    return [failure("mail", faultOf(error, { why, next }))];
  }
}
