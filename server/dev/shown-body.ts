import { redactJson, redactText } from "../../src/client/redact.ts";

/** How many bytes of a body are kept until it is shown. */
export const keptBytes = 262_144;
/** How many characters of a body are shown. */
const shownLength = 16_384;

/** A body as it went over the wire. */
export interface KeptBody {
  readonly mediaType: string;
  readonly size: number;
  /** All bytes, or undefined if they were more than `keptBytes`. */
  readonly bytes: Buffer | undefined;
}

/** The text that the page shows of a body: without secrets, and not all of a long one. (rule O16) */
export function shownBody({ mediaType, size, bytes }: KeptBody): string {
  if (size === 0) return "";
  const note = `[${mediaType || "no media type"}, ${size} bytes]`;
  if (bytes === undefined) return note;
  if (/json/.test(mediaType)) return shortened(jsonText(bytes.toString("utf8")) ?? note);
  if (mediaType === "application/x-www-form-urlencoded") return shortened(formText(bytes.toString("latin1")));
  return mediaType === "text/plain" ? shortened(redactText(bytes.toString("utf8"))) : note;
}

function jsonText(text: string): string | undefined {
  try {
    return JSON.stringify(redactJson(JSON.parse(text)), undefined, 2);
  } catch {
    // What a broken text holds cannot be told apart from a secret.
    return undefined;
  }
}

function formText(text: string): string {
  const fields = Object.fromEntries(new URLSearchParams(text));
  return JSON.stringify(redactJson(fields), undefined, 2);
}

const shortened = (text: string): string =>
  text.length <= shownLength
    ? text
    : `${text.slice(0, shownLength)}\n… ${text.length - shownLength} more characters`;
