import type { IncomingMessage } from "node:http";
import { ApiError } from "../../src/contract/errors.ts";
import { limits } from "../../src/contract/limits.ts";
import { counted, mediaTypeOf, readBytes, refuseEncoded, type Sending } from "../http/body/read-body.ts";

/** The fields of a sent form. Line breaks are single line feeds, as in all stored text. */
export interface Fields {
  /** The value of a field; empty when it was not sent. */
  text(name: string): string;
  /** All values of the fields with this name. */
  all(name: string): string[];
  has(name: string): boolean;
  /** All fields, in the order of the page. */
  entries(): [name: string, value: string][];
  /** The value of the hidden field `once`. It makes repeats of this form act once. */
  readonly idempotencyKey: string | undefined;
}

/** Enough for the longest release note with every character escaped. */
const mostBytes = 2 * 1_048_576;

/**
 * Reads a posted form. Throws `unsupported_media_type` for another kind of body, and `payload_too_large` over 2 MiB, or
 * over 32 KiB when nobody is signed in.
 */
export const readForm = (request: IncomingMessage, sending: Sending): Promise<Fields> =>
  counted(sending, () => readFields(request, sending));

async function readFields(request: IncomingMessage, sending: Sending): Promise<Fields> {
  refuseEncoded(request);
  if (mediaTypeOf(request) !== "application/x-www-form-urlencoded") {
    throw new ApiError("unsupported_media_type");
  }
  const bytes = await readBytes(
    request,
    sending.sender.anonymous ? limits.anonymousBody : mostBytes,
    sending,
  );
  return fieldsOf(new URLSearchParams(bytes.toString("latin1")));
}

export function fieldsOf(sent: URLSearchParams): Fields {
  const all = (name: string) => sent.getAll(name).map(withLineFeeds);
  const key = sent.get("once") ?? "";
  return {
    all,
    text: (name) => all(name)[0] ?? "",
    has: (name) => sent.has(name),
    entries: () => [...sent].map(([name, value]) => [name, withLineFeeds(value)]),
    idempotencyKey: /^[\w-]{1,64}$/.test(key) ? key : undefined,
  };
}

const withLineFeeds = (value: string): string => value.replace(/\r\n?/g, "\n");

export const noFields: Fields = fieldsOf(new URLSearchParams());
