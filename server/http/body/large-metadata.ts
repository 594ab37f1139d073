import { createHash } from "node:crypto";
import { endOfString } from "../../../src/contract/json.ts";
import { limits } from "../../../src/contract/limits.ts";
import { isKey, isNamed, twoEqualKeys } from "./json-keys.ts";
import { malformedJson } from "./upload.ts";

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
export const tooManyValues = (most: number) =>
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
 * Reads the entries of the object or list that begins at `start`. Calls `replace` for an entry that cannot be kept, and
 * for the entries after the largest number of structural characters of all metadata. The last replaced entry contains
 * the whole rest, because only `limits.namedDrops` entries are named. Returns the index of the closing bracket.
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

const [quote, colon, comma] = [0x22, 0x3a, 0x2c];

const isOpening = (character: number) => character === 0x5b || character === 0x7b;

const isClosing = (character: number) => character === 0x5d || character === 0x7d;

/** Whether a character is one of the six structural characters of JSON (RFC 8259). */
const isStructural = (character: number) =>
  isOpening(character) || isClosing(character) || character === colon || character === comma;
