import { createStringReader, type StringReader } from "./json-string.ts";
import { deepestNesting } from "./strict-json.ts";
import { malformedJson } from "./upload.ts";

/** A place in a JSON text: keys, and `*` for each element of an array, such as `attachments.*.data`. */
export type Place = readonly string[];

/** Receives the parts of a JSON text. */
export interface JsonParts {
  /** Takes everything but the text of the strings at places and the quote that closes each of them. */
  text(bytes: Buffer): void;
  /** Begins a string at a place. Its text comes with the escapes replaced. */
  openString(place: Place): { write(text: Buffer): void; end(): void };
}

/**
 * Gives a function that takes JSON text in pieces and splits it. It does not check the grammar: the text parts, with any
 * string in each gap, are well-formed exactly if the whole text is.
 */
export function createJsonScanner(places: readonly Place[], parts: JsonParts): (chunk: Buffer) => void {
  const levels = createLevels(places);
  let text: TextString | undefined;
  let gap: Gap | undefined;

  const readByte = (byte: number) => {
    if (text) text = readStringByte(text, byte);
    else if (byte === quote) beginString();
    else if (byte === 0x7b || byte === 0x5b) levels.enter(byte === 0x5b);
    else if (byte === 0x7d || byte === 0x5d) levels.leave();
    else if (byte === 0x2c) levels.next();
  };
  const readStringByte = (string: TextString, byte: number): TextString | undefined => {
    if (byte !== quote || string.escaped) return continued(string, byte);
    if (string.isKey) levels.setKey(string.raw);
    return undefined;
  };
  const beginString = () => {
    const isKey = levels.awaitsKey();
    const place = isKey ? undefined : levels.place();
    if (place) gap = openGap(parts, place);
    else text = { isKey, raw: "", escaped: false };
  };
  const readText = (chunk: Buffer, from: number): number => {
    let at = from;
    while (at < chunk.length && !gap) readByte(chunk[at++] ?? 0);
    parts.text(chunk.subarray(from, at));
    return at;
  };
  const readGap = ({ reader, end }: Gap, chunk: Buffer, from: number): number => {
    const next = reader.read(chunk, from);
    if (next === -1) return chunk.length;
    gap = undefined;
    end();
    return next;
  };

  return (chunk) => {
    for (let at = 0; at < chunk.length; ) at = gap ? readGap(gap, chunk, at) : readText(chunk, at);
  };
}

interface TextString {
  readonly isKey: boolean;
  raw: string;
  escaped: boolean;
}

interface Gap {
  readonly reader: StringReader;
  readonly end: () => void;
}

const quote = 0x22;
// No step of a place is this long, even if each of its letters is escaped.
const longestKey = 256;

function openGap(parts: JsonParts, place: Place): Gap {
  const { write, end } = parts.openString(place);
  return { reader: createStringReader(write), end };
}

function continued(string: TextString, byte: number): TextString {
  string.escaped = byte === 0x5c && !string.escaped;
  if (string.isKey && string.raw.length < longestKey) string.raw += String.fromCharCode(byte);
  return string;
}

/**
 * Follows the position of a reader in a JSON text. For text that is not JSON the result has no meaning, but does no
 * harm.
 */
interface Levels {
  enter(isArray: boolean): void;
  leave(): void;
  /** A comma was read: the next element or member follows. */
  next(): void;
  /** A key was read. `raw` has its escapes unchanged. */
  setKey(raw: string): void;
  /** Whether a string that begins here is a key. */
  awaitsKey(): boolean;
  /** The place, among those looked for, of a value that begins here. */
  place(): Place | undefined;
}

function createLevels(places: readonly Place[]): Levels {
  const levels: Level[] = [];
  // No place lies deeper. The parser decides how deep a text may be nested.
  let deeper = 0;
  return {
    enter(isArray) {
      if (levels.length === deepestNesting) deeper += 1;
      else levels.push({ isArray, key: "", awaitsKey: !isArray });
    },
    leave() {
      if (deeper > 0) deeper -= 1;
      else levels.pop();
    },
    next() {
      const level = deeper > 0 ? undefined : levels.at(-1);
      if (level) level.awaitsKey = !level.isArray;
    },
    setKey(raw) {
      const level = levels.at(-1);
      if (!level || deeper > 0) return;
      level.key = keyOf(raw);
      level.awaitsKey = false;
    },
    awaitsKey: () => deeper === 0 && levels.at(-1)?.awaitsKey === true,
    place: () => (deeper > 0 ? undefined : places.find((place) => isAt(levels, place))),
  };
}

/** An object or an array around the position. */
interface Level {
  readonly isArray: boolean;
  key: string;
  awaitsKey: boolean;
}

function isAt(levels: readonly Level[], place: Place): boolean {
  return levels.length === place.length && levels.every((level, at) => isStep(level, place[at]));
}

function isStep(level: Level, step: string | undefined): boolean {
  return level.isArray ? step === "*" : step === level.key && step !== "*";
}

function keyOf(raw: string): string {
  if (!raw.includes("\\")) return raw;
  try {
    return String(JSON.parse(`"${raw}"`));
  } catch {
    throw malformedJson("is not valid JSON");
  }
}
