import type { FilePlace } from "./file-places.ts";
import { createLevels } from "./json-levels.ts";
import { createStringReader, type StringReader } from "./json-string.ts";

/** Receives the parts of a JSON text. */
export interface JsonParts {
  /** Takes everything but the text of the strings at places and the quote that closes each of them. */
  text(bytes: Buffer): void;
  /** Begins a string at a place. Its text comes with the escapes replaced. */
  openString(place: FilePlace): { write(text: Buffer): void; end(): void };
}

/**
 * Gives a function that takes JSON text in pieces and splits it. It does not check the grammar: the text parts, with any
 * string in each gap, are well-formed exactly if the whole text is.
 */
export function createJsonScanner(places: readonly FilePlace[], parts: JsonParts): (chunk: Buffer) => void {
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

function openGap(parts: JsonParts, place: FilePlace): Gap {
  const { write, end } = parts.openString(place);
  return { reader: createStringReader(write), end };
}

function continued(string: TextString, byte: number): TextString {
  string.escaped = byte === 0x5c && !string.escaped;
  if (string.isKey && string.raw.length < longestKey) string.raw += String.fromCharCode(byte);
  return string;
}
