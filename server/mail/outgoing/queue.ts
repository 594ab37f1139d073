import * as z from "zod/mini";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { normaliseEmail } from "../../secrets/passwords.ts";
import type { Settings } from "../../settings/settings.ts";
import { isMailAddress } from "../address.ts";
import { replyTokenOf } from "../reply-tokens.ts";
import { bodyText, headerText, isAutomatic, laneOf, type MailKind, mailPatience } from "./rules.ts";
import { mails } from "./store.ts";

/** A mail to one person. Only `kind`, `to`, `subject` and `text` must be given. */
export interface OutgoingMail {
  readonly kind: MailKind;
  /** The address as it was typed. */
  readonly to: string;
  /** One line; what strangers wrote is cleaned and cut. */
  readonly subject: string;
  /** Plain text with its links, each on a line of its own. */
  readonly text: string;
  /** The app that the mail is about; the mail goes when the app goes. */
  readonly appId?: string | undefined;
  /** The id of what the mail is about, by which its state is found again. */
  readonly subjectId?: string | undefined;
  /** The name beside our own address, such as that of the app. */
  readonly fromName?: string | undefined;
  /** The report that the mail answers: where mail is read, its sender can answer by mail. */
  readonly reportId?: string | undefined;
  /** Mails with the same name are shown as one conversation. */
  readonly thread?: string | undefined;
  /** Ends automatic mail with one click. */
  readonly unsubscribeUrl?: string | undefined;
  /** Later the mail is of no use, such as after the end of the link in it. Three days unless given. */
  readonly sendBefore?: Date | undefined;
}

type QueueDeps = Pick<Deps, "settings" | "sealer" | "newId" | "clock">;

/** Whether mails leave this server. A development server catches them: `GET /dev/outbox` shows them. (rule M1) */
export const sendsMail = ({ mailOut, dev }: Pick<Settings, "mailOut" | "dev">): boolean =>
  mailOut !== undefined || dev;

/**
 * Queues a mail inside the transaction of the change that it reports: it is sent after the commit, and only then. It waits
 * until the mail server takes it, also across restarts, and is never lost; if the server ends between the acceptance and its
 * note, the mail goes out again with the same Message-ID. Content is sealed until it is sent, then forgotten. Returns the id of
 * the mail; undefined, and nothing is queued, if this server sends no mail or `to` is no address. (rules M1, M2, M6)
 *
 *     const mailId = await queueMail(deps, tx, { kind: "invitation", to, subject, text: `…\n\n${url}`, sendBefore: endsAt });
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
    lane: laneOf(mail.kind),
    subjectId: mail.subjectId ?? null,
    reportId: mail.reportId ?? null,
    recipient: normaliseEmail(to),
    content: sealMail(deps, contentOf(deps, id, { ...mail, to })),
    createdAt: now.toISOString(),
    sendBefore: (mail.sendBefore ?? new Date(now.getTime() + mailPatience)).toISOString(),
  });
  return id;
}

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

/** The domain of our own address. */
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

/** Everything that is sent of a mail. Its texts are clean already. */
export type MailContent = z.infer<typeof Content>;

const mark = "sealed:";

/** The form in which a mail is stored. It is sealed, because links in it may let people in. */
const sealMail = ({ sealer }: Pick<Deps, "sealer">, content: MailContent): string =>
  mark + sealer.seal(JSON.stringify(content));

/** The content of a stored mail. Throws if it was sealed with another secret. */
export const openMail = ({ sealer }: Pick<Deps, "sealer">, stored: string): MailContent =>
  Content.parse(JSON.parse(sealer.open(stored.slice(mark.length))));
