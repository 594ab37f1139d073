export interface MailHeader {
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
