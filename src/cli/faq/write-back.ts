import { note } from "../core/output.ts";
import type { Applied } from "./apply.ts";
import { type Checkout, otherIdIn, storeSeen } from "./checkout.ts";
import { type FileEntry, hashOf, type ServerEntry } from "./entry.ts";
import type { FileChange } from "./file-change.ts";
import type { Item } from "./plan.ts";
import type { SeenEntry } from "./state.ts";

/**
 * After a push: writes new ids and chosen texts into the files, and stores what was seen. A CI job writes nothing, because
 * its checkout is thrown away. A failure is only told: the push is done.
 */
export async function writeBack(checkout: Checkout, items: readonly Item[], applied: Applied): Promise<void> {
  const { invocation, source, isCi } = checkout;
  if (isCi) return;
  const byId = new Map(applied.entries.map((entry) => [entry.id, entry]));
  const entries = items.flatMap((item) => seenOf(item, checkout, { applied, byId }));
  try {
    const changes = items.flatMap((item) => fileChangesOf(item, checkout, applied));
    if (changes.length > 0) await source.change(changes);
    await storeSeen(checkout, new Map(entries));
  } catch (error) {
    note(invocation, `The server has everything, but the files could not be updated: ${String(error)}`);
  }
}

interface After {
  readonly applied: Applied;
  readonly byId: ReadonlyMap<string, ServerEntry>;
}

const hasFailed = ({ results }: Applied, { mine, theirs }: Item): boolean =>
  results?.some(
    ({ outcome, id, file }) =>
      outcome !== "done" && id === (theirs?.id ?? null) && file === (mine?.file ?? null),
  ) ?? false;

/** What is now known of an entry: nothing new where the server's side counts and the file does not have it yet. */
function seenOf(item: Item, checkout: Checkout, { applied, byId }: After): (readonly [string, SeenEntry])[] {
  const id = (item.mine && applied.ids.get(item.mine)) ?? item.theirs?.id ?? item.mine?.id;
  if (id === undefined || item.action === "foreign") return [];
  const old = checkout.seen.entries.get(id);
  const now = byId.get(id);
  if (!now) return item.action === "gone" && old && !item.isTaken ? [[id, old]] : [];
  if (item.action === "kept" || hasFailed(applied, item)) return old ? [[id, old]] : [];
  const isRead = (side: Item["text"]) => side !== "theirs" || item.isTaken === true;
  return [
    [
      id,
      {
        text: isRead(item.text) ? hashOf(now) : old?.text,
        sortOrder: isRead(item.order) ? now.sortOrder : old?.sortOrder,
        fileId: item.mine && fileIdOf(item.mine, checkout, id),
      },
    ],
  ];
}

/** The id that stays in a file whose entry has another one here. An entry that was made anew gives its id to the file. */
function fileIdOf(mine: FileEntry, checkout: Checkout, id: string): string | undefined {
  const other = otherIdIn(checkout, mine.file, id);
  return other === mine.id ? undefined : other;
}

function fileChangesOf(item: Item, checkout: Checkout, { ids }: Applied): FileChange[] {
  const { mine, theirs, action, isTaken } = item;
  if (!mine) return [];
  if (action === "gone") return isTaken ? [{ kind: "remove", file: mine.file }] : [];
  const id = ids.get(mine) ?? theirs?.id;
  const fields = {
    ...(id !== undefined && id !== mine.id && fileIdOf(mine, checkout, id) === undefined && { id }),
    ...(isTaken && theirs && item.text === "theirs" && { question: theirs.question, answer: theirs.answer }),
    ...(isTaken && theirs && item.order === "theirs" && { sortOrder: theirs.sortOrder }),
  };
  return Object.keys(fields).length > 0 ? [{ kind: "set", file: mine.file, fields }] : [];
}
