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
 * Whether a person wrote a mail. Everything that a program sends is no answer: a reply to it could go round for ever. (RFC 3834,
 * rule M13)
 */
export function kindOfMail(headers: readonly MailHeader[], from: string, own: string): IncomingKind {
  const values = (key: string) =>
    headers.filter((header) => header.key === key).map(({ value }) => value.trim().toLowerCase());
  if (values("content-type").some((value) => /^multipart\/report\b/.test(value))) return "report";
  const isAutomatic =
    from === "" ||
    from.toLowerCase() === own.toLowerCase() ||
    /^(mailer-daemon|postmaster|no-?reply)@/i.test(from) ||
    values("auto-submitted").some((value) => !/^no\b/.test(value)) ||
    values("precedence").some((value) => /^(bulk|junk|list|auto_reply)/.test(value)) ||
    values("return-path").some((value) => value === "<>") ||
    headers.some(({ key }) => programs.has(key));
  return isAutomatic ? "automatic" : "answer";
}

/** Headers that only programs set. */
const programs: ReadonlySet<string> = new Set([
  ...["x-autoreply", "x-autorespond", "x-autoresponder", "x-auto-response-suppress"],
  ...["list-id", "list-unsubscribe", "feedback-id"],
]);

/** Whether a report of a mail server says that a mail never arrives; a delay is no failure. */
export const saysFailed = (deliveryStatus: string): boolean => /^action:\s*failed\b/im.test(deliveryStatus);

const opening = /^(?:On|Am|Le|El|Il|Op|Den|W dniu)\b/;
const address = /<[^\s<>]+@[^\s<>@]+>/;
const year = /\d{4}/;

/** Whether a line says who wrote what is quoted below it. Each pattern reads a line once, however long it is. */
const isAttribution = (line: string): boolean =>
  line.trimEnd().endsWith(":") && [opening, address, year].some((pattern) => pattern.test(line));

/** What a person wrote in an answer: without the mail below that it quotes. Quotations between other lines stay. */
export function writtenPart(text: string): string {
  const lines = text.replace(/\r\n?/g, "\n").trimEnd().split("\n");
  let end = lines.length;
  while (end > 0 && /^(>|\s*$)/.test(lines[end - 1] ?? "")) end -= 1;
  const quotes = lines.slice(end).some((line) => line.startsWith(">"));
  if (quotes && isAttribution(lines[end - 1] ?? "")) end -= 1;
  const kept = lines
    .slice(0, quotes ? end : lines.length)
    .join("\n")
    .trim();
  return kept === "" ? text.trim() : kept;
}
