import type { ChangelogChange } from "../../../../src/contract/changelog.ts";
import { badRequest } from "../../../../src/contract/errors.ts";
import type { OwnedChangelogRow } from "../changelog-entries.ts";
import type { ReleaseField, ReleaseValues } from "../changelog-merge.ts";
import type { ChangelogRow } from "../store.ts";
import { releaseTypeAfter } from "./changelog-order.ts";

/**
 * The columns for the fields of a request; undefined for fields that are not given. `publish` sets the date to `now`
 * unless the entry is published already.
 */
export function givenValues(
  given: Omit<ChangelogChange, "version">,
  publishedAt: string | null,
  now: Date,
): GivenValues {
  if (given.publish && given.publishedAt !== undefined)
    throw badRequest("publish", "cannot be given together with publishedAt");
  const { title, versions, releaseType, body, items } = given;
  return {
    title,
    versions: jsonOf(versions),
    releaseType,
    bodyFormat: given.bodyFormat ?? formatOf(given),
    body,
    items: jsonOf(items),
    publishedAt: given.publish ? publicationOf(publishedAt, now) : given.publishedAt,
  };
}

type GivenValues = { readonly [Field in ReleaseField]: ChangelogRow[Field] | undefined } & ReleaseValues;

/** A new row with default values for all fields that are not given. `others`: all versions of the app. */
export const newRow = (
  { title, version }: { readonly title: string; readonly version: string },
  given: GivenValues,
  others: readonly string[],
) => ({
  title,
  version,
  versions: given.versions ?? "[]",
  releaseType: given.releaseType ?? releaseTypeAfter(version, others),
  bodyFormat: given.bodyFormat ?? "markdown",
  body: given.body ?? "",
  items: given.items ?? "[]",
  publishedAt: given.publishedAt ?? null,
});

/** The fields that people have changed since the last import of an entry. */
export const editedIn = ({
  editedFields,
}: Pick<OwnedChangelogRow, "editedFields">): readonly ReleaseField[] => JSON.parse(editedFields);

/** Whether apps see an entry with this date. */
export const isPublished = (publishedAt: string | null, now: Date): boolean =>
  publishedAt !== null && publishedAt <= now.toISOString();

const publicationOf = (publishedAt: string | null, now: Date): string | undefined =>
  isPublished(publishedAt, now) ? undefined : now.toISOString();

function formatOf({ body, items }: ChangelogChange): "items" | "markdown" | undefined {
  if (body !== undefined) return "markdown";
  return items === undefined ? undefined : "items";
}

const jsonOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);
