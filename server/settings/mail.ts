import { isMailAddress } from "../mail/address.ts";
import { SettingError } from "./setting-error.ts";
import type { Environment, MailIn, MailOut, MailServer } from "./settings.ts";

const urlForm =
  "INNKEEP_SMTP_URL must be an address such as smtps://user:password@smtp.example.com or smtp://smtp.example.com:587, " +
  "with name and password in percent-encoding. With `?tls=off`, mails are sent without encryption. With `?tls=unverified`, any certificate is accepted.";
const imapForm =
  "INNKEEP_IMAP_URL must be an address such as imaps://user:password@imap.example.com or imaps://…/Folder, " +
  "with name and password in percent-encoding. With `?tls=off`, mails are read without encryption. With `?tls=unverified`, any certificate is accepted.";
const fromForm =
  "INNKEEP_MAIL_FROM must be an address such as `Larder <feedback@example.com>` or feedback@example.com";

/**
 * Returns the server for outgoing mail. Undefined if INNKEEP_SMTP_URL is not set. Throws a SettingError for a wrong
 * value. The message never quotes the URL, because it contains a password. (rule M1)
 */
export function mailOutOf(environment: Environment): MailOut | undefined {
  const { INNKEEP_SMTP_URL: given, INNKEEP_MAIL_FROM: from } = environment;
  if (!given) return undefined;
  if (!from) throw new SettingError(`${fromForm}. It must be set because INNKEEP_SMTP_URL is set.`);
  const { path, ...server } = serverOf(given, smtp);
  if (path !== "") throw new SettingError(urlForm);
  return { ...server, from: senderOf(from) };
}

/**
 * Returns the mailbox that receives the answers of senders. Undefined if INNKEEP_IMAP_URL is not set. Throws a
 * SettingError for a wrong value. The message never quotes the URL, because it contains a password. (rule M12)
 */
export function mailInOf(environment: Environment): MailIn | undefined {
  const { INNKEEP_IMAP_URL: given, INNKEEP_SMTP_URL: out } = environment;
  if (!given) return undefined;
  if (!out) throw new SettingError("INNKEEP_SMTP_URL must be set because INNKEEP_IMAP_URL is set.");
  const { path, ...server } = serverOf(given, imap);
  return { ...server, folder: path === "" ? "INBOX" : path };
}

interface Scheme {
  readonly name: string;
  readonly securePort: number;
  readonly port: number;
  readonly wanted: string;
}

const smtp: Scheme = { name: "smtp", securePort: 465, port: 587, wanted: urlForm };
const imap: Scheme = { name: "imap", securePort: 993, port: 143, wanted: imapForm };

function serverOf(given: string, scheme: Scheme): MailServer & { readonly path: string } {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const tls = url?.searchParams.get("tls") ?? "required";
  const isImmediate = url?.protocol === `${scheme.name}s:`;
  const hasScheme = isImmediate || url?.protocol === `${scheme.name}:`;
  if (!url || !hasScheme || url.hostname === "" || url.hash) throw new SettingError(scheme.wanted);
  if (!["required", "unverified", "off"].includes(tls)) throw new SettingError(scheme.wanted);
  if (isImmediate && tls === "off") throw new SettingError(scheme.wanted);
  const own = (part: string) => decoded(part, scheme);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (isImmediate ? scheme.securePort : scheme.port) : Number(url.port),
    encryption: isImmediate ? "immediate" : tls === "off" ? "off" : "starttls",
    verified: tls !== "unverified",
    user: own(url.username),
    password: own(url.password),
    path: own(url.pathname.replace(/^\//, "")),
  };
}

function decoded(part: string, { wanted }: Scheme): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new SettingError(wanted);
  }
}

function senderOf(given: string): MailOut["from"] {
  const [, name = "", inner] = /^([^<>\p{Cc}]*)<([^<>]+)>$/u.exec(given.trim()) ?? [];
  const address = inner ?? given.trim();
  if (isMailAddress(address)) return { name: name.trim().replace(/^"(.*)"$/, "$1"), address };
  throw new SettingError(`${fromForm}, not \`${given}\`.`);
}
