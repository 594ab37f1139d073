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
