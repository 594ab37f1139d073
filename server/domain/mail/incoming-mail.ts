export interface MailHeader {
  /** In lower case. */
  readonly key: string;
  readonly value: string;
}

/** What arrived: an answer that a person wrote, a report about a mail of ours, or something that a program wrote. */
export type IncomingKind = "answer" | "report" | "automatic";

const tokens = /reply\+([a-z2-7]{42})@/gi;

/** The tokens of our addresses in header lines, each once, in lower case. (rule M12) */
export const replyTokensIn = (text: string): string[] => [
  ...new Set([...text.matchAll(tokens)].map(([, token = ""]) => token.toLowerCase())),
];

/**
 * Whether a person wrote a mail. It is automatic only if it says so, or has no sender: other marks stand in mail of people,
 * too. (RFC 3834, rule M13)
 */
export function kindOfMail(headers: readonly MailHeader[], from: string): IncomingKind {
  const values = (key: string) =>
    headers.filter((header) => header.key === key).map(({ value }) => value.trim().toLowerCase());
  if (values("content-type").some((value) => /^multipart\/report\b/.test(value))) return "report";
  const isAutomatic =
    from === "" ||
    values("auto-submitted").some((value) => !/^no\b/.test(value)) ||
    values("precedence").some((value) => /^(bulk|junk|list)\b/.test(value)) ||
    values("return-path").some((value) => /^<\s*>/.test(value));
  return isAutomatic ? "automatic" : "answer";
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

/** How much of a mail is searched for what its sender wrote. The search needs seconds for longer texts. */
const searched = 10_000;

/** A text without spaces at the ends of lines, and with at most one empty line between others, as long as is searched. */
export const tidyText = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trimEnd())
    .filter((line, at, lines) => line !== "" || lines[at - 1] !== "")
    .join("\n")
    .trim()
    .slice(0, searched);
