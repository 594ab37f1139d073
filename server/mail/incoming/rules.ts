interface MailHeader {
  /** The name of the header, in lower case. */
  readonly key: string;
  readonly value: string;
}

/** A person's answer, a delivery report about a mail of this server, or another mail of a program. */
export type IncomingKind = "answer" | "report" | "automatic";

/** How long the original of a mail is stored. (rule M16) */
export const originalKeptMilliseconds = 30 * 86_400_000;

/** Why a mail counts as written by a program. */
export type AutomaticReason = "auto_submitted" | "precedence" | "no_sender";

const tokens = /reply\+([a-z2-7]{42})@/gi;

/**
 * Returns at most `mostTokens` tokens of reply addresses, in lower case. Each token is looked up later.
 * (rule M12)
 */
export function replyTokensIn(text: string): string[] {
  const found = new Set<string>();
  for (const [, token = ""] of text.matchAll(tokens)) {
    found.add(token.toLowerCase());
    if (found.size === mostTokens) break;
  }
  return [...found];
}

const mostTokens = 20;

const valuesOf = (headers: readonly MailHeader[], key: string): string[] =>
  headers.filter((header) => header.key === key).map(({ value }) => value.trim().toLowerCase());

/** Returns why a mail counts as written by a program; undefined if a person wrote it. (RFC 3834, rule M13) */
export function automaticReason(headers: readonly MailHeader[], from: string): AutomaticReason | undefined {
  if (valuesOf(headers, "auto-submitted").some((value) => !noProgram.test(value))) return "auto_submitted";
  if (valuesOf(headers, "precedence").some((value) => /^(bulk|junk|list)\b/.test(value))) return "precedence";
  const hasNoSender = from === "" || valuesOf(headers, "return-path").some((value) => /^<\s*>/.test(value));
  return hasNoSender ? "no_sender" : undefined;
}

/** Matches the values of Auto-Submitted for mails of people: `no` or empty. Comments in parentheses may come first. */
const noProgram = /^(?:\([^()]*\)\s*)*(?:no\b|$)/;

export function kindOfMail(headers: readonly MailHeader[], from: string): IncomingKind {
  const isReport = valuesOf(headers, "content-type").some((value) => /^multipart\/report\b/.test(value));
  if (isReport) return "report";
  return automaticReason(headers, from) === undefined ? "answer" : "automatic";
}

/**
 * Whether the sender address is false. Reads only the first `authentication-results`, because the sender may
 * have written later ones. (rule M14)
 */
export function failsAuthentication(headers: readonly MailHeader[]): boolean {
  const found = headers.find(({ key }) => key === "authentication-results")?.value ?? "";
  const results = (method: string) =>
    [...found.matchAll(/\b(spf|dkim|dmarc)=(\w+)/gi)].flatMap(([, name = "", result = ""]) =>
      name.toLowerCase() === method ? [result.toLowerCase()] : [],
    );
  const [dmarc] = results("dmarc");
  if (dmarc === "fail" || dmarc === "pass") return dmarc === "fail";
  const others = [...results("spf"), ...results("dkim")];
  return others.includes("fail") && !others.includes("pass");
}

/** Whether a delivery report says that the mail will never be delivered. A delay does not count. */
export const saysFailed = (deliveryStatus: string): boolean =>
  /^action:\s*failed\b/im.test(deliveryStatus.slice(0, readOfStatus));

const readOfStatus = 65_536;

/** Removes spaces at the ends of lines. Replaces several empty lines with one. */
export const tidyText = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trimEnd())
    .filter((line, at, lines) => line !== "" || lines[at - 1] !== "")
    .join("\n")
    .trim();

/**
 * The maximum number of characters that are searched for the sender's own text. A longer search takes seconds.
 */
export const longestSearched = 10_000;

/** How many lines of each quotation are searched if the text is longer than `longestSearched`. */
const shownOfQuotation = 2;

/**
 * Takes a text from `tidyText`. Marks introductions of quotations, because email-reply-parser misses most
 * introductions. Shortens quotations in long texts.
 */
export function withQuotationsMarked(text: string): string {
  const lines = markedBelowHead(withMarkedAttributions(text.split("\n")));
  const whole = lines.join("\n");
  if (whole.length <= longestSearched) return whole;
  return lines
    .filter((line, at) => !isQuoted(line) || !isQuoted(lines[at - shownOfQuotation]))
    .join("\n")
    .slice(0, longestSearched);
}

const isQuoted = (line: string | undefined): boolean => line?.startsWith(">") ?? false;

const asQuoted = (line: string): string => `> ${line}`;

const address = /[<([][^@<>()[\]\s]+@[^@<>()[\]\s]+[>)\]]/;

const date = /\d{4}|\d[:.]\d{2}/;

const dateAndTime = /\d{4}\D.{0,40}\d[:.]\d{2}/;

/** A line that is longer than this does not introduce a quotation. */
const longestLine = 300;

/**
 * Marks the lines that introduce quotations. These lines contain a date and an address, and end with a colon.
 */
function withMarkedAttributions(lines: readonly string[]): string[] {
  const marked = new Set<number>();
  for (const [at, line] of lines.entries()) {
    if (!isQuoted(line) || isQuoted(lines[at - 1])) continue;
    const last = lines[at - 1] === "" ? at - 2 : at - 1;
    const [first = "", second = ""] = lines.slice(Math.max(0, last - 1), last + 1);
    const words = last === 0 ? first : second;
    if (words.length > longestLine || isQuoted(words)) continue;
    if (!/[:：]$/.test(words) || !address.test(words)) continue;
    if (date.test(words.replace(address, ""))) marked.add(last);
    else if (last > 0 && date.test(first) && !lines[last - 2] && words.replace(address, "").length < 3)
      marked.add(last).add(last - 1);
  }
  return lines.map((line, at) => (marked.has(at) ? asQuoted(line) : line));
}

const isDivider = (line = ""): boolean => /^[-_=]{3}/.test(line);

const headLine = /^\p{L}[\p{L} ]{0,20}\s?[:：]\s?\S/u;

/** Marks the first head of another mail, and all lines below it. A head contains sender, date and subject. */
function markedBelowHead(lines: readonly string[]): string[] {
  const head = lines.findIndex(
    (line, at) =>
      (!lines[at - 1] || isDivider(lines[at - 1])) &&
      line.length <= longestLine &&
      address.test(line) &&
      dateAndTime.test(lines[at + 1] ?? "") &&
      [0, 1, 2, 3].every((next) => headLine.test(lines[at + next] ?? "")),
  );
  if (head === -1) return [...lines];
  const from = isDivider(lines[head - 1]) ? head - 1 : head;
  return lines.map((line, at) => (at < from ? line : asQuoted(line)));
}

/** The media type of a mail that is attached to another mail. */
export const forwardedType = "message/rfc822";

const headerLine = /^(?:[!-9;-~]+:|[ \t])/;

const headersOfMails = /^(?:received|return-path|mime-version|content-transfer-encoding):/i;

/** How many lines at the beginning of a text can be headers of a mail. */
const mostHeaderLines = 500;

/** Whether a text is the source of a mail: it begins with headers, including a header that only mails have. */
export function isMailSource(text: string): boolean {
  const lines = text.trimStart().split(/\r\n?|\n/, mostHeaderLines);
  if (/^From /.test(lines[0] ?? "")) lines.shift();
  const end = lines.findIndex((line) => !headerLine.test(line));
  const headers = end === -1 ? lines : lines.slice(0, end);
  return headers.some((line) => headersOfMails.test(line));
}
