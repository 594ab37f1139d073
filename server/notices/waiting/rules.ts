import { Temporal } from "temporal-polyfill";
import type { NoticeKind, OwnWay, QuietHours } from "../../../src/contract/notices.ts";

/** The parts of a notice about one object: a thread, a slot, a cycle or a webhook. */
export interface Item {
  readonly kind: NoticeKind;
  /** How many notices are about the object. */
  readonly count: number;
  readonly link: string;
  /**
   * The subject of the thread, which other people may have written; undefined for objects without a thread.
   */
  readonly words: string | undefined;
  /** Further facts about the object. Innkeep writes this text. */
  readonly detail: string | undefined;
}

const sentences: Readonly<Record<NoticeKind, readonly [one: string, several: (count: number) => string]>> = {
  report: ["A new report arrived", (count) => `${count} messages arrived in a thread`],
  answer: ["A sender answered you", (count) => `A sender answered you ${count} times`],
  assigned: ["A thread was assigned to you", () => "A thread was assigned to you"],
  proposal: ["A proposal waits for a decision", (count) => `${count} proposals were made in a thread`],
  approval: ["An approval expired before an agent began", () => "Approvals expired before an agent began"],
  work: ["Approved work needs you", () => "Approved work needs you"],
  slot: ["A tester requests a slot", (count) => `Testers requested slots ${count} times`],
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

/** How long a notice waits for further notices in the same mail, in milliseconds. (rule N3) */
const collectedMilliseconds = 15 * 60_000;

/** The time of the day at which the daily mail is sent. (rule N3) */
const dailyAt = "09:00";

/** The time zone of a person, and the hours in which nothing is sent. */
interface Hours {
  readonly timezone: string;
  readonly quiet: QuietHours | null;
}

/** Returns when a notice created at `now` is sent, if no other notice waits. (rules N3, N10) */
export function dueAt(way: OwnWay, now: Date, hours: Hours): Date {
  if (way === "browser") return afterQuiet(now, hours);
  if (way === "daily") return afterQuiet(nextAt(now, dailyAt, hours.timezone), hours);
  return afterQuiet(new Date(now.getTime() + collectedMilliseconds), hours);
}

/** Returns `at`, or the end of the quiet hours around `at`. Quiet hours are in local time. (rule N4) */
export function afterQuiet(at: Date, { timezone, quiet }: Hours): Date {
  if (quiet === null) return at;
  const local = zoned(at, timezone).toPlainTime().toString({ smallestUnit: "minute" });
  const { from, to } = quiet;
  const isQuiet = from < to ? from <= local && local < to : from <= local || local < to;
  return isQuiet ? nextAt(at, to, timezone) : at;
}

/** Returns the first instant after `after` at which a clock in the zone shows `time`, such as `09:00`. */
export function nextAt(after: Date, time: string, timezone: string): Date {
  const start = zoned(after, timezone);
  const date = start.toPlainDate();
  for (let days = 0; ; days += 1) {
    const local = date.add({ days }).toPlainDateTime(Temporal.PlainTime.from(time));
    // When clocks are set back, they show a time twice. When they are set forward, they skip times.
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

/**
 * Whether `at` is the time of this person's daily mail. Daily mails are always more than 22 hours apart.
 * (rule N3)
 */
export const isDailyTime = (at: Date, hours: Hours): boolean =>
  dueAt("daily", new Date(at.getTime() - almostADay), hours).getTime() === at.getTime();
