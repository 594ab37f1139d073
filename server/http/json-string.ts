import type { TextSink } from "./data-url-file.ts";
import { malformedJson } from "./strict-json.ts";

/** Reads one JSON string whose opening quote has passed. */
export interface StringReader {
  /** Reads on from `at`; gives the index after the closing quote, or -1 where the chunk ends first. */
  read(chunk: Buffer, at: number): number;
}

/**
 * Hands the text of the string to `take` with its escapes undone, in pieces that are only good until it returns.
 * A character outside printable ASCII that came as an escape is handed on as DEL. Throws `malformed_json` for a wrong escape.
 */
export function createStringReader(take: (text: Buffer) => void): StringReader {
  let pending = "";

  const readEscaped = (chunk: Buffer, from: number): number => {
    let length = 0;
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk.readUInt8(at);
      if (pending !== "") {
        pending += String.fromCharCode(byte);
        const character = characterOf(pending);
        if (character !== undefined) {
          pending = "";
          plain[length++] = character;
        }
      } else if (byte === quote) {
        take(plain.subarray(0, length));
        return at + 1;
      } else if (byte === backslash) pending = "\\";
      else plain[length++] = byte;
      if (length === plain.length) {
        take(plain);
        length = 0;
      }
    }
    take(plain.subarray(0, length));
    return -1;
  };

  return {
    read(chunk, at) {
      if (pending !== "") return readEscaped(chunk, at);
      const end = chunk.indexOf(quote, at);
      const firstEscape = chunk.indexOf(backslash, at);
      if (firstEscape !== -1 && (end === -1 || firstEscape < end)) return readEscaped(chunk, at);
      take(chunk.subarray(at, end === -1 ? chunk.length : end));
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
      if (bytes.some((byte) => byte < 0x20)) throw malformedJson("has a control character in a string");
      decode(bytes);
    },
    end: () => decode(),
  };
}

const quote = 0x22;
const backslash = 0x5c;
const plain = Buffer.allocUnsafe(65_536);
const unprintable = 0x7f;
const short = new Map([
  ['\\"', quote],
  ["\\\\", backslash],
  ["\\/", 0x2f],
  ...["b", "f", "n", "r", "t"].map((letter) => [`\\${letter}`, unprintable] as const),
]);

// Undefined while the escape is not complete.
function characterOf(sequence: string): number | undefined {
  if (sequence.length === 2 && sequence !== "\\u") return short.get(sequence) ?? wrongEscape();
  if (!/^\\u[0-9a-f]{0,4}$/i.test(sequence)) return wrongEscape();
  if (sequence.length < 6) return undefined;
  const code = Number.parseInt(sequence.slice(2), 16);
  return code >= 0x20 && code < unprintable ? code : unprintable;
}

function wrongEscape(): never {
  throw malformedJson("has a wrong escape in a string");
}
