/** How much text of failures is still kept, of all reports together. */
export interface TextBudget {
  left: number;
}

/** A failure with the part of its text that fits the budget. */
export function failureOf(attributes: Attributes, whole: string, budget: TextBudget): TestFailure {
  const text = kept(whole, budget.left > 0 ? longestText : longestTextBeyond);
  const message = kept(attributes.message ?? "", longestTextBeyond);
  budget.left -= text.length;
  return { type: own(attributes.type?.slice(0, longestType)), message, text };
}

/** Some tools write `1,234.5`. */
export function numberIn(text = ""): number | undefined {
  const number = Number(text.replaceAll(",", ""));
  return text.trim() !== "" && Number.isFinite(number) && number >= 0 ? number : undefined;
}

const marker = /\[\[ATTACHMENT\|([^\]\r\n]{1,1000})\]\]/g;

export const markedAttachments = (text: string): string[] =>
  [...text.matchAll(marker)].map(([, path]) => own(path).trim()).filter((path) => path !== "");

export function attachmentsOfProperty({ name = "", value = "" }: Attributes): string[] {
  const marked = markedAttachments(value);
  if (marked.length > 0 || !/^attachments?$|^(?:test)?attachment[._-]/i.test(name)) return marked;
  return value.trim() === "" ? [] : [own(value).trim()];
}

const longestText = 60_000;

const longestTextBeyond = 4_000;

const longestType = 1_000;

/** The text of a failure; of a very long one its beginning and its end. */
function kept(text: string, most: number): string {
  if (text.length <= most) return own(text);
  const half = Math.floor(most / 2);
  return own(`${text.slice(0, half)}\n[…]\n${text.slice(-half)}`);
}

/** A copy: a part of a text keeps the whole text of the report in memory. */
export const own = (text = ""): string => Buffer.from(text, "utf8").toString("utf8");

/** The attributes of an element. */
export type Attributes = Readonly<Record<string, string>>;

/** How a test ended. `flaky`: it failed, was repeated, and passed. */
export type Outcome = "passed" | "failed" | "flaky" | "skipped";

export interface TestFailure {
  readonly type: string;
  readonly message: string;
  readonly text: string;
}

/** One test of a JUnit report. A suite that failed as a whole is a test without a name. */
export interface TestResult {
  readonly suite: string;
  readonly className: string;
  readonly name: string;
  readonly outcome: Outcome;
  /** Why it failed; empty for a test that passed or was skipped. */
  readonly failures: readonly TestFailure[];
  /** How often it failed again when it was repeated. */
  readonly failedReruns: number;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly seconds: number | undefined;
  /** The paths of its files, as the report names them. */
  readonly attachments: readonly string[];
  /** The path of the report that names it. */
  readonly report: string;
  /** Whether its suite contradicts itself, so that a pass is not believed. */
  readonly inDoubt?: boolean;
  /** It stands for a report that cannot be read. */
  readonly isReport?: boolean;
}

/** The sign for an escape character, which XML does not allow: the codes of colours in a log begin with one. */
export const escapeSign = "\u241b";

/**
 * The text of an XML file in the encoding that it declares, without the characters that XML does not allow: many tools
 * write them as they come from a log.
 */
export function readableXml(bytes: Uint8Array): string {
  const text = decoderFor(bytes).decode(bytes);
  return text.replace(controlReference, replaced).replace(controlCharacter, replaced);
}

const controlCharacter = /(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu;

const controlReference = /&#(?:x0{0,6}(?:[0-8bcef]|1[0-9a-f]|fff[ef])|0{0,6}(?:[0-8]|1[124-9]|2\d|3[01]));/gi;

const escapeReference = /^&#(?:x0*1b|0*27);$/i;

const replaced = (found: string): string =>
  found === "\u001b" || escapeReference.test(found) ? escapeSign : "\ufffd";

const cdataOrSign =
  /<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<!--[\s\S]*?(?:-->|$)|&(?!#\d{1,10};|#x[\da-f]{1,8};|[\p{L}_][\p{L}\p{N}_.-]{0,100};)/giu;

/** The text with each `&` that begins no reference as the reference to one: tools write addresses as they are. */
export const withRawSigns = (text: string): string =>
  text.replace(cdataOrSign, (found) => (found === "&" ? "&amp;" : found));

/** The text with empty lines in place of what a tool printed before its report. */
export function withoutBanner(text: string): string {
  if (/^\s*<[\p{L}_?!]/u.test(text)) return text;
  const at = text.search(/<(?:\?xml\s|(?:[\w.-]+:)?testsuites?[\s>/])/);
  return at <= 0 ? text : text.slice(0, at).replace(/[^\n]+/g, "") + text.slice(at);
}

/** A byte order mark says more than the declaration. */
function decoderFor(bytes: Uint8Array): TextDecoder {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le");
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be");
  const head = Buffer.from(bytes.subarray(0, 200)).toString("latin1");
  const declared = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(/^utf-?16/i.test(declared) ? "utf-8" : declared);
  } catch {
    return new TextDecoder();
  }
}
