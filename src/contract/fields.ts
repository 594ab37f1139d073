import * as z from "zod/mini";
import { trimmedMarkdown } from "./content-text.ts";
import { adviceOn, isReceivedFile, type ReceivedFile } from "./files.ts";
import { normalised as inNormalForm } from "./json.ts";
import { limits } from "./limits.ts";

/**
 * Returns the schema of a text of `min` to `max` Unicode code points after trimming, without NUL and lone surrogates.
 */
export const text = (min: number, max: number) => trimmedText(min, max, (given) => given.trim());

/** Returns the schema of a Markdown text, with the limits of `text`. Keeps the spaces before the first word. */
export const markdown = (min: number, max: number) => trimmedText(min, max, trimmedMarkdown);

const trimmedText = (min: number, max: number, trim: (given: string) => string) =>
  z.string().check(
    normalised((given, fault) => {
      const value = trim(given);
      if (!isCleanText(value)) fault("must not contain NUL characters or lone surrogates");
      if (!isWithin(value, max)) fault(`must have at most ${max} characters`);
      if (value.length < min) fault(min === 1 ? "must not be empty" : `must have at least ${min} characters`);
      return value;
    }),
    z.meta({ minLength: min, maxLength: max }),
  );

/** Returns one check that normalises a text and finds its faults. Separate checks are several times slower. */
const normalised = (normalise: (given: string, fault: (message: string) => void) => string) =>
  z.check<string>((payload) => {
    payload.value = normalise(payload.value, (message) =>
      payload.issues.push({ code: "custom", message, input: payload.value, continue: true }),
    );
  });

/**
 * Matches control characters, line breaks and invisible characters, except those that words and emoji need. (rule K33)
 */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}]|(?!\u200c|\u200d|\ufe0e|\ufe0f)\p{Default_Ignorable_Code_Point}/u;

const blank = /[\p{Z}\p{M}\u2800]|\u200c|\u200d/gu;

/** The name of a person. The other members of the person's apps see it. (rule K33) */
export const memberName = text(1, limits.memberName).check(
  z.refine((name) => !unprintable.test(name), "must not contain control, direction or invisible characters"),
  z.refine((name) => name.replace(blank, "") !== "", "must contain a visible character"),
  z.refine(
    (name) => !inNormalForm(name, "NFKC").includes("@"),
    "must not contain an @, because it must not look like an e-mail address",
  ),
);

/** Optional text. Null and blank text mean the same as a missing field. */
export const optionalText = (max: number) => z.optional(z.nullable(text(0, max)));

/** An optional field. Null, `""` and white space mean the same as a missing field. (rule F2) */
export function omittable<Schema extends z.ZodMiniType>(
  schema: Schema,
): z.ZodMiniOptional<z.ZodMiniNullable<Schema>> {
  const taken: z.ZodMiniType = z.optional(z.nullable(schema));
  const given = z.transform((value: unknown) => (isBlank(value) ? undefined : value));
  const whole: unknown = z.optional(z.pipe(given, taken));
  // TypeScript and OpenAPI see an optional, nullable `Schema`, without the step that removes blank text.
  return whole as z.ZodMiniOptional<z.ZodMiniNullable<Schema>>;
}

const isBlank = (given: unknown): boolean => typeof given === "string" && given.trim() === "";

/** An object with any keys and values. Accepts `[]`, which PHP writes for an empty map. (rule F2) */
export const anyObject = z
  .custom<Record<string, unknown>>(
    (value) => typeof value === "object" && value !== null && (!Array.isArray(value) || value.length === 0),
    "must be an object",
  )
  .check(z.meta({ type: "object", additionalProperties: {} }));

/** Any UUID, in lower case. */
export const uuid = z.guid().check(z.toLowerCase(), z.meta({ format: "uuid" }));

/** An answer field with one of these values. Clients must accept other values, because later versions may add some. */
export const openEnum = (values: readonly string[]) => z.string().check(z.meta({ enum: [...values] }));

/** A time in an answer: ISO 8601 UTC with milliseconds. */
export const instant = z.string().check(z.meta({ format: "date-time" }));

const normalisedInstant = (
  given: string,
  fault: (message: string) => void,
  wanted = "an ISO 8601 instant with an offset",
): string => {
  const utc = utcOf(given);
  if (utc === undefined) fault(`must be ${wanted}`);
  return utc ?? given;
};

/** The form of times from `toISOString`. It does not allow 24:00, which is midnight of the next day. */
const utcForm = /^\d{4}-\d\d-\d\dT(?!24)\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * Matches ISO 8601 and variants: small letters, offsets `+02` and `+0200`, a comma before the fraction, a zone
 * in brackets.
 */
const instantForm =
  /^(?<date>\d{4}-\d\d-\d\d)[Tt](?<time>\d\d:\d\d)(?::(?<seconds>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?(?:[Zz]|(?<hours>[+-]\d\d)(?::?(?<minutes>\d\d))?)(?:\[[\w+\-/]{1,60}\])?$/;

/**
 * An instant in a request: ISO 8601 with an offset or `Z`. It is converted to UTC with milliseconds. (rule D11)
 */
export const givenInstant = z.string().check(normalised(normalisedInstant), z.meta({ format: "date-time" }));

/** Whether a text has at most `max` code points. (rule H31) */
export const isWithin = (text: string, max: number): boolean => text.length <= max || codePoints(text) <= max;

/** The start or end of a period in a query. A date means 00:00 UTC. (rule H34) */
export const boundary = z.string().check(
  normalised((given, fault) => {
    const text = given.trim();
    const instant = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : given;
    return normalisedInstant(instant, fault, "a day (2026-01-31) or an ISO 8601 instant with an offset");
  }),
  z.meta({ format: "date-time", description: "A date without a time means the start of that day in UTC." }),
);

/** An optional time in a request. Blank text becomes `""`. Both `""` and null mean a missing field. */
export const optionalInstant = z.optional(
  z.nullable(
    z.string().check(
      normalised((given, fault) => (given.trim() === "" ? "" : normalisedInstant(given, fault))),
      z.meta({ format: "date-time" }),
    ),
  ),
);

/**
 * Returns the schema of a label: text without NUL and lone surrogates, trimmed, cut to `max` code points.
 * (rule H21)
 */
export const label = (max: number, form?: "NFC") =>
  z.string().check(
    normalised((given) => {
      const clean = cleaned(given);
      const value = (form ? inNormalForm(clean, form) : clean).trim();
      return value.length <= max ? value : [...value.slice(0, 2 * max)].slice(0, max).join("").trim();
    }),
    z.meta({ description: `Longer text is cut to ${max} characters.` }),
  );

/** An optional label. Null and blank text mean the same as a missing label. */
export const optionalLabel = (max: number) => z.optional(z.nullable(label(max)));

/** Removes NUL characters and replaces lone surrogates, because no database stores them. */
const cleaned = (given: string): string => given.toWellFormed().replaceAll("\0", "");

/** An optional label of any length. Null and blank text mean a missing label. */
export const anyText = z.optional(z.nullable(z.string().check(normalised((given) => cleaned(given).trim()))));

/** An absolute http or https address. */
export const webUrl = (max: number) =>
  text(1, max).check(
    z.refine(isWebUrl, "must be an absolute http or https address"),
    z.meta({ format: "uri" }),
  );

/** Returns the schema of the query parameter for the number of elements on one page of a list. */
export const pageLimit = (page: { readonly default: number; readonly max: number }) =>
  z.optional(queryInteger(1, page.max, page.default));

/** Returns the schema of a whole number in a query string. `standard` is the default. (rule H22) */
export const queryInteger = (min: number, max: number, standard?: number) =>
  z.pipe(
    z.string().check(
      z.refine(
        (value) => /^-?\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max,
        `must be a whole number from ${min} to ${max}`,
      ),
      z.meta({
        ...{ type: "integer", minimum: min, maximum: max },
        ...(standard === undefined ? {} : { default: standard }),
      }),
    ),
    z.transform(Number),
  );

/** A file that is one part of a form. */
export const filePart = { type: "string", format: "binary", contentMediaType: "application/octet-stream" };

/** The start of the data URL that contains a file in JSON. */
export const dataUrlPattern = "^data:";

interface FileRule {
  readonly bytes: number;
  readonly types: readonly string[];
}

/** A file in a request. In JSON it is a base64 data URL. On the server it is a `ReceivedFile`. */
export const file = (rule: FileRule) =>
  z.custom<string | ReceivedFile>().check(
    z.superRefine((value, context) => {
      const fault = fileFault(value, rule);
      if (fault) context.addIssue({ code: "custom", message: fault });
    }),
    z.meta({
      type: "string",
      pattern: dataUrlPattern,
      description: `base64 data URL: ${rule.types.join(", ")}; at most ${rule.bytes} bytes`,
    }),
  );

/**
 * Returns the fault of a file, or undefined. The declared type does not count, only the type in `detectedType`.
 * (rule F3)
 */
export function fileFault(value: unknown, { bytes, types }: FileRule): string | undefined {
  const kinds = types.join(", ");
  // A data URL that is not decoded yet is valid.
  if (typeof value === "string" && value.startsWith("data:")) return undefined;
  if (!isReceivedFile(value) || value.fault === "not_a_data_url")
    return `must be a base64 data URL of ${kinds}`;
  if (value.fault === "not_base64") return "must be valid base64";
  if (value.size > bytes) return `must be at most ${bytes} bytes`;
  const isAllowed = value.detectedType !== null && types.includes(value.detectedType);
  if (isAllowed) return undefined;
  const advice = adviceOn(value.detectedType);
  return `must be one of these file types: ${kinds}${advice === undefined ? "" : `; this file is ${advice}`}`;
}

function isCleanText(value: string): boolean {
  return value.isWellFormed() && !value.includes("\0");
}

function codePoints(value: string): number {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}

function isWebUrl(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return url !== undefined && (url.protocol === "https:" || url.protocol === "http:");
}

/** Returns a time in UTC with milliseconds, or undefined if the text is no time. */
export function utcOf(value: string): string | undefined {
  if (utcForm.test(value)) return Number.isNaN(Date.parse(value)) || !isDay(value) ? undefined : value;
  const parts = instantForm.exec(value)?.groups;
  if (!parts || !isDay(value)) return undefined;
  const { date, time, seconds = "00", fraction = "0", hours, minutes = "00" } = parts;
  const offset = hours === undefined ? "Z" : `${hours}:${minutes}`;
  const milliseconds = Date.parse(`${date}T${time}:${seconds}.${fraction}${offset}`);
  if (Number.isNaN(milliseconds)) return undefined;
  const utc = new Date(milliseconds).toISOString();
  // The year must have four digits, because times are sorted as text.
  return utcForm.test(utc) ? utc : undefined;
}

/**
 * Whether the day exists in its month. This check is necessary, because `Date` converts 30 February to 2 March.
 */
function isDay(value: string): boolean {
  const date = value.slice(0, 10);
  if (Number(date.slice(8)) <= 28) return true;
  const at = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(date);
}

/** A calendar day, such as `2026-11-28`. */
export const calendarDate = z.string().check(
  z.refine((date) => isDate(date), "must be a date, YYYY-MM-DD"),
  z.meta({ format: "date" }),
);

function isDate(date: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(date)) return false;
  const at = new Date(`${date}T00:00:00Z`);
  return (
    !Number.isNaN(at.getTime()) &&
    at.toISOString().startsWith(date) &&
    date >= "2000-01-01" &&
    date <= "9000-01-01"
  );
}
