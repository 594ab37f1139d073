import type { EditedChangelogEntry, ImportedChangelogEntry } from "../../contract/changelog.ts";
import { feedbackIdsIn } from "../../contract/feedback-lines.ts";
import type { ReleaseEntry } from "./entry.ts";

/**
 * What the server would answer to a note that it has already: nothing is changed. Undefined if the note must be sent: it
 * differs, a person wrote one of its fields, a thread that it names is not linked, or an older server does not say.
 */
export function sameRelease(
  entry: EditedChangelogEntry | undefined,
  { body }: ReleaseEntry,
): ImportedChangelogEntry | undefined {
  const { overwrite: _, publish, ...fields } = body;
  if (!entry || publish) return undefined;
  const given = new Map(Object.entries(fields).filter(([, value]) => value !== undefined));
  // A field that a person wrote belongs to the import again once both say the same, so the server must get it.
  if (!isTold(entry) || entry.editedFields.some((field) => given.has(field))) return undefined;
  const known = new Map<string, unknown>(Object.entries(entry));
  if ([...given].some(([field, value]) => !isSame(value, known.get(field)))) return undefined;
  const named = feedbackIdsIn([entry.body, ...entry.items.map(({ text }) => text)].join("\n"));
  if (named.some((id) => !entry.feedbackIds.includes(id))) return undefined;
  return { ...entry, created: false, changedFields: [], keptFields: [] };
}

/** Whether the server says who wrote the fields, and what is linked. Older servers do not. */
const isTold = ({ editedFields, feedbackIds }: Partial<EditedChangelogEntry>): boolean =>
  editedFields !== undefined && feedbackIds !== undefined;

/** Whether two values are the same to the server, which trims texts, whatever the order of the fields in them. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(inOrder(one)) === JSON.stringify(inOrder(other));
}

function inOrder(value: unknown): unknown {
  if (typeof value === "string") return value.trim();
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .map(([name, field]) => [name, inOrder(field)])
    .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));
}
