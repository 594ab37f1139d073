import { analyse } from "chardet";

/**
 * Returns the text of bytes in UTF-8, UTF-16 or an older encoding. Undefined if the bytes are no text.
 * (rule L20)
 */
export function decodedText(bytes: Uint8Array): string | undefined {
  const encoding = encodingOf(bytes, { isCut: false });
  const text = encoding && decodedAs(encoding, bytes);
  return text === undefined || odd.test(text) ? undefined : text;
}

/** Decodes bytes as text. Decodes them as a stream, because without a stream Node 20 reads Windows-1252 as Latin-1. */
export function decodedAs(encoding: string | undefined, bytes: Uint8Array): string {
  const decoder = new TextDecoder(encoding);
  return decoder.decode(bytes, { stream: true }) + decoder.decode();
}

/**
 * Returns the encoding of bytes; undefined if they are no text. With `isCut`, the last character may be
 * incomplete.
 */
export function encodingOf(head: Uint8Array, { isCut } = { isCut: true }): string | undefined {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (head.includes(0)) return wideEncodingOf(head);
  return isEncodedAs("utf-8", head, isCut) ? "utf-8" : olderEncodingOf(head);
}

/** Matches control characters that no text contains. All other control characters have a use in terminals. */
const odd = new RegExp(`[${["\\0", "\\u0003-\\u0006", "\\u0010-\\u001a", "\\u001c-\\u001f"].join("")}]`);

const fewestZeros = 4;

/**
 * Recognises UTF-16 without a byte order mark. In most texts in UTF-16, many characters have one byte that is zero.
 */
function wideEncodingOf(head: Uint8Array): string | undefined {
  const zeros = [0, 0];
  const looked = head.subarray(0, 4_096);
  looked.forEach((byte, at) => {
    if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  });
  const [even = 0, uneven = 0] = zeros;
  if (Math.max(even, uneven) < Math.max(fewestZeros, looked.length / 5)) return undefined;
  return even === 0 ? "utf-16le" : uneven === 0 ? "utf-16be" : undefined;
}

const mostLooked = 65_536;
const leastConfidence = 40;

/**
 * Returns the older encoding of a text. Short Western texts are valid in many encodings, so the default is
 * Windows-1252.
 */
function olderEncodingOf(head: Uint8Array): string {
  const looked = head.subarray(0, mostLooked);
  const [best] = analyse(looked);
  return best && best.confidence >= leastConfidence && isEncodedAs(best.name, looked, true)
    ? best.name
    : "windows-1252";
}

function isEncodedAs(encoding: string, bytes: Uint8Array, isCut: boolean): boolean {
  try {
    // In a stream, an incomplete character at the end is not an error.
    new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: isCut });
    return true;
  } catch {
    // The bytes do not have this encoding, or Node does not support it.
    return false;
  }
}
