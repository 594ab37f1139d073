import * as z from "zod/mini";
import { isReceivedFile, type ReceivedFile } from "./received-file.ts";

/** Text of `min` to `max` Unicode code points after trimming, without NUL and lone surrogates. */
export const text = (min: number, max: number) =>
  z.string().check(
    z.trim(),
    z.refine(isCleanText, "must not contain NUL characters or lone surrogates"),
    z.refine(
      (value) => value.length <= max || codePoints(value) <= max,
      `must have at most ${max} characters`,
    ),
    z.refine(
      (value) => value.length >= min,
      min === 1 ? "must not be empty" : `must have at least ${min} characters`,
    ),
    z.meta({ minLength: min, maxLength: max }),
  );

/** Text that may be left out; null and blank mean the same as leaving it out. */
export const optionalText = (max: number) => z.optional(z.nullable(text(0, max)));

/** Any UUID, in lower case. */
export const uuid = z.guid().check(z.toLowerCase(), z.meta({ format: "uuid" }));

/** An instant of an answer: ISO 8601 UTC with milliseconds. */
export const instant = z.string().check(z.meta({ format: "date-time" }));

/** An instant of a request: ISO 8601 with an offset (`Z` counts); becomes UTC with milliseconds. */
export const givenInstant = z.pipe(
  z
    .string()
    .check(
      z.refine(isInstant, "must be an ISO 8601 instant with an offset"),
      z.meta({ format: "date-time" }),
    ),
  z.transform((value) => new Date(value).toISOString()),
);

/** An absolute http or https address. */
export const webUrl = (max: number) =>
  text(1, max).check(
    z.refine(isWebUrl, "must be an absolute http or https address"),
    z.meta({ format: "uri" }),
  );

/** A whole number in a query string. */
export const queryInteger = (min: number, max: number) =>
  z.pipe(
    z.string().check(
      z.refine(
        (value) => /^-?\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max,
        `must be a whole number from ${min} to ${max}`,
      ),
      z.meta({ type: "integer", minimum: min, maximum: max }),
    ),
    z.transform(Number),
  );

export interface FileRule {
  readonly bytes: number;
  readonly types: readonly string[];
}

/** A file of a request: on the wire a base64 data URL, on the server what was received of it. */
export const file = (rule: FileRule) =>
  z.custom<string | ReceivedFile>().check(
    z.superRefine((value, context) => {
      const fault = fileFault(value, rule);
      if (fault) context.addIssue({ code: "custom", message: fault });
    }),
    z.meta({
      type: "string",
      description: `base64 data URL: ${rule.types.join(", ")}; at most ${rule.bytes} bytes`,
    }),
  );

/**
 * What is wrong with a file; undefined where nothing is. One that came without a declaration, as forms send what they do
 * not know, is judged by its bytes alone.
 */
export function fileFault(value: unknown, { bytes, types }: FileRule): string | undefined {
  const kinds = types.join(", ");
  if (typeof value === "string" && value.startsWith("data:")) return undefined;
  if (!isReceivedFile(value) || value.fault === "not_a_data_url")
    return `must be a base64 data URL of ${kinds}`;
  const kind = value.declaredType ?? value.detectedType;
  if (kind === null || !types.includes(kind)) return `must be declared as one of ${kinds}`;
  if (value.fault === "not_base64") return "must be valid base64";
  if (value.size > bytes) return `must be at most ${bytes} bytes`;
  if (value.detectedType !== kind) return `must have the bytes of ${kind}`;
  return undefined;
}

function isCleanText(value: string): boolean {
  return value.isWellFormed() && !value.includes("\0");
}

function codePoints(value: string): number {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}

function isInstant(value: string): boolean {
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;
  return (
    form.test(value) && !Number.isNaN(Date.parse(value)) && isDay(value.slice(0, 10)) && isSortable(value)
  );
}

/** Whether it has a year of four digits in UTC, too: only such instants sort as text. */
function isSortable(value: string): boolean {
  return /^\d{4}-/.test(new Date(value).toISOString());
}

/** Whether a month has the day: `Date` takes 30 February for 2 March. */
function isDay(date: string): boolean {
  return new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
}

function isWebUrl(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return url !== undefined && (url.protocol === "https:" || url.protocol === "http:");
}
