import { note } from "../../core/output/output.ts";
import type { Applied } from "./apply.ts";
import type { Checkout } from "./checkout.ts";
import { hashOf, type ServerEntry } from "./entry.ts";
import type { Item } from "./plan.ts";
import type { FileChange } from "./source/file-change.ts";
import { type SeenEntry, writeState } from "./source/state.ts";

/**
 * After a push: writes new ids and chosen texts into the files, and stores what was seen. A CI job writes nothing, because
 * its checkout is thrown away. A failure is only told: the push is done.
 */
export async function writeBack(
  { invocation, source, seen, isCi, app = seen.app }: Checkout,
  items: readonly Item[],
  applied: Applied,
): Promise<void> {
  if (isCi) return;
  const byId = new Map(applied.entries.map((entry) => [entry.id, entry]));
  const entries = items.flatMap((item) => seenOf(item, seen.entries, { applied, byId }));
  try {
    const changes = items.flatMap((item) => fileChangesOf(item, applied));
    if (changes.length > 0) await source.change(changes);
    await writeState(source.statePlace, { server: invocation.baseUrl(), app, entries: new Map(entries) });
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
function seenOf(
  item: Item,
  before: ReadonlyMap<string, SeenEntry>,
  { applied, byId }: After,
): (readonly [string, SeenEntry])[] {
  const id = (item.mine && applied.ids.get(item.mine)) ?? item.theirs?.id ?? item.mine?.id;
  if (id === undefined || item.action === "foreign") return [];
  const old = before.get(id);
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
      },
    ],
  ];
}

function fileChangesOf(item: Item, { ids }: Applied): FileChange[] {
  const { mine, theirs, action, isTaken } = item;
  if (!mine) return [];
  if (action === "gone") return isTaken ? [{ kind: "remove", file: mine.file }] : [];
  const id = ids.get(mine) ?? theirs?.id;
  const fields = {
    ...(id !== undefined && id !== mine.id && { id }),
    ...(isTaken && theirs && item.text === "theirs" && { question: theirs.question, answer: theirs.answer }),
    ...(isTaken && theirs && item.order === "theirs" && { sortOrder: theirs.sortOrder }),
  };
  return Object.keys(fields).length > 0 ? [{ kind: "set", file: mine.file, fields }] : [];
}
