import { oneLine, visibleText } from "../../../src/words/visible.ts";

/** The kinds of mails. */
export type MailKind = "reply" | "invitation" | "recovery" | "notice" | "release";

/** Mails in different queues never wait for each other. */
export type MailQueue = "personal" | "bulk";

export const mailQueues: readonly MailQueue[] = ["personal", "bulk"];

/** A person waits for a mail of the queue `personal`. Nobody waits for a mail of the queue `bulk`. (rule M4) */
export const queueOf = (kind: MailKind): MailQueue =>
  kind === "release" || kind === "notice" ? "bulk" : "personal";

/** Whether a mail is automatic: no person wrote it to the receiver, and the receiver did not just ask for it. */
export const isAutomatic = (kind: MailKind): boolean => queueOf(kind) === "bulk";

const firstPause = 30_000;

const longestPause = 3_600_000;

const firstServerPause = 2_000;

const longestServerPause = 600_000;

/** How long the server tries to send a mail that has no earlier end: three days. */
export const longestTryingMilliseconds = 3 * 86_400_000;

/**
 * Returns when to try a mail again after `attempts` failures. The pauses grow. Returns undefined if that time is after
 * `sendBefore`. (rule M5)
 */
export function nextMailAttempt(sendBefore: Date, attempts: number, now: Date): Date | undefined {
  const next = new Date(now.getTime() + growing(firstPause, longestPause, attempts));
  return next < sendBefore ? next : undefined;
}

/** How long to send no mail after the mail server failed `failures` times in a row. (rule M5) */
export const serverPause = (failures: number): number =>
  growing(firstServerPause, longestServerPause, failures);

const growing = (first: number, longest: number, times: number): number =>
  Math.min(longest, first * 2 ** Math.min(times - 1, 30));

/** Makes one header line of a text: without line breaks and invisible characters. (rule M3) */
export const headerText = (text: string, most: number): string => oneLine(text, most);

/** Cleans the text of a mail: of the invisible characters only line feeds and tabs stay. (rule M3) */
export const bodyText = (text: string): string => `${visibleText(text).text.trim()}\n`;
