import { oneLine, visibleText } from "../../../src/words/visible.ts";

/** What mails are about. */
export type MailKind = "reply" | "invitation" | "recovery" | "notice" | "release";

/** Mails of two lanes never wait for each other. */
export type MailLane = "personal" | "bulk";

export const mailLanes: readonly MailLane[] = ["personal", "bulk"];

/** A person waits for a personal mail; the others may take their time. (rule M4) */
export const laneOf = (kind: MailKind): MailLane =>
  kind === "release" || kind === "notice" ? "bulk" : "personal";

/** Whether no person typed this mail for its receiver, and its receiver did not just ask for it. */
export const isAutomatic = (kind: MailKind): boolean => laneOf(kind) === "bulk";

const firstPause = 30_000;

const longestPause = 3_600_000;

const firstServerPause = 2_000;

const longestServerPause = 600_000;

/** How long a mail may wait for a server that takes it: three days, unless it is of no use earlier. */
export const mailPatience = 3 * 86_400_000;

/**
 * When a mail is tried again that the server did not take `attempts` times: with growing pauses. Undefined if that would be
 * too late for it. (rule M5)
 */
export function nextMailAttempt(sendBefore: Date, attempts: number, now: Date): Date | undefined {
  const next = new Date(now.getTime() + growing(firstPause, longestPause, attempts));
  return next < sendBefore ? next : undefined;
}

/** How long no mail is tried after the mail server could not be used `failures` times in a row. (rule M5) */
export const serverPause = (failures: number): number =>
  growing(firstServerPause, longestServerPause, failures);

const growing = (first: number, longest: number, times: number): number =>
  Math.min(longest, first * 2 ** Math.min(times - 1, 30));

/** A text as one line of a header: without line breaks and characters that nobody sees. (rule M3) */
export const headerText = (text: string, most: number): string => oneLine(text, most);

/** The text of a mail: line feeds, tabs, and nothing else that nobody sees. (rule M3) */
export const bodyText = (text: string): string => `${visibleText(text).text.trim()}\n`;
