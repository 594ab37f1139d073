import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { ApiError } from "../../src/contract/errors.ts";
import { limits } from "../../src/contract/limits.ts";
import { counted, mediaTypeOf, readBytes, refuseEncoded, type Sending } from "../http/body/read-body.ts";
import type { Filled } from "./forms.tsx";

/** Hidden fields with the versions of the first values of a form. */
export const OriginalValues = ({ current }: { readonly current: Values }) => (
  <OriginalVersions
    versions={Object.fromEntries(Object.entries(current).map(([name, value]) => [name, fieldVersion(value)]))}
  />
);

/** Like `OriginalValues`, for computed versions. */
export const OriginalVersions = ({ versions }: { readonly versions: Values }) => (
  <>
    {Object.entries(versions).map(([name, version]) => (
      <input key={name} type="hidden" name={originalVersionName(name)} value={version} />
    ))}
  </>
);

/** Values of a form by the names of its fields. */
export type Values = Readonly<Record<string, string>>;

/** The name of the hidden field with the version that the value of a field had when the form was shown. */
export const originalVersionName = (name: string): string => `was-${name}`;

/** Identifies a version of the value of a field. All kinds of line breaks count as equal. */
export const fieldVersion = (value: string): string => versionOf(withLineFeeds(value));

/** The values that a form sent for these fields. */
export const givenFor = (fields: Fields, names: Values): Values =>
  Object.fromEntries(Object.keys(names).map((name) => [name, fields.text(name)]));

/**
 * The values of `given` that were changed in this form. Unchanged values are left out, so that they do not undo the change of another
 * person. Throws `bad_request` with all fields that both have changed.
 */
export function changedValues(fields: Fields, given: Values, current: Values): Values {
  const changed = Object.entries(given).filter(
    ([name, value]) => fieldVersion(value) !== fields.text(originalVersionName(name)),
  );
  const issues = changed
    .filter(([name, value]) =>
      isChangedElsewhere(fields, name, { current: current[name] ?? "", given: value }),
    )
    .map(([path]) => ({ path, message }));
  if (issues.length > 0) throw new ApiError("bad_request", { issues });
  return Object.fromEntries(changed);
}

const message =
  "was changed by somebody else since you opened this page. Save again to replace it with yours, or open the page again to see it";

const isChangedElsewhere = (
  fields: Fields,
  name: string,
  { current, given }: { readonly current: string; readonly given: string },
): boolean =>
  fieldVersion(current) !== fields.text(originalVersionName(name)) && withLineFeeds(current) !== given.trim();

/** A form with these values, before it is sent. */
export const filledWith = (values: Readonly<Record<string, string>> = {}): Filled => ({
  value: (name) => values[name] ?? "",
});

/** A form with its sent values and its refusal. */
export const filledAgain = (fields: Fields, refusal: ApiError): Filled => ({
  value: fields.text,
  refusal,
  sent: true,
});

/** A short hash that identifies a version of a value. */
export const versionOf = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 16);

/** The fields of a sent form. Line breaks are single line feeds, as in all stored text. */
export interface Fields {
  /** The value of a field; empty if it was not sent. */
  text(name: string): string;
  /** All values of the fields with this name. */
  all(name: string): string[];
  has(name: string): boolean;
  /** All fields, in the order of the page. */
  entries(): [name: string, value: string][];
  /** The value of the hidden field `once`. With it, repeats of this form act once. */
  readonly idempotencyKey: string | undefined;
}

/** Enough for the longest release note with all characters escaped. */
const mostBytes = 2 * 1_048_576;

/**
 * Reads a sent form. Throws `unsupported_media_type` for another kind of body, and `payload_too_large` over 2 MiB, or over 32 KiB if
 * nobody is signed in.
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
