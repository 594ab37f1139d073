import type { ChangelogChange } from "../../../src/contract/changelog.ts";
import { badRequest } from "../../../src/contract/errors.ts";
import type { ReleaseField, ReleaseValues } from "../../domain/content/changelog-merge.ts";
import type { ChangelogRow } from "../../store/content/changelog.ts";
import type { OwnedChangelogRow } from "../../store/content/changelog-entries.ts";
import { releaseTypeAfter } from "./changelog-order.ts";

/**
 * What a request says of an entry, as it is stored; undefined where it says nothing. `publish` means `now`, and leaves an
 * entry that is published as it is.
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

/** A new row of what is given; what is not given is as in most entries. `others`: all versions of the app. */
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

/** What people wrote of an entry since it was last imported. */
export const editedIn = ({ editedFields }: OwnedChangelogRow): readonly ReleaseField[] =>
  JSON.parse(editedFields);

/** Whether apps see an entry of that date. */
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
