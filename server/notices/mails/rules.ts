import { Temporal } from "temporal-polyfill";
import type { MailWay, NoticeKind, OwnWay, QuietHours } from "../../../src/contract/notices.ts";
import { titled } from "../../../src/words/visible.ts";
import { headerText } from "../../mail/outgoing/rules.ts";

/** How long a mail waits for further notices. (rule N3) */
export const collectedMilliseconds = 15 * 60_000;

/** The time of the day at which the daily mail is sent. (rule N3) */
const dailyAt = "09:00";

/** The zone of a person, and the hours in which nothing is sent. */
export interface Hours {
  readonly timezone: string;
  readonly quiet: QuietHours | null;
}

/** Returns when a notice that came at `now` is sent, if nothing waits yet that it can join. (rules N3, N10) */
export function dueAt(way: OwnWay, now: Date, hours: Hours): Date {
  if (way === "browser") return afterQuiet(now, hours);
  if (way === "daily") return afterQuiet(nextAt(now, dailyAt, hours.timezone), hours);
  return afterQuiet(new Date(now.getTime() + collectedMilliseconds), hours);
}

/**
 * Returns `at`, or the end of the quiet hours in which it is. The hours are those of the clock in the zone, also when
 * it is changed in summer and winter. (rule N4)
 */
export function afterQuiet(at: Date, { timezone, quiet }: Hours): Date {
  if (quiet === null) return at;
  const local = zoned(at, timezone).toPlainTime().toString({ smallestUnit: "minute" });
  const { from, to } = quiet;
  const isQuiet = from < to ? from <= local && local < to : from <= local || local < to;
  return isQuiet ? nextAt(at, to, timezone) : at;
}

/** Returns the first instant after `after` at which a clock in the zone shows the time, such as `09:00`. */
export function nextAt(after: Date, time: string, timezone: string): Date {
  const start = zoned(after, timezone);
  const date = start.toPlainDate();
  for (let days = 0; ; days += 1) {
    const local = date.add({ days }).toPlainDateTime(Temporal.PlainTime.from(time));
    // When clocks are set back, they show a time twice. When they are set forward, they leave times out.
    for (const disambiguation of ["compatible", "later"] as const) {
      const { epochMilliseconds } = local.toZonedDateTime(start.timeZoneId, { disambiguation });
      if (epochMilliseconds > after.getTime()) return new Date(epochMilliseconds);
    }
  }
}

/** A zone that this version of Node does not support counts as UTC, so that mails are still sent. */
function zoned(at: Date, timezone: string): Temporal.ZonedDateTime {
  const instant = Temporal.Instant.fromEpochMilliseconds(at.getTime());
  try {
    return instant.toZonedDateTimeISO(timezone);
  } catch {
    return instant.toZonedDateTimeISO("UTC");
  }
}

const almostADay = 22 * 3_600_000;

/** Whether the daily mail is due at this instant. A day is at least 23 hours long. (rule N3) */
export const isDailyTime = (at: Date, hours: Hours): boolean =>
  dueAt("daily", new Date(at.getTime() - almostADay), hours).getTime() === at.getTime();

/**
 * The maximum number of mails with the way `mail` that a person gets from an app in 24 hours. Later notices wait for
 * the daily mail.
 */
export const mostInADay = 24;

/** The text of a mail about one object: a thread, a slot, a cycle or a webhook. */
export interface Item {
  readonly kind: NoticeKind;
  /** How often it happened. */
  readonly count: number;
  readonly link: string;
  /** Words of the public or of an agent about the object; undefined if there are none. */
  readonly words: string | undefined;
  /** Further facts about it, in our own words. */
  readonly detail: string | undefined;
}

const sentences: Readonly<Record<NoticeKind, readonly [one: string, several: (count: number) => string]>> = {
  report: ["A new report arrived", (count) => `${count} messages arrived in a report`],
  answer: ["A sender answered you", (count) => `A sender answered you ${count} times`],
  assigned: ["A thread was assigned to you", () => "A thread was assigned to you"],
  proposal: ["A proposal waits for a decision", (count) => `${count} proposals were made in a thread`],
  approval: ["An approval expired before an agent began", () => "Approvals expired before an agent began"],
  work: ["Approved work needs you", () => "Approved work needs you"],
  slot: ["A tester requests a slot", (count) => `A slot was requested ${count} times`],
  testers: ["A test has too few testers", () => "A test has too few testers"],
  storm: ["A failure is reported very often", () => "A failure is reported very often"],
  delivery: ["Messages cannot be delivered", () => "Messages cannot be delivered"],
};

/** Returns what happened, in one sentence without a full stop. */
export function sentenceOf({ kind, count, detail }: Pick<Item, "kind" | "count" | "detail">): string {
  const [one, several] = sentences[kind];
  const said = count === 1 ? one : several(count);
  return detail === undefined ? said : `${said}: ${detail}`;
}

const chatSentences: Readonly<Partial<Record<NoticeKind, string>>> = {
  answer: "A sender answered",
  assigned: "A thread was assigned",
  work: "Approved work needs a person",
};

/** Returns the sentence for the chat of an app. It is not addressed to one member. (rule N8) */
export function chatSentenceOf({ kind, detail }: Pick<Item, "kind" | "detail">): string {
  const said = chatSentences[kind] ?? sentences[kind][0];
  return detail === undefined ? said : `${said}: ${detail}`;
}

/** The most objects that one mail names. */
export const mostItems = 50;

/** Everything of a mail with notices. */
export interface NoticeMail {
  readonly appName: string;
  readonly way: MailWay;
  readonly items: readonly Item[];
  /** How many objects the mail does not name. */
  readonly more: number;
  readonly inboxUrl: string;
  readonly choicesUrl: string;
  readonly stopUrl: string;
}

/** Returns the subject of a mail with notices. It has no words of strangers. (rule W5) */
export function subjectOf({ appName, way, items: [first, ...others], more }: NoticeMail): string {
  const name = headerText(appName, 80);
  const count = others.length + more + (first === undefined ? 0 : 1);
  if (way === "daily") return `${name}: your day, ${count === 1 ? "1 notice" : `${count} notices`}`;
  if (first !== undefined && count === 1) return `${name}: ${sentenceOf(first)}`;
  return `${name}: ${count} notices`;
}

/**
 * Returns the text of a mail with notices. Words of the public come after our own link, on one line, marked and without
 * links. (rules N5, W5)
 */
export function textOf({ items, more, ...mail }: NoticeMail): string {
  const parts = items.map((item) =>
    [`${sentenceOf(item)}.`, item.link, ...(item.words === undefined ? [] : [titled(item.words)])].join("\n"),
  );
  const rest = more === 0 ? [] : [`And ${more} more:\n${mail.inboxUrl}`];
  const end = [
    "-- ",
    `You get this as a member of ${headerText(mail.appName, 80)}. What you get, and when:`,
    mail.choicesUrl,
    "No more mail about this app:",
    mail.stopUrl,
  ].join("\n");
  return [...parts, ...rest, end].join("\n\n");
}
