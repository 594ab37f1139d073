import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { endOfString, isEscaped, isNestedDeeperThan, isObjectOrList } from "../../../src/contract/json.ts";
import { limits } from "../../../src/contract/limits.ts";
import { malformedJson } from "../answers.ts";

/** How deep objects and arrays may be nested. */
export const deepestNesting = 32;

/** How many elements a list of a request may have. */
const mostElements = 10_000;

/** The name of the field whose value may be any JSON. With `anything`, the whole text may be any JSON. */
type Free = string | typeof anything;

export const anything: unique symbol = Symbol("anything");

/**
 * Parses UTF-8 JSON. Throws `malformed_json` for text that parsers read differently. Also throws above `most`
 * structural characters. These checks do not apply inside the field `free`.
 */
export function parseStrictJson(bytes: Buffer, free?: Free, most: number = limits.jsonStructure): unknown {
  if (!isUtf8(bytes)) throw malformedJson("is not valid UTF-8");
  const given = bytes.toString("utf8", hasByteOrderMark(bytes) ? 3 : 0);
  const text = free === undefined ? given : withFreeField(given, free, most);
  // `countColons` must run before JSON.parse. `countColons` refuses JSON with too many levels or values.
  const colons = countColons(text, free, most);
  const value = parsed(text);
  // Each colon outside of strings belongs to a key. Fewer keys than colons mean a duplicate key.
  if (free !== anything && countKeys(value, free) !== colons) throw twoEqualKeys();
  return value;
}

function withFreeField(text: string, free: Free, most: number): string {
  const field = free === anything ? undefined : free;
  return keepExactJson(withoutLargeMetadata(text, field, most), field);
}

/** Some programs write a byte order mark before UTF-8 text. It is not part of the JSON. */
const hasByteOrderMark = (bytes: Buffer): boolean =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

/**
 * Counts the keys of all objects outside of `free`. Throws `malformed_json` for a too long list and for
 * `__proto__`.
 */
function countKeys(value: unknown, free?: string): number {
  if (!isObjectOrList(value)) return 0;
  let keys = 0;
  if (Array.isArray(value)) {
    if (value.length > mostElements) throw malformedJson(`has a list of over ${mostElements} elements`);
    for (const element of value) keys += countKeys(element);
    return keys;
  }
  // `for…in` is safe, because objects from JSON.parse inherit no enumerable properties. `Object.keys` and
  // `Object.entries` would take twice as long.
  for (const key in value) {
    if (key === "__proto__") throw malformedJson("has a key named __proto__");
    keys += key === free ? 1 : 1 + countKeys(value[key]);
  }
  return keys;
}

const quote = 0x22;

const [colon, comma] = [0x3a, 0x2c];

const isOpening = (character: number) => character === 0x5b || character === 0x7b;

const isClosing = (character: number) => character === 0x5d || character === 0x7d;

/**
 * Counts the colons outside of strings and of `free`. Throws `malformed_json` above `most` structural
 * characters or `deepestNesting` levels.
 */
function countColons(text: string, free: Free | undefined, most: number): number {
  // If `free` is given, `withoutLargeMetadata` has already checked the number of structural characters.
  let left = free === undefined ? most : Number.POSITIVE_INFINITY;
  let colons = 0;
  let depth = 0;
  let isFree = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) {
      const end = endOfString(text, at + 1);
      if (end === -1) break;
      if (depth === 1 && typeof free === "string" && isKey(text, end))
        isFree = isNamed(text.slice(at, end + 1), free);
      at = end;
    } else if (character === colon) {
      colons += isFree && depth > 1 ? 0 : 1;
      left--;
    } else if (character === comma) left--;
    else if (isOpening(character)) {
      depth++;
      left--;
    } else if (isClosing(character)) {
      depth--;
      left--;
    }
    if (left < 0) throw tooManyValues(most);
    if (depth > deepestNesting) throw malformedJson(`is nested deeper than ${deepestNesting} levels`);
  }
  return colons;
}

/** Returns a JSON text from which JSON.parse loses no data. Changes only the value of `field`, if given. */
function keepExactJson(text: string, field?: string): string {
  if (!mayExceedDouble.test(text) && !isNestedDeeperThan(text, step - 1)) return text;
  const out = createOutput(text);
  let depth = 0;
  let isFree = field === undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === '"') {
      const end = endOfString(text, at + 1);
      if (end === -1) break;
      if (depth === 1 && field !== undefined && isKey(text, end))
        isFree = isNamed(text.slice(at, end + 1), field);
      at = end;
    } else if (character === "{" || character === "[") {
      depth += 1;
      if (isFree && depth % step === 0) out.begin(at);
    } else if (character === "}" || character === "]") {
      if (isFree && depth % step === 0) out.replace(at + 1);
      depth -= 1;
    } else if (character === "," && depth === 1 && field !== undefined) isFree = false;
    else if (isFree && (character === "-" || isDigit(character))) at = out.number(at);
  }
  return out.end();
}

const step = 16;

/** Numbers with at least sixteen digits or with an exponent. JSON.parse changes no other numbers. */
const mayExceedDouble = /\d[\d.]{15}|\d[eE][+-]?\d/;

const isDigit = (character: string): boolean => character >= "0" && character <= "9";

/** Creates a collector of the output. The output is the scanned text with some parts replaced. */
function createOutput(text: string) {
  const pieces: string[] = [];
  const begun: number[] = [];
  let taken = 0;
  const takeUntil = (end: number) => {
    pieces.push(text.slice(taken, end));
    taken = end;
  };
  return {
    begin(at: number) {
      takeUntil(at);
      begun.push(pieces.length);
    },
    replace(end: number) {
      takeUntil(end);
      const deep = pieces.splice(begun.pop() ?? pieces.length).join("");
      parsed(deep);
      // A hash replaces `deep`. Six nested lists surround the hash, because metadata may have at most 5 levels.
      pieces.push(`${"[".repeat(6)}"${createHash("sha256").update(deep).digest("hex")}"${"]".repeat(6)}`);
    },
    /**
     * Returns the index of the number's last character. A number that JSON.parse would change becomes a string.
     */
    number(at: number): number {
      numberForm.lastIndex = at;
      const [number = ""] = numberForm.exec(text) ?? [];
      const end = at + number.length;
      if (jsonNumber.test(number) && !fitsDouble(number) && !isKey(text, end - 1)) {
        takeUntil(at);
        pieces.push(`"${number}"`);
        taken = end;
      }
      return Math.max(at, end - 1);
    },
    end() {
      takeUntil(text.length);
      return pieces.join("");
    },
  };
}

const longestNumber = 1_000;

const numberForm = /-?[\d.eE+-]+/y;

const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** JavaScript writes a double with at most 17 significant digits. A number with more digits is never exact. */
const mostDigits = 17;

/** Whether a double represents the written number exactly. */
function fitsDouble(written: string): boolean {
  if (written.length > longestNumber) return false;
  const given = decimal(written);
  if (given.digits.length > mostDigits) return false;
  const double = Number(written);
  const kept = decimal(String(double));
  return Number.isFinite(double) && given.digits === kept.digits && given.exponent === kept.exponent;
}

/**
 * Returns the digits of a number without outer zeros, and the exponent. Ignores the sign. Equal numbers have
 * equal results.
 */
function decimal(written: string): { readonly digits: string; readonly exponent: number } {
  const [mantissa = "", exponent = "0"] = written.replace(/^-/, "").toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  const short = digits.slice(0, endWithoutZeros(digits));
  if (short === "") return { digits: "", exponent: 0 };
  return { digits: short, exponent: Number(exponent) - fraction.length + digits.length - short.length };
}

/** Returns the index after the last digit that is not zero. A regular expression could need quadratic time. */
function endWithoutZeros(digits: string): number {
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  return end;
}

/** Receives text in pieces. */
export interface TextSink<Result> {
  write(bytes: Buffer): void;
  end(): Result;
}

/** Reads one JSON string. The opening quote was read already. */
export interface StringReader {
  /**
   * Reads from the index `at`. Returns the index after the closing quote, or -1 if `chunk` does not contain
   * this quote.
   */
  read(chunk: Buffer, at: number): number;
}

/**
 * Creates a reader that replaces escapes. `take` gets the text and must not store this buffer. The reader
 * throws `malformed_json`.
 */
export function createStringReader(take: (text: Buffer) => void): StringReader {
  // An incomplete escape at the end of the last chunk. The next chunk begins with the rest of the escape.
  let held = "";

  const takeEscaped = (text: string) =>
    take(unescaped.subarray(0, unescaped.write(unescapeToAscii(text), "latin1")));
  const readEscaped = (chunk: Buffer, from: number): number => {
    for (let at = from; at < chunk.length; at += pieceLength) {
      const text = held + chunk.toString("latin1", at, at + pieceLength);
      const end = endOfString(text, 0);
      if (/[\t\n\f\r]/.test(end === -1 ? text : text.slice(0, end))) throw rawControl();
      if (end !== -1) {
        takeEscaped(text.slice(0, end));
        return at + end + 1 - held.length;
      }
      const complete = incompleteEscapeAt(text);
      takeEscaped(text.slice(0, complete));
      held = text.slice(complete);
    }
    return -1;
  };

  return {
    read(chunk, at) {
      if (held !== "") return readEscaped(chunk, at);
      const end = chunk.indexOf(quoteByte, at);
      const firstEscape = chunk.indexOf(backslash, at);
      if (firstEscape !== -1 && (end === -1 || firstEscape < end)) return readEscaped(chunk, at);
      const text = chunk.subarray(at, end === -1 ? chunk.length : end);
      if (whiteSpace.some((byte) => text.includes(byte))) throw rawControl();
      take(text);
      return end === -1 ? -1 : end + 1;
    },
  };
}

/**
 * Creates a check of the text that a StringReader has read. The check throws `malformed_json` if JSON.parse
 * would throw.
 */
export function createRawStringCheck(): TextSink<void> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (bytes?: Buffer) => {
    try {
      decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw malformedJson("is not valid UTF-8");
    }
  };
  return {
    write(bytes) {
      // `whiteSpace` is allowed, because a StringReader refuses unescaped white space. This loop is several
      // times faster than `bytes.some`.
      for (let at = 0; at < bytes.length; at++) {
        const byte = bytes[at] ?? 0;
        if (byte < 0x20 && !whiteSpace.includes(byte)) throw rawControl();
      }
      decode(bytes);
    },
    end: () => decode(),
  };
}

const rawControl = () => malformedJson("has a control character in a string");

/** The control characters that are ASCII white space: tab, line feed, form feed and carriage return. */
const whiteSpace = [0x09, 0x0a, 0x0c, 0x0d];

const quoteByte = 0x22;

const backslash = 0x5c;

const pieceLength = 65_536;

// All uploads share this buffer, one piece at a time. The 8 additional bytes are for `held`.
const unescaped = Buffer.allocUnsafe(pieceLength + 8);

/** Returns where an incomplete escape at the end of `text` begins, or the length of `text` if there is none. */
function incompleteEscapeAt(text: string): number {
  const at = text.lastIndexOf("\\");
  const begun = text.length - at;
  if (at === -1 || begun >= longestEscape || isEscaped(text, at)) return text.length;
  return begun === 1 || text[at + 1] === "u" ? at : text.length;
}

/**
 * Replaces escapes. Characters that are neither printable ASCII nor white space become DEL. Throws
 * `malformed_json` for a wrong escape.
 */
function unescapeToAscii(text: string): string {
  if (!text.includes("\\")) return text;
  // `unescapeCommon` is fast. It works only on a text without escaped backslashes.
  const eased = text.includes("\\\\") ? text : unescapeCommon(text);
  return eased.replace(/\\(u[0-9a-fA-F]{4}|["\\/bfnrt])?/g, (_, escaped?: string) => characterOf(escaped));
}

const unescapeCommon = (text: string): string =>
  text.replaceAll("\\/", "/").replaceAll("\\n", "\n").replaceAll("\\r", "\r");

const longestEscape = 6;

const unprintable = "\u007f";

const shortEscapes: ReadonlyMap<string, string> = new Map([
  ["b", unprintable],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

function characterOf(escaped: string | undefined): string {
  if (escaped === undefined) throw malformedJson("has a wrong escape in a string");
  if ('"\\/'.includes(escaped)) return escaped;
  const short = shortEscapes.get(escaped);
  if (short !== undefined) return short;
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
  return /^[ -~\t\n\f\r]$/.test(character) ? character : unprintable;
}

/**
 * Replaces too large metadata entries, because JSON.parse would need seconds. Without `field`, all text is
 * metadata. Throws `malformed_json`. (rule F6)
 */
export function withoutLargeMetadata(text: string, field: string | undefined, most: number): string {
  // A text of at most this length contains no entry that is too large, and not too many structural characters.
  if (text.length <= limits.metadataBytes) return text;
  const pieces: string[] = [];
  let taken = 0;
  const replace = ({ from, depth }: Entry, end: number) => {
    pieces.push(text.slice(taken, from), replacementOf(text.slice(from, end), depth));
    taken = end;
  };
  const depthOfMetadata = field === undefined ? 0 : 1;
  let others = 0;
  let depth = 0;
  let isFree = field === undefined;
  let hasMetadata = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) {
      const end = endOfString(text, at + 1);
      if (end === -1) break;
      if (depth === 1 && field !== undefined && isKey(text, end)) {
        isFree = isNamed(text.slice(at, end + 1), field);
        // A second value of `field` is refused before the value is read, because the value may be large.
        if (isFree && hasMetadata) throw twoEqualKeys();
        hasMetadata ||= isFree;
      }
      at = end;
      continue;
    }
    if (!isStructural(character)) continue;
    if (isFree && depth === depthOfMetadata && isOpening(character)) {
      at = readEntries(text, at, replace);
      continue;
    }
    others += 1;
    if (others > most) throw tooManyValues(most);
    if (isOpening(character)) depth++;
    else if (isClosing(character)) depth--;
    else if (depth === 0) throw malformedJson("is not valid JSON");
  }
  return pieces.length === 0 ? text : pieces.join("") + text.slice(taken);
}

const tooManyValues = (most: number) =>
  malformedJson(`has over ${most} brackets, colons and commas outside of its texts`);

/** An entry of the metadata: a member of an object, or an element of a list. */
interface Entry {
  /** The index at which the value of the entry begins. */
  from: number;
  /** The number of structural characters of the value, plus 1. */
  size: number;
  /** How deep the value is nested. */
  depth: number;
}

/**
 * Calls `replace` for each entry that makes the metadata too large. Returns the index of the closing bracket.
 * Throws `malformed_json`.
 */
function readEntries(text: string, start: number, replace: (entry: Entry, end: number) => void): number {
  let entry: Entry = { from: start + 1, size: 1, depth: 0 };
  let rest: Entry | undefined;
  let kept = 0;
  let left = 0;
  const endEntry = (end: number) => {
    if (rest) return;
    const fits = entry.size <= limits.metadataBytes;
    if (fits && kept + entry.size <= limits.metadataStructure) {
      kept += entry.size;
      return;
    }
    if (fits) left += 1;
    // If `left` reaches `namedDrops`, one hash replaces this entry and all later entries together.
    if (left === limits.namedDrops) rest = entry;
    else replace(entry, end);
  };

  let depth = 1;
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) {
      at = endOfString(text, at + 1);
      if (at === -1) break;
      continue;
    }
    if (!isStructural(character)) continue;
    if (isClosing(character)) depth--;
    if (depth === 0) {
      endEntry(at);
      if (rest) replace(rest, at);
      return at;
    }
    if (depth === 1 && character === colon) entry.from = at + 1;
    else if (depth === 1 && character === comma) {
      endEntry(at);
      entry = { from: at + 1, size: 1, depth: 0 };
    } else entry.size += 1;
    if (!isOpening(character)) continue;
    entry.depth = Math.max(entry.depth, depth);
    depth++;
  }
  throw malformedJson("is not valid JSON");
}

/**
 * Returns JSON that replaces a too large entry. `fitMetadata` drops this JSON. The hash differs for different
 * entries.
 */
function replacementOf(text: string, depth: number): string {
  const hash = createHash("sha256").update(text).digest("hex");
  if (depth < limits.metadataDepth) return `"${hash.padEnd(limits.metadataBytes, "-")}"`;
  return `${"[".repeat(limits.metadataDepth)}"${hash}"${"]".repeat(limits.metadataDepth)}`;
}

/** Whether a character is one of the six structural characters of JSON (RFC 8259). */
const isStructural = (character: number) =>
  isOpening(character) || isClosing(character) || character === colon || character === comma;

/** Whether the string that ends at the index `end` of a JSON text is a key. */
function isKey(text: string, end: number): boolean {
  keyEnd.lastIndex = end + 1;
  return keyEnd.test(text);
}

const keyEnd = /\s*:/y;

/** Whether a JSON string, with its quotes and escapes, is the name of a field. */
function isNamed(raw: string, field: string): boolean {
  if (!raw.includes("\\")) return raw === `"${field}"`;
  return parsed(raw) === field;
}

/** Returns the value of a JSON text. Throws `malformed_json` if the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformedJson("is not valid JSON");
  }
}

const twoEqualKeys = () => malformedJson("has an object with the same key twice");
