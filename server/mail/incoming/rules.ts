interface MailHeader {
  /** In lower case. */
  readonly key: string;
  readonly value: string;
}

/** What arrived: an answer that a person wrote, a report about a mail of ours, or something that a program wrote. */
export type IncomingKind = "answer" | "report" | "automatic";

/** For how long a mail is kept as it came. (rule M16) */
export const originalKeptMilliseconds = 30 * 86_400_000;

/** What says that a program wrote a mail. */
export type AutomaticMark = "auto_submitted" | "precedence" | "no_sender";

const tokens = /reply\+([a-z2-7]{42})@/gi;

/** The tokens of our addresses in header lines, each once, in lower case. (rule M12) */
export const replyTokensIn = (text: string): string[] => [
  ...new Set([...text.matchAll(tokens)].map(([, token = ""]) => token.toLowerCase())),
];

const valuesOf = (headers: readonly MailHeader[], key: string): string[] =>
  headers.filter((header) => header.key === key).map(({ value }) => value.trim().toLowerCase());

/**
 * What says that a program wrote a mail; undefined for mail of people. Other marks stand in mail of people, too. (RFC 3834, rule
 * M13)
 */
export function automaticMark(headers: readonly MailHeader[], from: string): AutomaticMark | undefined {
  if (valuesOf(headers, "auto-submitted").some((value) => !noProgram.test(value))) return "auto_submitted";
  if (valuesOf(headers, "precedence").some((value) => /^(bulk|junk|list)\b/.test(value))) return "precedence";
  const hasNoSender = from === "" || valuesOf(headers, "return-path").some((value) => /^<\s*>/.test(value));
  return hasNoSender ? "no_sender" : undefined;
}

/** `no`, or nothing, perhaps after comments. */
const noProgram = /^(?:\([^()]*\)\s*)*(?:no\b|$)/;

export function kindOfMail(headers: readonly MailHeader[], from: string): IncomingKind {
  const isReport = valuesOf(headers, "content-type").some((value) => /^multipart\/report\b/.test(value));
  if (isReport) return "report";
  return automaticMark(headers, from) === undefined ? "answer" : "automatic";
}

/**
 * Whether the mail server that took a mail found that its sender is another one. Only its own finding counts, which is the first:
 * others were in the mail before. (RFC 8601, rule M14)
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

/** Whether a report of a mail server says that a mail never arrives; a delay is no failure. */
export const saysFailed = (deliveryStatus: string): boolean => /^action:\s*failed\b/im.test(deliveryStatus);

/** A text without spaces at the ends of lines, and with at most one empty line between others. */
export const tidyText = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trimEnd())
    .filter((line, at, lines) => line !== "" || lines[at - 1] !== "")
    .join("\n")
    .trim();

/** How much of a mail is searched for what its sender wrote. The search needs seconds for longer texts. */
export const searched = 10_000;

/** How many lines of each quotation stay in a text that is longer. */
const shownOfQuotation = 2;

/**
 * A tidy text for the search for what its sender wrote, which knows the words around quotations in some languages only. What looks
 * like them in any language is marked as quoted. Of a text that is too long each quotation is shortened first, so that an answer
 * below it is found.
 */
export function withQuotationsMarked(text: string): string {
  const lines = markedBelowHead(withMarkedAttributions(text.split("\n")));
  const whole = lines.join("\n");
  if (whole.length <= searched) return whole;
  return lines
    .filter((line, at) => !isQuoted(line) || !isQuoted(lines[at - shownOfQuotation]))
    .join("\n")
    .slice(0, searched);
}

const isQuoted = (line: string | undefined): boolean => line?.startsWith(">") ?? false;

const asQuoted = (line: string): string => `> ${line}`;

const address = /[<([][^@<>()[\]\s]+@[^@<>()[\]\s]+[>)\]]/;

const date = /\d{4}|\d[:.]\d{2}/;

const dateAndTime = /\d{4}\D.{0,40}\d[:.]\d{2}/;

/** Longer lines are no words around a quotation. */
const longestLine = 300;

/** Marks lines directly in front of quotations that have a date, an address and a colon. The address may have its own line. */
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

/** Marks all from the first head of a mail on: sender with address, date, receiver, subject. */
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
