import * as z from "zod/mini";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { normaliseEmail } from "../../secrets/passwords.ts";
import { type Sealer, uuidBytes, uuidOf } from "../../secrets/secrets.ts";
import type { Settings } from "../../settings/settings.ts";
import { isMailAddress } from "../address.ts";
import {
  bodyText,
  headerText,
  isAutomatic,
  longestTryingMilliseconds,
  type MailKind,
  queueOf,
} from "./rules.ts";
import { mails } from "./store.ts";

/** A mail to one person. Only `kind`, `to`, `subject` and `text` are required. */
export interface OutgoingMail {
  readonly kind: MailKind;
  /** The address of the receiver, as a person typed it. */
  readonly to: string;
  /** The subject. It may contain text that a stranger wrote, so it is cleaned and shortened. */
  readonly subject: string;
  /** The plain text of the mail. Each link is on a separate line. */
  readonly text: string;
  /** The app that the mail is about. If the app is deleted, the mail is deleted, too. */
  readonly appId?: string | undefined;
  /** The id of the object that the mail is about, such as a message. */
  readonly subjectId?: string | undefined;
  /** The sender's name, such as the app name. The address is always that of this server. */
  readonly fromName?: string | undefined;
  /** The report that the mail answers. If this server reads a mailbox, the receiver can answer by mail. */
  readonly reportId?: string | undefined;
  /** A text that groups mails. Mail programs show all mails with the same value as one conversation. */
  readonly thread?: string | undefined;
  /** The address with which the receiver can stop automatic mail with one click. */
  readonly unsubscribeUrl?: string | undefined;
  /** The time after which the mail is useless. The default is three days after the mail is queued. */
  readonly sendBefore?: Date | undefined;
}

type QueueDeps = Pick<Deps, "settings" | "sealer" | "newId" | "clock">;

/**
 * Whether this server sends mail. Also true for a development server, which only stores mails;
 * `GET /dev/outbox` shows them. (rule M1)
 */
export const sendsMail = ({ mailOut, dev }: Pick<Settings, "mailOut" | "dev">): boolean =>
  mailOut !== undefined || dev;

/**
 * Queues a mail in the transaction of its change. Returns the id; undefined if no mail can be sent.
 * (rules M1, M2, M6)
 */
export async function queueMail(
  deps: QueueDeps,
  tx: Transaction,
  mail: OutgoingMail,
): Promise<string | undefined> {
  const to = mail.to.trim();
  if (!sendsMail(deps.settings) || !isMailAddress(to)) return undefined;
  const id = deps.newId();
  const now = deps.clock.now();
  await mails.insert(tx, {
    id,
    appId: mail.appId ?? null,
    kind: mail.kind,
    lane: queueOf(mail.kind),
    subjectId: mail.subjectId ?? null,
    reportId: mail.reportId ?? null,
    recipient: normaliseEmail(to),
    content: sealMail(deps, contentOf(deps, id, { ...mail, to })),
    createdAt: now.toISOString(),
    sendBefore: (mail.sendBefore ?? new Date(now.getTime() + longestTryingMilliseconds)).toISOString(),
  });
  return id;
}

/**
 * Replaces the content of a waiting mail, but keeps its Message-ID. Returns false if the mail does not wait.
 * (rule M6)
 */
export const rewriteMail = (
  deps: QueueDeps,
  tx: Transaction,
  id: string,
  mail: OutgoingMail,
): Promise<boolean> =>
  mails.rewrite(tx, id, sealMail(deps, contentOf(deps, id, { ...mail, to: mail.to.trim() })));

function contentOf({ settings, sealer }: QueueDeps, id: string, mail: OutgoingMail) {
  const domain = mailDomain(settings);
  const isAnswerable = mail.reportId !== undefined && settings.mailIn !== undefined;
  return {
    to: mail.to,
    fromName: headerText(mail.fromName ?? settings.mailOut?.from.name ?? "Innkeep", 100),
    subject: headerText(mail.subject, 200),
    text: bodyText(mail.text),
    messageId: `<${id}@${domain}>`,
    replyTo: isAnswerable ? `reply+${replyTokenOf(sealer, id)}@${domain}` : null,
    thread: mail.thread === undefined ? null : `<thread.${mail.thread}@${domain}>`,
    unsubscribeUrl: mail.unsubscribeUrl ?? null,
    automatic: isAutomatic(mail.kind),
  };
}

/** Returns the domain of the address from which this server sends mail. */
const mailDomain = ({ mailOut }: Pick<Settings, "mailOut">): string =>
  mailOut?.from.address.split("@").at(-1) ?? "localhost";

const Content = z.object({
  to: z.string(),
  fromName: z.string(),
  subject: z.string(),
  text: z.string(),
  messageId: z.string(),
  replyTo: z.nullable(z.string()),
  thread: z.nullable(z.string()),
  unsubscribeUrl: z.nullable(z.string()),
  automatic: z.boolean(),
});

/** Everything that is sent to the mail server. The texts are already cleaned. */
export type MailContent = z.infer<typeof Content>;

const prefix = "sealed:";

/** Encrypts a mail for the database, because links in it may be credentials. */
const sealMail = ({ sealer }: Pick<Deps, "sealer">, content: MailContent): string =>
  prefix + sealer.seal(JSON.stringify(content));

/** Decrypts a stored mail. Throws if it was encrypted with another secret. */
export const openMail = ({ sealer }: Pick<Deps, "sealer">, stored: string): MailContent =>
  Content.parse(JSON.parse(sealer.open(stored.slice(prefix.length))));

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";

const macDigits = 20;

const bitsOfDigit = 5;

const form = /^[a-z2-7]{42}$/i;

/**
 * Returns the token of a reply address. Uses base32, because mail servers may change the case of letters.
 * (rule M12)
 */
export const replyTokenOf = (sealer: Pick<Sealer, "mark">, mailId: string): string =>
  base32(
    Buffer.from(mailId.replaceAll("-", "") + sealer.mark(markedText(mailId)).slice(0, macDigits), "hex"),
  );

/** Returns the mail id in a token. Returns undefined if this deployment did not create the token. */
export function readReplyToken(sealer: Pick<Sealer, "isMark">, token: string): string | undefined {
  const bytes = form.test(token) ? fromBase32(token.toLowerCase()) : undefined;
  if (bytes?.length !== uuidBytes + macDigits / 2) return undefined;
  const id = uuidOf(bytes.subarray(0, uuidBytes));
  return sealer.isMark(markedText(id), bytes.subarray(uuidBytes).toString("hex")) ? id : undefined;
}

const markedText = (mailId: string): string => `answer by mail\n${mailId}`;

function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const digits = bits.match(/.{1,5}/g) ?? [];
  return digits.map((digit) => alphabet[Number.parseInt(digit.padEnd(bitsOfDigit, "0"), 2)]).join("");
}

function fromBase32(text: string): Buffer | undefined {
  const digits = [...text].map((digit) => alphabet.indexOf(digit));
  if (digits.includes(-1)) return undefined;
  const bits = digits.map((digit) => digit.toString(2).padStart(bitsOfDigit, "0")).join("");
  const bytes = bits.match(/.{8}/g) ?? [];
  // The unused bits must be 0. So there is only one valid text for each token.
  if (/1/.test(bits.slice(bytes.length * 8))) return undefined;
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}
