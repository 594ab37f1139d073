import { domainToASCII } from "node:url";
import { createTransport, type SendMailOptions } from "nodemailer";
import { patternOfText } from "../../../src/words/pattern.ts";
import type { MailOut } from "../../settings/settings.ts";
import type { MailContent } from "./queue.ts";
import { headerText } from "./rules.ts";

/** The result of sending a mail. `reason` contains no address, host, user or password. */
export type Sending =
  | { readonly outcome: "sent" }
  /** The mail server will never accept this mail. */
  | { readonly outcome: "refused"; readonly reason: string; readonly noSuchAddress: boolean }
  /** The mail server does not accept the mail now, but may accept it later. */
  | { readonly outcome: "later"; readonly reason: string }
  /** The connection failed, or the mail server accepts no mail now. */
  | { readonly outcome: "unusable"; readonly reason: string };

export interface Mailer {
  /** Sends a mail. The promise never rejects. When `signal` aborts, the connection is closed. */
  send(mail: MailContent, signal: AbortSignal): Promise<Sending>;
  /** Connects but sends no mail. Returns why the mail server cannot be used; undefined if it can. */
  fault(): Promise<string | undefined>;
  close(): void;
}

const timeouts = {
  dnsTimeout: 15_000,
  connectionTimeout: 15_000,
  greetingTimeout: 30_000,
  // Mail servers may answer late. With a shorter time limit, this server would send the same mail twice.
  socketTimeout: 120_000,
};

/** Creates a mailer with at most `connections` connections. The connections stay open for later mails. (rule M1) */
export function createMailer(server: MailOut, connections: number): Mailer {
  const { host, port, encryption, verified, user, password: pass, from } = server;
  const transport = createTransport({
    host,
    port,
    secure: encryption === "immediate",
    requireTLS: encryption === "starttls",
    ignoreTLS: encryption === "off",
    tls: { rejectUnauthorized: verified, minVersion: "TLSv1.2" },
    ...(user === "" ? {} : { auth: { user, pass } }),
    ...timeouts,
    pool: true,
    maxConnections: connections,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const secrets = pass === "" ? [] : [base64(`\0${user}\0${pass}`), base64(pass), pass];
  const names = [...bothForms(from.address), user, base64(user), ...bothForms(host)];
  const hidden = (error: SmtpError, addresses: readonly string[] = []): SmtpError =>
    withoutTexts(error, { secrets, names: [...names, ...addresses.flatMap(bothForms)] });
  return {
    send: (mail, signal) =>
      transport.sendMail({ ...wireMail(mail, from.address), signal }).then(
        () => ({ outcome: "sent" }),
        (error) => sendingOf(hidden(error, [mail.to, mail.replyTo ?? ""])),
      ),
    fault: () =>
      transport.verify().then(
        () => undefined,
        (error) => reasonOf(hidden(error)),
      ),
    close: () => transport.close({ force: true }),
  };
}

function wireMail(mail: MailContent, address: string): SendMailOptions {
  const { to, fromName, subject, text, messageId, replyTo, thread, unsubscribeUrl, automatic } = mail;
  return {
    from: { name: fromName, address },
    // `to` is an object, because the mail library could read several addresses in a text.
    to: { name: "", address: to },
    subject,
    text,
    messageId,
    ...(replyTo === null ? {} : { replyTo, envelope: { from: replyTo, to } }),
    ...(thread === null ? {} : { inReplyTo: thread, references: thread }),
    headers: {
      ...(automatic ? { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" } : {}),
      ...(unsubscribeUrl === null
        ? {}
        : {
            "List-Unsubscribe": `<${unsubscribeUrl}>`,
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
          }),
    },
  };
}

interface SmtpError {
  readonly code?: unknown;
  readonly command?: unknown;
  readonly response?: unknown;
  readonly responseCode?: unknown;
}

/**
 * Removes `secrets` and `names` from an answer. Removes names only as whole words, because a user can be named
 * `a`. (rule M1)
 */
function withoutTexts(
  { code, command, response, responseCode }: SmtpError,
  { secrets, names }: { readonly secrets: readonly string[]; readonly names: readonly string[] },
): SmtpError {
  if (typeof response !== "string") return { code, command, response, responseCode };
  const hidden = [
    ...secrets.map((text) => ({ text, source: patternOfText(text) })),
    ...names.map((text) => ({
      text,
      source: String.raw`(?<![\p{L}\p{N}])${patternOfText(text)}(?![\p{L}\p{N}])`,
    })),
  ];
  // The longest texts come first, because an address can contain the host.
  const shown = hidden
    .filter(({ text }) => text !== "")
    .sort((one, other) => other.text.length - one.text.length)
    .reduce((text, { source }) => text.replaceAll(new RegExp(source, "giu"), "…"), response);
  return { code, command, response: shown, responseCode };
}

/** Returns an address or host, and the same with its domain in ASCII. The mail server gets the ASCII form. */
function bothForms(address: string): string[] {
  const at = address.lastIndexOf("@") + 1;
  const ascii = domainToASCII(address.slice(at));
  return ascii === "" ? [address] : [address, address.slice(0, at) + ascii];
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

function sendingOf(error: SmtpError): Sending {
  const reason = reasonOf(error);
  const status = Number(error.responseCode);
  const isAboutMail = /^(RCPT TO|DATA)/.test(String(error.command)) && status >= 400 && status !== 421;
  if (!isAboutMail) return { outcome: "unusable", reason };
  if (status < 500) return { outcome: "later", reason };
  return { outcome: "refused", reason, noSuchAddress: / 5\.1\.\d/.test(` ${error.response}`) };
}

function reasonOf({ code, response }: SmtpError): string {
  if (code === "EAUTH") return `The mail server refuses the name or the password${answerOf(response)}`;
  if (code === "ETLS") return `The mail server offers no encryption that can be used${answerOf(response)}`;
  if (typeof response === "string" && response !== "") return `The mail server answered${answerOf(response)}`;
  return `The mail server cannot be used (${typeof code === "string" ? code : "no answer"})`;
}

const answerOf = (response: unknown): string =>
  typeof response === "string" && response !== "" ? `: ${headerText(response, 200)}` : "";
