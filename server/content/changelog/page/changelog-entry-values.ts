import type { EditedChangelogEntry } from "../../../../src/contract/changelog.ts";
import { ApiError } from "../../../../src/contract/errors.ts";
import type { Values } from "../../../console/changed-values.ts";
import type { Fields } from "../../../console/form-values.tsx";
import type { Filled } from "../../../console/forms.tsx";
import { fieldTime } from "../../../console/times.tsx";

/** A row of a list in the form, with the number in the names of its fields. */
interface Row {
  readonly at: number;
  readonly values: Values;
}

const parts = { versions: ["platform", "version"], items: ["type", "text"] } as const;
type List = keyof typeof parts;

/** Rows after this number are not read. */
const mostRows = 500;

/** The rows of a list that are not empty. */
function rowsOf(fields: Fields, list: List): Row[] {
  const count = Math.min(mostRows, Number(fields.text(`${list}-rows`)) || 0);
  const rows = Array.from({ length: count }, (_, at) => ({ at, values: rowAt(fields, list, at) }));
  const [first, second] = parts[list];
  return rows.filter(({ values }) => values[second] || (list === "versions" && values[first]));
}

const rowAt = (fields: Fields, list: List, at: number): Values =>
  Object.fromEntries(parts[list].map((part) => [part, asLine(fields.text(`${list}.${at}.${part}`))]));

/** Joins the lines of a change: a change is one line. */
const asLine = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");

/** The values in the form of a release note, with its lists as JSON. */
export const givenEntry = (fields: Fields): Values => ({
  title: fields.text("title"),
  version: fields.text("version"),
  versions: JSON.stringify(rowsOf(fields, "versions").map(({ values }) => values)),
  releaseType: fields.text("releaseType"),
  bodyFormat: fields.text("bodyFormat"),
  body: fields.text("body"),
  items: JSON.stringify(rowsOf(fields, "items").map(({ values }) => values)),
  publishedAt: fields.text("publishedAt"),
});

/** The values of a stored release note, in the same format. */
export const currentEntry = (entry: EditedChangelogEntry): Values => ({
  title: entry.title,
  version: entry.version,
  versions: JSON.stringify(entry.versions.map(({ platform, version }) => ({ platform, version }))),
  releaseType: entry.releaseType,
  bodyFormat: entry.bodyFormat,
  body: entry.body,
  items: JSON.stringify(entry.items.map(({ type, text }) => ({ type, text }))),
  publishedAt: fieldTime(entry.publishedAt),
});

/** The fields of the form by name, including those of its rows. */
export function entryFields(entry: Values): Values {
  const rows = (list: List) =>
    listOf(entry[list]).flatMap((row, at) =>
      parts[list].map((part): [string, string] => [`${list}.${at}.${part}`, row[part] ?? ""]),
    );
  return { ...entry, ...Object.fromEntries([...rows("versions"), ...rows("items")]) };
}

/** How many rows of a list a form holds. */
export const countOf = (entry: Values, list: List): number => listOf(entry[list]).length;

/** Values of the form as the API takes them. */
export function entryBody({ versions, items, publishedAt, ...rest }: Values): Record<string, unknown> {
  return {
    ...rest,
    ...(versions === undefined ? {} : { versions: listOf(versions) }),
    ...(items === undefined ? {} : { items: listOf(items) }),
    ...(publishedAt === undefined ? {} : { publishedAt: instantOf(publishedAt) }),
  };
}

/** The form as it was sent, with each fault at its row. */
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

/** The refusal as the page shows it, which links to the other note. A page cannot allow a duplicate. */
const sameVersion = ({ code, details }: ApiError): ApiError =>
  new ApiError(code, {
    ...details,
    message: "There is a release note of this version already. Change that one, or enter another version.",
  });

/** Empty rows are not sent to the API, so `items.0` may be a later row of the form. */
function fieldOf(fields: Fields, path: string): string {
  const [, list, at, part] = /^(versions|items)\.(\d+)\.(\w+)$/.exec(path) ?? [];
  if (list !== "versions" && list !== "items") return path;
  return `${list}.${rowsOf(fields, list)[Number(at)]?.at ?? at}.${part}`;
}

const listOf = (json: string | undefined): Values[] => JSON.parse(json ?? "[]");

function instantOf(local: string): string | null {
  if (local === "") return null;
  return local.length === 16 ? `${local}:00Z` : `${local}Z`;
}
