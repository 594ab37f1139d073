import type { NoticeKind } from "../../../src/contract/notices.ts";
import { quoted, unlinkedLine } from "../../../src/words/visible.ts";
import { type Item, sentenceOf } from "../waiting/rules.ts";

/** The shortest time in milliseconds between two groups of notices about one app in browsers. (rule N10) */
export const collectedInBrowsers = 60_000;

/**
 * The maximum number of objects with separate notices. For more objects, one notice has their number.
 * (rule N10)
 */
export const mostAtOnce = 3;

/** How long the server tries to send a notice, and how long a push service keeps it. (rule N11) */
export const keptMilliseconds = 24 * 3_600_000;

const [firstPause, longestPause] = [5_000, 3_600_000];

const day = 24 * 3_600_000;

/** A browser is deleted when its session ended this number of milliseconds ago. (rule N10) */
export const forgottenAfter = 30 * day;

/** The result of an attempt. `gone` means that the browser accepts no more notices. */
export type Outcome =
  | { readonly kind: "sent" | "refused" | "gone" }
  /** The browser gets no notices before `at`. With `again`, the server sends this notice again at `at`. */
  | { readonly kind: "again" | "given up"; readonly at: Date };

interface Attempt {
  /** The HTTP status of the answer; null if the push service did not answer. */
  readonly status: number | null;
  /** The header `Retry-After` of the answer. */
  readonly retryAfter?: string | undefined;
  /** The number of attempts, including this one. */
  readonly tries: number;
  readonly createdAt: Date;
  readonly now: Date;
}

/**
 * Returns what happens after an attempt. Failures are tried again for a day, with growing pauses. (rule N11)
 */
export function outcomeOf({ status, retryAfter, tries, createdAt, now }: Attempt): Outcome {
  if (status !== null && status >= 200 && status < 300) return { kind: "sent" };
  if (status === 404 || status === 410) return { kind: "gone" };
  // 400 and 413: the push service never accepts this notice.
  if (status === 400 || status === 413) return { kind: "refused" };
  const pause = Math.min(longestPause, firstPause * 2 ** Math.min(tries - 1, 20));
  const at = new Date(now.getTime() + Math.max(pause, pauseIn(retryAfter, now)));
  if (at.getTime() - createdAt.getTime() <= keptMilliseconds) return { kind: "again", at };
  return { kind: "given up", at: new Date(Math.min(at.getTime(), now.getTime() + keptMilliseconds)) };
}

/** Returns the pause of a `Retry-After` header (seconds or a date) in milliseconds; 0 for other texts. */
function pauseIn(retryAfter: string | undefined, now: Date): number {
  const given = retryAfter?.trim() ?? "";
  if (/^\d{1,9}$/.test(given)) return Number(given) * 1_000;
  const at = Date.parse(given);
  return Number.isNaN(at) ? 0 : Math.max(0, at - now.getTime());
}

/** Returns the urgency of a notice. A device that saves power may show normal notices later. (RFC 8030, 5.3) */
export const urgencyOf = (kind: NoticeKind | null): "high" | "normal" =>
  kind === "proposal" || kind === "approval" || kind === "work" ? "high" : "normal";

/** Returns for how many seconds a push service keeps a notice. (RFC 8030, 5.2) */
export const secondsToLive = (createdAt: Date, now: Date): number =>
  Math.max(0, Math.round((createdAt.getTime() + keptMilliseconds - now.getTime()) / 1_000));

/** The notice that a browser shows. */
export interface ShownNotice {
  readonly title: string;
  readonly body: string;
  /** A later notice with the same tag replaces an earlier one. */
  readonly tag: string;
  readonly url: string;
}

const most = { appName: 60, subject: 100 } as const;

/**
 * Returns the notice about one object. The server's sentence comes before the subject of the thread.
 * (rules N10, W5)
 */
export const noticeAbout = (
  appName: string,
  { words, link, ...item }: Pick<Item, "kind" | "count" | "detail" | "words" | "link">,
  tag: string,
): ShownNotice => ({
  title: `${unlinkedLine(appName, most.appName)}: ${sentenceOf(item)}`,
  body: words === undefined ? "" : quoted(unlinkedLine(words, most.subject)),
  tag,
  url: link,
});

/** Returns the notice with the number of objects of an app that need the member. */
export const noticeOfSeveral = (
  appName: string,
  { count, url, tag }: { readonly count: number; readonly url: string; readonly tag: string },
): ShownNotice => ({
  title: `${unlinkedLine(appName, most.appName)}: ${count} notices`,
  body: "",
  tag,
  url,
});
