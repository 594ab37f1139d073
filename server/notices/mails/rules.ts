import type { MailWay } from "../../../src/contract/notices.ts";
import { titled } from "../../../src/words/visible.ts";
import { headerText } from "../../mail/outgoing/rules.ts";
import { type Item, sentenceOf } from "../waiting/rules.ts";

/** The maximum number of mails per person and app in 24 hours. Later notices wait for the daily mail. */
export const mostInADay = 24;

/** The highest number of objects that one mail names. */
export const mostItems = 50;

/** The content of a mail with notices. */
export interface NoticeMail {
  readonly appName: string;
  readonly way: MailWay;
  readonly items: readonly Item[];
  /** How many further notices the mail only counts, without naming the objects of these notices. */
  readonly more: number;
  readonly inboxUrl: string;
  readonly choicesUrl: string;
  readonly stopUrl: string;
}

/** Returns the subject of a mail with notices. It contains no text that strangers wrote. (rule W5) */
export function subjectOf({ appName, way, items: [first, ...others], more }: NoticeMail): string {
  const name = headerText(appName, 80);
  const count = others.length + more + (first === undefined ? 0 : 1);
  if (way === "daily") return `${name}: daily mail, ${count === 1 ? "1 notice" : `${count} notices`}`;
  if (first !== undefined && count === 1) return `${name}: ${sentenceOf(first)}`;
  return `${name}: ${count} notices`;
}

/**
 * Returns the text of a mail. Text of strangers comes after Innkeep's link, in one quoted line. (rules N5, W5)
 */
export function textOf({ items, more, ...mail }: NoticeMail): string {
  const parts = items.map((item) =>
    [`${sentenceOf(item)}.`, item.link, ...(item.words === undefined ? [] : [titled(item.words)])].join("\n"),
  );
  const rest = more === 0 ? [] : [`And ${more} more:\n${mail.inboxUrl}`];
  const end = [
    "-- ",
    `You get this mail as a member of ${headerText(mail.appName, 80)}. Choose your notices here:`,
    mail.choicesUrl,
    `To stop mails about ${headerText(mail.appName, 80)}:`,
    mail.stopUrl,
  ].join("\n");
  return [...parts, ...rest, end].join("\n\n");
}
