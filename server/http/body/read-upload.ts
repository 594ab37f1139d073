import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import type { Endpoint, UploadRules } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { normaliseMediaType, type ReceivedFile, receivedFile } from "../../../src/contract/files.ts";
import { isObjectOrList } from "../../../src/contract/json.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { Files, TemporaryFile } from "../../files/files.ts";
import { malformedJson, UploadFailure } from "../answers.ts";
import { type MultipartForm, readMultipartUpload } from "./form-upload.ts";
import {
  arrivedBytes,
  consume,
  createByteCollector,
  type IncomingBody,
  type Intake,
  mediaTypeOf,
  receive,
  refuseEncoded,
  refuseMore,
  type Upload,
} from "./read-body.ts";
import {
  createRawStringCheck,
  createStringReader,
  deepestNesting,
  parseStrictJson,
  type StringReader,
  type TextSink,
} from "./strict-json.ts";

/**
 * Reads a body with files. Throws `unsupported_media_type`, `payload_too_large`, and the errors of
 * `readMultipartUpload` and `readJsonUpload`.
 */
export async function readUpload(
  request: IncomingMessage,
  { body, bodyKind, rules }: Pick<Endpoint, "body" | "bodyKind"> & { readonly rules: UploadRules },
  { files, arrival }: { readonly files: Files; readonly arrival: IncomingBody | undefined },
): Promise<Upload> {
  refuseEncoded(request);
  if (Number(request.headers["content-length"] ?? 0) > rules.bodyBytes)
    throw new ApiError("payload_too_large");
  const mediaType = mediaTypeOf(request);
  if (mediaType === "multipart/form-data")
    return readMultipartUpload({ body: request, headers: request.headers }, files, {
      ...formOf(rules, Object.keys(body?.shape ?? {})),
      arrival,
    });
  if (mediaType === "application/json" && bodyKind === "upload") {
    const whole = request.readableLength <= smallBody ? arrivedBytes(request) : undefined;
    return whole
      ? readWholeJson(whole, files, rules)
      : readJsonUpload(request, files, { ...jsonLimitsOf(rules), arrival });
  }
  const json = bodyKind === "upload" ? "application/json or as " : "";
  throw new ApiError("unsupported_media_type", { message: `Send the body as ${json}multipart/form-data.` });
}

const formOf = ({ files, anyJson, bodyBytes }: UploadRules, fields: readonly string[]): MultipartForm => ({
  files,
  texts: fields.filter((field) => !Object.hasOwn(files, field)),
  json: anyJson === undefined ? [] : [anyJson],
  body: bodyBytes,
  text: textBytes(anyJson),
});

/**
 * Returns the maximum number of bytes of a body without its files. The server shortens long metadata after the
 * upload.
 */
const textBytes = (anyJson: string | undefined): number =>
  anyJson === undefined ? limits.json : limits.jsonWithMetadata;

const jsonLimitsOf = ({ files, anyJson, bodyBytes }: UploadRules): JsonUploadLimits => ({
  files: Object.fromEntries(
    Object.entries(files).map(([field, { bytes, named }]) => [`${field}.*${named ? ".data" : ""}`, bytes]),
  ),
  ...(anyJson === undefined ? {} : { free: anyJson }),
  body: bodyBytes,
  text: textBytes(anyJson),
});

/** Reads a small JSON body that has arrived completely. Most of these bodies contain no files. */
function readWholeJson(bytes: Buffer, files: Files, rules: UploadRules): Upload | Promise<Upload> {
  const value = parseStrictJson(bytes, rules.anyJson);
  const hasFiles =
    isObjectOrList(value) && Object.keys(rules.files).some((field) => Object.hasOwn(value, field));
  if (!hasFiles) return { value, files: [], discard: nothingToDiscard };
  const places = placesOf(jsonLimitsOf(rules));
  return receive(files, (intake) => parseWhole(value, intake, places));
}

const nothingToDiscard = async () => {};

export interface JsonUploadLimits {
  /** Paths of base64 data URLs that become files, with the limit of decoded bytes, such as `{"images.*":2_097_152}`. */
  readonly files: Readonly<Record<string, number>>;
  /** The field whose value may be any JSON object. */
  readonly free?: string;
  /** The maximum number of bytes of the whole body. */
  readonly body: number;
  /** The maximum number of bytes of the body without its files. This part is in memory. */
  readonly text: number;
  /** Set if the server may stop reading the body before its end. */
  readonly arrival?: IncomingBody | undefined;
}

/**
 * Decodes the files of a JSON body to disk. Each string at a path of `allowed.files` becomes a ReceivedFile.
 */
export function readJsonUpload(body: Readable, files: Files, allowed: JsonUploadLimits): Promise<Upload> {
  return receive(files, async (intake) => {
    const places = placesOf(allowed);
    const { arrival } = allowed;
    let whole = createByteCollector();
    let scan: JsonScan | undefined;

    await consume(body, { bytes: allowed.body, arrival }, (chunk) => {
      if (scan) return scan.write(chunk);
      const grown = whole.add(chunk);
      arrival?.hold(grown);
      if (whole.size <= smallBody) return;
      scan = scanJson(intake, places, allowed);
      scan.write(whole.bytes());
      whole = createByteCollector();
    });
    return scan ? scan.end() : parseWhole(parseStrictJson(whole.bytes(), allowed.free), intake, places);
  });
}

const smallBody = 65_536;

type PlaceLimits = ReadonlyMap<JsonPath, number>;

const placesOf = ({ files }: JsonUploadLimits): PlaceLimits =>
  new Map(Object.entries(files).map(([at, bytes]) => [at.split("."), bytes]));

function parseWhole(value: unknown, intake: Intake, places: PlaceLimits): Promise<unknown> {
  const files: Promise<unknown>[] = [];
  const anyText = { write() {}, end() {} };
  for (const [place, limit] of places) {
    replaceStringsAt(value, place, (text) => {
      refuseMore(files.length);
      const file = createDataUrlFile(intake, limit, anyText);
      file.write(Buffer.from(text));
      return String(files.push(file.end()) - 1);
    });
  }
  return withFiles(value, places, files);
}

// Replaces the indexes in the value with the complete files. Each index is the position of a file in `pending`.
async function withFiles(value: unknown, places: PlaceLimits, pending: Promise<unknown>[]): Promise<unknown> {
  const files = await Promise.all(pending);
  for (const place of places.keys()) replaceStringsAt(value, place, (number) => files[Number(number)]);
  return value;
}

interface JsonScan {
  write(chunk: Buffer): void;
  end(): Promise<unknown>;
}

function scanJson(intake: Intake, places: PlaceLimits, { text: maxText, free }: JsonUploadLimits): JsonScan {
  const text = createByteCollector();
  const files: Promise<unknown>[] = [];

  const keepText = (bytes: Buffer) => {
    if (text.size + bytes.length > maxText)
      throw new UploadFailure(
        "too_large",
        `The body has over ${maxText} bytes without its files. Send less text or metadata.`,
      );
    text.add(bytes);
  };
  // The server later shortens long texts. A hash of the omitted end keeps different bodies different. (rule F6)
  const isFull = (more: number) => free !== undefined && text.size + more > maxText / 2;
  const openRest = () => {
    const hash = createHash("sha256");
    const write = (raw: Buffer) => void hash.update(raw);
    return { write, end: () => keepText(Buffer.from(`${hash.digest("hex")}"`)) };
  };
  const openString = (place: JsonPath) => {
    refuseMore(files.length);
    const file = createDataUrlFile(intake, places.get(place) ?? 0, createRawStringCheck());
    const end = () => keepText(Buffer.from(`${files.push(file.end()) - 1}"`));
    return { write: file.write, end };
  };

  return {
    write: createJsonScanner([...places.keys()], { text: keepText, openString, isFull, openRest }),
    end: () => withFiles(parseStrictJson(text.bytes(), free), places, files),
  };
}

/** Replaces every string at the path `place`, in order. Changes `value` itself. */
function replaceStringsAt(value: unknown, place: JsonPath, replace: (text: string) => unknown): void {
  const [step, ...rest] = place;
  if (step === undefined || !isObjectOrList(value) || Array.isArray(value) !== (step === "*")) return;
  for (const key of step === "*" ? Object.keys(value) : [step]) {
    const child = Object.hasOwn(value, key) ? value[key] : undefined;
    if (typeof child === "string" && rest.length === 0) value[key] = replace(child);
    else replaceStringsAt(child, rest, replace);
  }
}

/** A path in a JSON text, such as `attachments.*.data`. `*` means every element of an array. */
type JsonPath = readonly string[];

/** Receives the parts of a JSON text. */
interface JsonParts {
  /**
   * Receives all bytes that `openString` and `openRest` do not receive, without the closing quotes of their
   * strings.
   */
  text(bytes: Buffer): void;
  /** Called when a string at the path `place` begins. `write` receives the string with its escapes replaced. */
  openString(place: JsonPath): { write(text: Buffer): void; end(): void };
  /**
   * Whether `openRest` must receive the rest of a string. `more` counts bytes that `text` has not received yet.
   */
  isFull(more: number): boolean;
  /**
   * Called when `isFull` has returned true. `write` receives the rest of the long string with unchanged
   * escapes.
   */
  openRest(): { write(raw: Buffer): void; end(): void };
}

/**
 * Creates a function that reads chunks of JSON and calls the functions of `parts`. It does not check the JSON.
 */
function createJsonScanner(places: readonly JsonPath[], parts: JsonParts): (chunk: Buffer) => void {
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
    else text = { isKey, raw: "", escaped: false, length: 0, escapeLeft: 0 };
  };
  const leavesOut = (byte: number, more: number): boolean =>
    text !== undefined && text.length >= longestString && mayEndBefore(text, byte) && parts.isFull(more);
  const readText = (chunk: Buffer, from: number): number => {
    let at = from;
    for (; at < chunk.length && !gap; at++) {
      const byte = chunk[at] ?? 0;
      if (leavesOut(byte, at - from)) {
        text = undefined;
        gap = openRestGap(parts);
        break;
      }
      readByte(byte);
    }
    parts.text(chunk.subarray(from, at));
    return at;
  };
  const readGap = ({ reader, raw, end }: Gap, chunk: Buffer, from: number): number => {
    const next = reader.read(chunk, from);
    raw?.(chunk.subarray(from, next === -1 ? chunk.length : next - 1));
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
  /** The number of bytes that were read. */
  length: number;
  /** How many of the next bytes may belong to the last escape. */
  escapeLeft: number;
}

/** A string, or the rest of a string, that `JsonParts.text` does not receive. */
interface Gap {
  readonly reader: StringReader;
  /** Receives the bytes with unchanged escapes. */
  readonly raw?: (bytes: Buffer) => void;
  readonly end: () => void;
}

const quote = 0x22;

// No key of a path is longer than this, even if each of its letters is escaped.
const longestKey = 256;

function openGap(parts: JsonParts, place: JsonPath): Gap {
  const { write, end } = parts.openString(place);
  return { reader: createStringReader(write), end };
}

/** No field accepts a string with more bytes than this, even if all its characters are escaped. */
const longestString = 131_072;

/** Whether the server may cut a string before `byte`. False inside a key, an escape or a UTF-8 character. */
const mayEndBefore = ({ isKey, escaped, escapeLeft }: TextString, byte: number): boolean =>
  !isKey && !escaped && byte !== quote && (byte & 0xc0) !== 0x80 && (escapeLeft === 0 || byte === 0x5c);

function openRestGap(parts: JsonParts): Gap {
  const rest = parts.openRest();
  const check = createRawStringCheck();
  const end = () => {
    check.end();
    rest.end();
  };
  return { reader: createStringReader(check.write), raw: rest.write, end };
}

const longestEscape = 6;

function continued(string: TextString, byte: number): TextString {
  const begins = byte === 0x5c && !string.escaped;
  string.escaped = begins;
  string.escapeLeft = begins ? longestEscape - 1 : Math.max(0, string.escapeLeft - 1);
  string.length += 1;
  if (string.isKey && string.raw.length < longestKey) string.raw += String.fromCharCode(byte);
  return string;
}

/** Tracks the path of the current position in a JSON text. Invalid JSON leads to wrong paths. */
interface Levels {
  enter(isArray: boolean): void;
  leave(): void;
  /** Call this after a comma, before the next element or member. */
  next(): void;
  /** Call this after a key. `raw` is the key with its escapes unchanged. */
  setKey(raw: string): void;
  /** Whether a string that begins at the current position is a key. */
  awaitsKey(): boolean;
  /** Returns the path of a value that begins at the current position, if it is one of the given paths. */
  place(): JsonPath | undefined;
}

function createLevels(places: readonly JsonPath[]): Levels {
  const levels: Level[] = [];
  // Counts the levels below the deepest allowed level. `parseStrictJson` later refuses a text with such levels.
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

/** An object or an array that contains the current position. */
interface Level {
  readonly isArray: boolean;
  key: string;
  awaitsKey: boolean;
}

function isAt(levels: readonly Level[], place: JsonPath): boolean {
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

/**
 * Creates a sink that decodes one data URL into a temporary file. If decoding fails, `remainder` receives the
 * undecoded text.
 */
function createDataUrlFile(
  intake: Intake,
  limit: number,
  remainder: TextSink<void>,
): TextSink<Promise<ReceivedFile>> {
  let header = "";
  let url: OpenUrl | undefined;
  let fault: ReceivedFile["fault"] = null;

  const refuse = (why: ReceivedFile["fault"], unread: string, rest: Buffer) => {
    fault = why;
    remainder.write(Buffer.from(unread, "latin1"));
    remainder.write(rest);
  };
  const readBase64 = (open: OpenUrl, bytes: Buffer) => {
    if (!open.decoder.write(bytes)) refuse("not_base64", open.decoder.held(), bytes);
  };
  const readHeader = (bytes: Buffer) => {
    const read = header + bytes.toString("latin1", 0, longestHeader);
    const end = read.search(endOfHeader);
    const type = end === -1 ? undefined : typeOf(read.slice(0, end));
    if (type !== undefined) {
      url = openUrl(intake.open(limit), type);
      readBase64(url, bytes.subarray(end + base64Mark.length - header.length));
    } else if (end !== -1 || read.length >= longestHeader) refuse("not_a_data_url", header, bytes);
    else header = read;
  };

  return {
    write(bytes) {
      if (fault) remainder.write(bytes);
      else if (url) readBase64(url, bytes);
      else readHeader(bytes);
    },
    end() {
      if (!fault && !url) refuse("not_a_data_url", header, nothing);
      if (!fault && url && !url.decoder.end()) refuse("not_base64", url.decoder.held(), nothing);
      if (fault) remainder.end();
      return intake.add(received(url, fault));
    },
  };
}

const nothing = Buffer.alloc(0);

const notWritten = { path: "", size: 0, sha256: "", detectedType: null };

const longestHeader = 1_024;

type OpenUrl = ReturnType<typeof openUrl>;

async function received(url: OpenUrl | undefined, fault: ReceivedFile["fault"]): Promise<ReceivedFile> {
  const written = url ? await url.file.finish() : notWritten;
  return receivedFile({ ...written, declaredType: url?.type ?? null, name: null, fault });
}

function openUrl(file: TemporaryFile, type: string | null) {
  return { file, type, decoder: createBase64Decoder((decoded) => file.write(decoded)) };
}

const base64Mark = ";base64,";

// The header does not end at the first comma, which may be inside `codecs=vp8,opus`.
const endOfHeader = /;base64,/i;

// The declared type may be missing, wrong or `image/*`. The server detects the type from the bytes.
const dataUrlHeader = /^data:([ -:<-~\x80-\xff]*)(;[ -~\x80-\xff]*)?$/i;

/** Returns the declared type of a data URL, or null without one. Returns undefined for other text. */
function typeOf(header: string): string | null | undefined {
  if (header.length > longestHeader || !isUtf8(Buffer.from(header, "latin1"))) return undefined;
  const declared = dataUrlHeader.exec(header)?.[1];
  return declared === undefined ? undefined : normaliseMediaType(declared);
}

/** Decodes base64 (RFC 4648) in pieces. Requires padding. Allows ASCII white space and percent escapes (RFC 2397). */
interface Base64Decoder {
  /** Returns false as soon as the text is not base64. The caller must stop after that. */
  write(bytes: Buffer): boolean;
  /** Returns false if the last group of four characters is incomplete or has wrong padding. */
  end(): boolean;
  /** Returns the characters that are not decoded yet, which may be an incomplete group of four. */
  held(): string;
}

/** `take` must not keep the buffer, because the decoder uses it again. */
function createBase64Decoder(take: (decoded: Buffer) => void): Base64Decoder {
  // The newest group of four characters waits here, because only the last group of a text may have padding.
  let held = "";
  const plain = createUnescape();
  return {
    write(given) {
      const bytes = plain.read(given);
      const total = held.length + bytes.length;
      if (total <= groupLength) {
        held += bytes.toString("latin1");
        return true;
      }
      const begin = (groupLength - held.length) % groupLength;
      const end = bytes.length - (((total - 1) % groupLength) + 1);
      const first = held + bytes.toString("latin1", 0, begin);
      if (!decode(first, bytes.subarray(begin, end), take)) return false;
      held = bytes.toString("latin1", end);
      return true;
    },
    end() {
      if (plain.held() !== "") return false;
      if (held === "") return true;
      if (!lastGroup.test(held)) return false;
      take(decoded.subarray(0, decoded.write(held, "base64")));
      return true;
    },
    held: () => held + plain.held(),
  };
}

const groupLength = 4;

const group = /^[A-Za-z0-9+/]{4}$/;

const lastGroup = /^[A-Za-z0-9+/]{2}(==|[A-Za-z0-9+/](=|[A-Za-z0-9+/]))$/;

const pieceLength = 65_536;

// All uploads share one buffer, because decoding is synchronous. New buffers would cause much garbage collection.
const decoded = Buffer.allocUnsafe((pieceLength / 4) * 3 + 3);

/** Replaces percent escapes and removes ASCII white space in a text that arrives in pieces. */
interface Unescape {
  /** Returns the next piece of the text. Keeps an incomplete escape at its end until the next piece. */
  read(bytes: Buffer): Buffer;
  /** Returns the incomplete escape at the end of the last piece. */
  held(): string;
}

/**
 * Replaces percent escapes and removes white space. Wrong escapes stay unchanged, and the decoder refuses them.
 */
function createUnescape(): Unescape {
  let held = "";
  return {
    read(bytes) {
      if (held === "" && !special.some((byte) => bytes.includes(byte))) return bytes;
      const text = held + bytes.toString("latin1");
      held = incompleteEscape.exec(text.slice(-2))?.[0] ?? "";
      const whole = text.slice(0, text.length - held.length);
      return Buffer.from(withoutWhiteSpace(unescaped(whole)), "latin1");
    },
    held: () => held,
  };
}

/** The percent sign, the line breaks, the space, the tab and the form feed. */
const special = [0x25, 0x0a, 0x0d, 0x20, 0x09, 0x0c];

const incompleteEscape = /%[0-9a-f]?$/i;

const unescaped = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

const withoutWhiteSpace = (text: string): string => text.replace(/[\t\n\f\r ]+/g, "");

/** Decodes `first`, which is empty or one group of four characters, and then `groups`. */
function decode(first: string, groups: Buffer, take: (decoded: Buffer) => void): boolean {
  if (first !== "" && !group.test(first)) return false;
  // Node also decodes base64url, so this line refuses `-` and `_`. The length check finds other wrong
  // characters.
  if (groups.includes(0x2d) || groups.includes(0x5f)) return false;
  let offset = decoded.write(first, "base64");
  for (let at = 0; at < groups.length; at += pieceLength) {
    const piece = groups.toString("latin1", at, at + pieceLength);
    const length = decoded.write(piece, offset, "base64");
    if (length !== (piece.length / 4) * 3) return false;
    take(decoded.subarray(0, offset + length));
    offset = 0;
  }
  if (offset > 0) take(decoded.subarray(0, offset));
  return true;
}
