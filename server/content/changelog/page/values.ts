import type { EditedChangelogEntry, ReleaseContent } from "../../../../src/contract/changelog.ts";
import { ApiError } from "../../../../src/contract/errors.ts";
import { type Fields, type Filled, type Values, versionOf } from "../../../console/forms.tsx";
import { fieldTime } from "../../../console/times.tsx";
import { utcOf } from "../local-time.ts";

/** A row of a list in the form. `at` is the row's number in the names of its fields. */
interface Row {
  readonly at: number;
  readonly values: Values;
}

export const parts = { versions: ["platform", "version"], items: ["type", "text"] } as const;

export type List = keyof typeof parts;

/** The maximum number of rows of a list that are read. */
const mostRows = 500;

/** Returns the rows of a list that are not empty. */
export function rowsOf(fields: Fields, list: List): Row[] {
  const count = Math.min(mostRows, Number(fields.text(`${list}-rows`)) || 0);
  const rows = Array.from({ length: count }, (_, at) => ({ at, values: rowAt(fields, list, at) }));
  const [first, second] = parts[list];
  return rows.filter(({ values }) => values[second] || (list === "versions" && values[first]));
}

const rowAt = (fields: Fields, list: List, at: number): Values =>
  Object.fromEntries(parts[list].map((part) => [part, asLine(fields.text(`${list}.${at}.${part}`))]));

/** Joins the lines of a text, because each listed change has only one line. */
const asLine = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");

/** Returns the values of the sent form. Lists are JSON. */
export const givenEntry = (fields: Fields): Values => ({
  title: fields.text("title"),
  version: fields.text("version"),
  versions: JSON.stringify(rowsOf(fields, "versions").map(({ values }) => values)),
  releaseType: fields.text("releaseType"),
  bodyFormat: fields.text("bodyFormat"),
  body: fields.text("body"),
  fixes: fields.text("fixes"),
  items: JSON.stringify(rowsOf(fields, "items").map(({ values }) => values)),
  publishedAt: utcOf(fields.text("publishedAt"), fields.text("zone") || "UTC"),
});

/** Returns the values of a stored release note, in the same format as `givenEntry`. */
export const currentEntry = ({ draft, ...published }: EditedChangelogEntry): Values =>
  valuesOf({ ...published, ...draft });

const valuesOf = (entry: ReleaseContent & Pick<EditedChangelogEntry, "publishedAt">): Values => ({
  title: entry.title,
  version: entry.version,
  versions: JSON.stringify(entry.versions.map(({ platform, version }) => ({ platform, version }))),
  releaseType: entry.releaseType,
  bodyFormat: entry.bodyFormat,
  body: entry.body,
  items: JSON.stringify(entry.items.map(({ type, text }) => ({ type, text }))),
  publishedAt: fieldTime(entry.publishedAt),
});

/** Returns the values of an entry by form field, including the fields of its rows. */
export function entryFields(entry: Values): Values {
  const rows = (list: List) =>
    listOf(entry[list]).flatMap((row, at) =>
      parts[list].map((part): [string, string] => [`${list}.${at}.${part}`, row[part] ?? ""]),
    );
  return { ...entry, ...Object.fromEntries([...rows("versions"), ...rows("items")]) };
}

/** Returns the number of rows of a list. */
export const countOf = (entry: Values, list: List): number => listOf(entry[list]).length;

/** Returns the request body for the values of the form. */
export function entryBody({ versions, items, publishedAt, ...rest }: Values): Record<string, unknown> {
  return {
    ...rest,
    ...(versions === undefined ? {} : { versions: listOf(versions) }),
    ...(items === undefined ? {} : { items: listOf(items) }),
    ...(publishedAt === undefined ? {} : { publishedAt: instantOf(publishedAt) }),
  };
}

/** Returns the sent form with its refusal. Each error is shown at its row. */
export function entryAgain(fields: Fields, refusal?: ApiError): Filled {
  const issues = refusal?.details.issues?.map(({ path, message }) => ({
    path: fieldOf(fields, path),
    message,
  }));
  if (refusal?.code === "version_exists")
    return { value: fields.text, refusal: sameVersion(refusal), sent: true };
  if (!refusal || !issues) return { value: fields.text, refusal, sent: true };
  return {
    value: fields.text,
    refusal: new ApiError(refusal.code, { ...refusal.details, issues }),
    sent: true,
  };
}

/**
 * Returns the error `version_exists` with a message for the console. The API's message suggests that duplicates can be
 * allowed, but the console has no such option.
 */
const sameVersion = ({ code, details }: ApiError): ApiError =>
  new ApiError(code, {
    ...details,
    message: "There is already a release note of this version. Change that note, or enter another version.",
  });

/**
 * Returns the form field for a path of the API. Empty rows are not sent to the API, so `items.0` may be a later row in
 * the form.
 */
function fieldOf(fields: Fields, path: string): string {
  const [, list, at, part] = /^(versions|items)\.(\d+)\.(\w+)$/.exec(path) ?? [];
  if (list !== "versions" && list !== "items") return path;
  return `${list}.${rowsOf(fields, list)[Number(at)]?.at ?? at}.${part}`;
}

export const listOf = (json: string | undefined): Values[] => JSON.parse(json ?? "[]");

function instantOf(local: string): string | null {
  if (local === "") return null;
  return local.length === 16 ? `${local}:00Z` : `${local}Z`;
}

export const publishedVersion = ({ draft: _, updatedAt: __, ...published }: EditedChangelogEntry): string =>
  versionOf(published);
