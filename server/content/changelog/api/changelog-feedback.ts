import { feedbackIdsIn } from "../../../../src/contract/feedback-lines.ts";
import { limits } from "../../../../src/contract/limits.ts";
import type { Reader, Transaction } from "../../../database/database.ts";
import { changelogFeedback as links } from "../changelog-feedback.ts";
import type { ChangelogRow } from "../store.ts";

/** A release note, as far as it can name threads. */
export type NamingEntry = Pick<ChangelogRow, "id" | "body" | "items"> & { readonly appId: string };

/**
 * Links a release note to the threads of its app that its text names (rule C17), and to no others. Gives their ids. An id
 * that is no thread of the app is left out.
 */
export async function linkFeedback(tx: Transaction, entry: NamingEntry): Promise<readonly string[]> {
  const wanted = await links.existing(tx, entry.appId, namedIn(entry));
  const linked = await linkedFeedback(tx, [entry.id]);
  const before = linked.get(entry.id) ?? [];
  if (wanted.join() !== before.join()) await links.replace(tx, entry.id, wanted);
  return wanted;
}

/** The threads to which release notes are linked, by the id of the note. */
export async function linkedFeedback(
  reader: Reader,
  entryIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const byEntry = new Map<string, string[]>();
  for (const { entryId, feedbackId } of await links.list(reader, entryIds))
    byEntry.set(entryId, [...(byEntry.get(entryId) ?? []), feedbackId]);
  return byEntry;
}

function namedIn({ body, items }: NamingEntry): readonly string[] {
  const texts = JSON.parse(items).map(({ text }: { readonly text: string }) => text);
  return feedbackIdsIn([body, ...texts].join("\n")).slice(0, limits.changelogFeedback);
}
