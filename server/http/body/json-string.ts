import { malformedJson } from "./upload.ts";

/** Takes text in pieces. */
export interface TextSink<Result> {
  write(bytes: Buffer): void;
  end(): Result;
}

/** Reads one JSON string, from after its opening quote. */
export interface StringReader {
  /** Reads from `at`. Gives the index after the closing quote, or -1 if the chunk ends first. */
  read(chunk: Buffer, at: number): number;
}

/**
 * Passes the text of the string to `take` with its escapes replaced. `take` must not keep the pieces. An escaped
 * character that is neither printable ASCII nor a line break becomes DEL. Throws `malformed_json` for a wrong escape or
 * a raw line break.
 */
export function createStringReader(take: (text: Buffer) => void): StringReader {
  // The start of an escape that the end of the last chunk cut.
  let held = "";

  const takeEscaped = (text: string) =>
    take(unescaped.subarray(0, unescaped.write(unescapeToAscii(text), "latin1")));
  const readEscaped = (chunk: Buffer, from: number): number => {
    for (let at = from; at < chunk.length; at += pieceLength) {
      const text = held + chunk.toString("latin1", at, at + pieceLength);
      const end = endOfString(text, 0);
      if (/[\n\r]/.test(end === -1 ? text : text.slice(0, end))) throw rawControl();
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
      const end = chunk.indexOf(quote, at);
      const firstEscape = chunk.indexOf(backslash, at);
      if (firstEscape !== -1 && (end === -1 || firstEscape < end)) return readEscaped(chunk, at);
      const text = chunk.subarray(at, end === -1 ? chunk.length : end);
      if (text.includes(0x0a) || text.includes(0x0d)) throw rawControl();
      take(text);
      return end === -1 ? -1 : end + 1;
    },
  };
}

/** Accepts the raw bytes of a JSON string's text, and throws `malformed_json` where JSON.parse would. */
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
      // These line breaks were escaped: the reader has refused all others.
      if (bytes.some((byte) => byte < 0x20 && byte !== 0x0a && byte !== 0x0d)) throw rawControl();
      decode(bytes);
    },
    end: () => decode(),
  };
}

const rawControl = () => malformedJson("has a control character in a string");

const quote = 0x22;
const backslash = 0x5c;
const pieceLength = 65_536;
// One buffer for all uploads, with room for a cut escape: pieces are passed on one at a time.
const unescaped = Buffer.allocUnsafe(pieceLength + 8);

/** The index of the quote that ends a JSON string, searched from inside the string; -1 if there is none. */
export function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

/**
 * The index of an escape that `text`, a part of a JSON string, does not complete; the length of `text` if there is none.
 */
function incompleteEscapeAt(text: string): number {
  const at = text.lastIndexOf("\\");
  const begun = text.length - at;
  if (at === -1 || begun >= longestEscape || isEscaped(text, at)) return text.length;
  return begun === 1 || text[at + 1] === "u" ? at : text.length;
}

/**
 * Replaces the escapes in a part of a JSON string. An escaped character that is neither printable ASCII nor a line break
 * becomes DEL. Throws `malformed_json` for a wrong escape.
 */
function unescapeToAscii(text: string): string {
  if (!text.includes("\\")) return text;
  // Many encoders escape every slash, or break lines. If no backslash is itself escaped, `ease` does most of the work.
  const eased = text.includes("\\\\") ? text : unescapeCommon(text);
  return eased.replace(/\\(u[0-9a-fA-F]{4}|["\\/bfnrt])?/g, (_, escaped?: string) => characterOf(escaped));
}

const unescapeCommon = (text: string): string =>
  text.replaceAll("\\/", "/").replaceAll("\\n", "\n").replaceAll("\\r", "\r");

const longestEscape = 6;
const unprintable = "\u007f";

function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text[start - 1] === "\\") start--;
  return (at - start) % 2 === 1;
}

function characterOf(escaped: string | undefined): string {
  if (escaped === undefined) throw malformedJson("has a wrong escape in a string");
  if ('"\\/'.includes(escaped)) return escaped;
  if (escaped === "n" || escaped === "r") return escaped === "n" ? "\n" : "\r";
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
  return /^[ -~\n\r]$/.test(character) ? character : unprintable;
}
