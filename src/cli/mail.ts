import type { Command } from "commander";
import { administer, group } from "./core/administer.ts";
import { commandAction, type Setup } from "./core/command.ts";

export function addMail(admin: Command, setup: Setup): void {
  const test = group(admin, "mail", "Mail to people")
    .command("test")
    .description("Send one mail at once, by INNKEEP_SMTP_URL and INNKEEP_MAIL_FROM")
    .requiredOption("--to <address>", "who gets it");
  commandAction<{ to: string }>(test, setup, (invocation, { to }) => {
    const { INNKEEP_SMTP_URL: smtpUrl, INNKEEP_MAIL_FROM: mailFrom } = invocation.context.env;
    return administer(invocation, {}, { command: "mail test", to, smtpUrl, mailFrom });
  });
}
