import { analyse } from "chardet";

/**
 * The text of bytes in UTF-8, UTF-16, an older encoding that they clearly have, or else Windows-1252. Undefined if they are no
 * text. (rule L20)
 */
export function decodedText(bytes: Uint8Array): string | undefined {
  const encoding = encodingOf(bytes, { isCut: false });
  const text = encoding && decodedAs(encoding, bytes);
  return text === undefined || odd.test(text) ? undefined : text;
}

/** The text of bytes. In one go Node 20 takes Windows-1252 for Latin-1. */
export function decodedAs(encoding: string | undefined, bytes: Uint8Array): string {
  const decoder = new TextDecoder(encoding);
  return decoder.decode(bytes, { stream: true }) + decoder.decode();
}

/** The encoding of a text by its beginning, which may end in a character; undefined if that is no text. */
export function encodingOf(head: Uint8Array, { isCut } = { isCut: true }): string | undefined {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (head.includes(0)) return wideEncodingOf(head);
  return isEncodedAs("utf-8", head, isCut) ? "utf-8" : olderEncodingOf(head);
}

/** Control characters that stand in no text. Terminals have use for the others. */
const odd = new RegExp(`[${["\\0", "\\u0003-\\u0006", "\\u0010-\\u001a", "\\u001c-\\u001f"].join("")}]`);

const fewestZeros = 4;

/** UTF-16 without a byte order mark: most texts have many characters whose one byte is zero. */
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

/** Short texts of the West look like many encodings, so what is not clear is Windows-1252. */
function olderEncodingOf(head: Uint8Array): string {
  const looked = head.subarray(0, mostLooked);
  const [best] = analyse(looked);
  return best && best.confidence >= leastConfidence && isEncodedAs(best.name, looked, true)
    ? best.name
    : "windows-1252";
}

function isEncodedAs(encoding: string, bytes: Uint8Array, isCut: boolean): boolean {
  try {
    // As a stream a character that is cut at the end is no fault.
    new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: isCut });
    return true;
  } catch {
    // Not these bytes, or an encoding that Node does not know.
    return false;
  }
}
