import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { endOfString, isEscaped, isNestedDeeperThan, isObjectOrList } from "../../../src/contract/json.ts";
import { limits } from "../../../src/contract/limits.ts";
import { malformedJson } from "../answers.ts";

/** How deep objects and arrays may be nested. */
export const deepestNesting = 32;

/** How many elements a list of a request may have. */
const mostElements = 10_000;

/**
 * The field of a body whose value may be any JSON value. `anything` means that the whole text may be any JSON value.
 */
type Free = string | typeof anything;

export const anything: unique symbol = Symbol("anything");

/**
 * Parses UTF-8 JSON text. Refuses some text that JSON.parse accepts, because different parsers read it
 * differently: duplicate keys, `__proto__`, nesting deeper than 32, and lists that are too long. Also refuses
 * text with more than `most` structural characters (brackets, colons and commas), because parsing it takes too
 * long. Throws `malformed_json` for such text. In the field `free` these rules do not apply. If a key occurs
 * twice in this field, its last value counts. `keepExactJson` also replaces values in this field that
 * JSON.parse would not keep exactly, and `withoutLargeMetadata` replaces values that no report keeps.
 */
export function parseStrictJson(bytes: Buffer, free?: Free, most: number = limits.jsonStructure): unknown {
  if (!isUtf8(bytes)) throw malformedJson("is not valid UTF-8");
  const given = bytes.toString("utf8", hasByteOrderMark(bytes) ? 3 : 0);
  const text = free === undefined ? given : withFreeField(given, free, most);
  // This line must run before JSON.parse, because `countColons` also throws an error if the text is nested too
  // deeply, or has too many values.
  const colons = countColons(text, free, most);
  const value = parsed(text);
  // At this point the text is well-formed, so every colon outside a string belongs to a key. If there are fewer keys
  // than colons, a key occurs twice.
  if (free !== anything && countKeys(value, free) !== colons) throw twoEqualKeys();
  return value;
}

function withFreeField(text: string, free: Free, most: number): string {
  const field = free === anything ? undefined : free;
  return keepExactJson(withoutLargeMetadata(text, field, most), field);
}

/**
 * Whether a text begins with a byte order mark. Some programs write it before UTF-8 text. It is not a part of the JSON.
 */
const hasByteOrderMark = (bytes: Buffer): boolean =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

/**
 * Counts the keys of all objects, except the objects in the field `free`. Throws `malformed_json` for a list that is
 * too long, and for the key `__proto__`.
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
 * Counts the colons outside of strings, except the colons in the field `free`. Also throws an error if the text is
 * nested too deeply or has more than `most` structural characters. All checks use one loop, because a second loop would
 * double the time. If the text is not JSON, the count has no meaning.
 */
function countColons(text: string, free: Free | undefined, most: number): number {
  // `withoutLargeMetadata` has already counted a text with a free field.
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

/**
 * Changes JSON text so that JSON.parse loses no content. A number that a double cannot represent exactly
 * becomes a string. An object or a list at the 16th level of nesting becomes its hash inside of six nested
 * lists. So the result is still nested too deeply for every later check of the depth. Changes only the value of
 * `field`, or the whole text if `field` is undefined. Does not repair text that is not JSON, and may throw
 * `malformed_json` for it.
 */
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

/**
 * Matches numbers with at least sixteen digits or with an exponent. A double (IEEE 754) represents all numbers
 * without a match exactly.
 */
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
      pieces.push(`${"[".repeat(6)}"${createHash("sha256").update(deep).digest("hex")}"${"]".repeat(6)}`);
    },
    /**
     * Returns the index of the last character of the number that begins at `at`. If JSON.parse would not keep the
     * number exactly, the output contains the number as a string.
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

/** The most significant digits that JavaScript writes for a double. With more digits, a number is never exact. */
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
 * Returns a number in a normal form, so that equal numbers have equal forms: the digits without zeros at the beginning
 * and at the end, and a power of ten.
 */
function decimal(written: string): { readonly digits: string; readonly exponent: number } {
  const [mantissa = "", exponent = "0"] = written.replace(/^-/, "").toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  const short = digits.slice(0, endWithoutZeros(digits));
  if (short === "") return { digits: "", exponent: 0 };
  return { digits: short, exponent: Number(exponent) - fraction.length + digits.length - short.length };
}

/** Returns the index after the last digit that is not zero. A pattern would need quadratic time for `10…01`. */
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
  /** Reads from `at`. Returns the index after the closing quote, or -1 if the chunk ends before it. */
  read(chunk: Buffer, at: number): number;
}

/**
 * Creates a reader that passes the text of the string to `take`, with its escapes replaced. `take` must not keep the
 * pieces. An escaped character that is neither printable ASCII nor white space becomes DEL. Throws `malformed_json`
 * for a wrong escape or for raw white space other than a space.
 */
export function createStringReader(take: (text: Buffer) => void): StringReader {
  // The beginning of an escape that the last chunk did not contain completely.
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
 * Creates a sink that checks the raw bytes of a JSON string. It throws `malformed_json` if JSON.parse would throw an
 * error.
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
      // White space is allowed at this point, because it was escaped in the JSON. The reader has already refused
      // unescaped white space.
      // A loop is several times faster than `bytes.some`.
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

// All uploads use the same buffer, because only one piece is in use at a time. The 8 extra bytes are for the start of
// an escape from the last chunk.
const unescaped = Buffer.allocUnsafe(pieceLength + 8);

/**
 * Returns the index at which an incomplete escape at the end of `text` begins. Returns the length of `text` if there is
 * no such escape. `text` is a part of a JSON string.
 */
function incompleteEscapeAt(text: string): number {
  const at = text.lastIndexOf("\\");
  const begun = text.length - at;
  if (at === -1 || begun >= longestEscape || isEscaped(text, at)) return text.length;
  return begun === 1 || text[at + 1] === "u" ? at : text.length;
}

/**
 * Replaces the escapes in a part of a JSON string. An escaped character that is neither printable ASCII nor white
 * space becomes DEL. Throws `malformed_json` for a wrong escape.
 */
function unescapeToAscii(text: string): string {
  if (!text.includes("\\")) return text;
  // Many encoders escape every slash and every line break. If `text` contains no escaped backslash, `unescapeCommon`
  // can replace these escapes fast.
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
 * Replaces entries of metadata that are so large that no report keeps them, before JSON.parse reads them. JSON.parse
 * and the checks after it would need seconds for megabytes of small values. `field` is the field with the metadata. If
 * it is undefined, the whole text is the metadata. (rule F6)
 *
 * `fitMetadata` drops a replaced entry for the same reason as the entry itself. A replaced entry contains the hash of
 * its text, so that different requests stay different. Does not check the JSON of an entry that it replaces.
 *
 * Throws `malformed_json` if the text ends inside of the metadata, if it has the field twice, or if the text without
 * the metadata has more than `most` structural characters.
 */
export function withoutLargeMetadata(text: string, field: string | undefined, most: number): string {
  // A text does not have more structural characters than characters.
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
        // Each value of the field may be large, so a second value is refused before it is read.
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

/** The fault of a text with more than `most` structural characters. */
const tooManyValues = (most: number) =>
  malformedJson(`has over ${most} brackets, colons and commas outside of its texts`);

/** An entry of the metadata: a member of an object, or an element of a list. */
interface Entry {
  /** The index at which the value of the entry begins. */
  from: number;
  /** The number of structural characters of the value. */
  size: number;
  /** How deep the value is nested. */
  depth: number;
}

/**
 * Reads the entries of the object or list that begins at `start`. Calls `replace` for each entry that has too
 * many structural characters, and for each entry that would exceed the limit of all metadata together. Only
 * `limits.namedDrops` entries of the second kind are named, so the last of them contains the whole rest of the
 * metadata. Returns the index of the closing bracket. Throws `malformed_json` if there is none.
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

/** Returns the JSON in place of an entry. It is too deep or too long for metadata, like the entry itself. */
function replacementOf(text: string, depth: number): string {
  const hash = createHash("sha256").update(text).digest("hex");
  if (depth < limits.metadataDepth) return `"${hash.padEnd(limits.metadataBytes, "-")}"`;
  return `${"[".repeat(limits.metadataDepth)}"${hash}"${"]".repeat(limits.metadataDepth)}`;
}

/** Whether a character is one of the six structural characters of JSON (RFC 8259). */
const isStructural = (character: number) =>
  isOpening(character) || isClosing(character) || character === colon || character === comma;

/** Whether a string of a JSON text that ends at `end` is a key. */
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

/** The fault of a text with an object that has the same key twice. */
const twoEqualKeys = () => malformedJson("has an object with the same key twice");
