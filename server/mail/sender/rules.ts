import { withStatusUrl } from "../../feedback/saved-replies/rules.ts";

/** A release note, and the report of the sender who gets the mail. */
interface ToldRelease {
  readonly appName: string;
  readonly version: string;
  readonly title: string;
  readonly message: string;
  readonly createdAt: string;
  readonly statusUrl: string;
  readonly stopUrl: string;
}

/** The text of the mail about a release for one sender. (rule M15) */
export const releaseText = ({ appName, version, title, message, createdAt, ...links }: ToldRelease): string =>
  [
    `${appName} ${version} is out: ${title}`,
    "",
    `It has to do with what you wrote on ${createdAt.slice(0, 10)}:`,
    ...quotedBeginning(message),
    "",
    "Your page, where you can answer:",
    links.statusUrl,
    "",
    "-- ",
    `No more mail about releases of ${appName}:`,
    links.stopUrl,
  ].join("\n");

const quotedLines = 12;

const quotedLength = 1_000;

/** A reply, and what it answers. */
interface RepliedReport {
  readonly reply: string;
  readonly appName: string;
  /** What the receiver wrote. */
  readonly message: string;
  readonly createdAt: string;
  /** The page on which the receiver can answer. */
  readonly statusUrl: string | undefined;
}

/** The text of a mail with a reply: the reply, the link, and the beginning of what its receiver wrote. (rule M10) */
export function replyText({ reply, appName, message, createdAt, statusUrl }: RepliedReport): string {
  const page = statusUrl === undefined ? [] : ["Answer, and see all replies, on your page:", statusUrl, ""];
  const about = `You wrote to ${appName} on ${createdAt.slice(0, 10)}:`;
  return [withStatusUrl(reply, statusUrl), "", "-- ", ...page, about, ...quotedBeginning(message)].join("\n");
}

/** The first lines of a text, each marked as a quotation. */
function quotedBeginning(message: string): string[] {
  const cut = [...message].slice(0, quotedLength).join("");
  const lines = cut.split(/\r\n?|\n/);
  const isWhole = lines.length <= quotedLines && cut.length === message.length;
  return [...lines.slice(0, quotedLines).map((line) => `> ${line}`), ...(isWhole ? [] : ["> …"])];
}
