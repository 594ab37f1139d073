import { ConnectionError, ServerError } from "../../client/errors.ts";
import type { FaqChange, WantedFaq } from "../../contract/faqs.ts";
import { failureOf } from "../core/failures.ts";
import type { FaqApi, TaggedList } from "./api.ts";
import { type FileEntry, hashOf, type ServerEntry } from "./entry.ts";
import { type Action, changesIn, type Item } from "./plan.ts";
import { faultsError } from "./source.ts";

/** What became of one change on a server that takes entries one by one. */
export interface Result {
  readonly action: Action;
  readonly id: string | null;
  readonly file: string | null;
  readonly outcome: "done" | "failed" | "not tried";
  readonly reason?: string;
  readonly error?: unknown;
}

export interface Applied {
  /** The list afterwards. */
  readonly entries: readonly ServerEntry[];
  /** The ids of new entries. */
  readonly ids: ReadonlyMap<FileEntry, string>;
  /** Undefined if everything was one transaction. */
  readonly results: readonly Result[] | undefined;
}

export interface Application {
  readonly list: TaggedList;
  readonly items: readonly Item[];
  /** The server has no way to take the whole list. */
  readonly oneByOne: boolean;
}

/**
 * Makes the changes of a plan, in one transaction if the server can. Gives `moved` if the list has changed since it was
 * read, and `oneByOne` if the server turned out to take only single entries: then nothing was done.
 */
export async function apply(
  api: FaqApi,
  { list, items, oneByOne }: Application,
): Promise<Applied | "moved" | "oneByOne"> {
  if (oneByOne || list.keepsMarks === false || list.etag === undefined) return applyEach(api, list, items);
  const wanted = wantedOf(list, items);
  try {
    const faqs = wanted.map(({ faq }) => faq);
    const entries = await api.replace(faqs, list.etag);
    return { entries, ids: idsOfCreated(items, list, entries), results: undefined };
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    if (error.status === 412) return "moved";
    if ([404, 405, 501].includes(error.status)) return "oneByOne";
    throw withFiles(error, wanted);
  }
}

interface Wanted {
  readonly faq: WantedFaq;
  readonly file: string | undefined;
}

/** The whole list: an id alone for each entry that stays. */
function wantedOf({ entries }: TaggedList, items: readonly Item[]): Wanted[] {
  const byId = new Map(items.flatMap((item) => (item.theirs ? [[item.theirs.id, item] as const] : [])));
  const kept = entries.flatMap(({ id }): Wanted[] => {
    const item = byId.get(id);
    if (item?.action === "delete") return [];
    return [{ faq: { id, ...changeOf(item) }, file: item?.mine?.file }];
  });
  const places = newPlaces(entries, items);
  const added = items
    .filter(({ action }) => action === "create")
    .flatMap(({ mine }): Wanted[] =>
      mine ? [{ faq: { ...textOf(mine), sortOrder: places.get(mine) }, file: mine.file }] : [],
    );
  return [...kept, ...added];
}

const textOf = ({ question, answer }: FileEntry) => ({ question, answer });

/** The fields of an entry that a push sends. */
function changeOf(item: Item | undefined): FaqChange {
  if (!item?.mine) return {};
  return {
    ...(item.text === "mine" && textOf(item.mine)),
    ...(item.order === "mine" && item.mine.sortOrder !== undefined && { sortOrder: item.mine.sortOrder }),
  };
}

/** The positions of new entries: as their files say, otherwise after all others. */
function newPlaces(entries: readonly ServerEntry[], items: readonly Item[]): ReadonlyMap<FileEntry, number> {
  const said = items.flatMap(({ mine }) => mine?.sortOrder ?? []);
  let last = Math.max(0, ...entries.map(({ sortOrder }) => sortOrder), ...said);
  const places = new Map<FileEntry, number>();
  for (const { action, mine } of items) {
    if (action !== "create" || !mine) continue;
    if (mine.sortOrder === undefined) last += 1;
    places.set(mine, mine.sortOrder ?? last);
  }
  return places;
}

/** A refusal that names files instead of elements of the list. */
function withFiles(error: ServerError, wanted: readonly Wanted[]): unknown {
  const faults = error.issues.map(({ path, message }) => {
    const [, at = "", field = ""] = /^faqs\.(\d+)\.?(.*)$/.exec(path) ?? [];
    const file = wanted[Number(at)]?.file;
    return file === undefined ? undefined : { file, message: `${field} ${message}`.trim() };
  });
  const named = faults.filter((fault) => fault !== undefined);
  return named.length > 0 && named.length === faults.length ? faultsError(named) : error;
}

async function applyEach(api: FaqApi, list: TaggedList, items: readonly Item[]): Promise<Applied> {
  const after = new Map(list.entries.map((entry) => [entry.id, entry]));
  const ids = new Map<FileEntry, string>();
  const places = newPlaces(list.entries, items);
  const results: Result[] = [];
  let isOver = false;
  for (const item of changesIn(items)) {
    const { action, mine, theirs } = item;
    const head = { action, id: theirs?.id ?? null, file: mine?.file ?? null };
    if (isOver) {
      results.push({ ...head, outcome: "not tried" });
      continue;
    }
    try {
      const made = await applyOne(api, item, mine && places.get(mine));
      if (made) after.set(made.id, made);
      else if (theirs) after.delete(theirs.id);
      if (made && mine && action === "create") ids.set(mine, made.id);
      results.push({ ...head, id: made?.id ?? head.id, outcome: "done" });
    } catch (error) {
      isOver = isForAll(error);
      results.push({ ...head, outcome: "failed", reason: failureOf(error).message, error });
    }
  }
  return { entries: [...after.values()], ids, results };
}

/** Gives the entry as it is now; undefined if it was deleted. */
async function applyOne(
  api: FaqApi,
  item: Item,
  place: number | undefined,
): Promise<ServerEntry | undefined> {
  const { action, mine, theirs } = item;
  if (action === "create" && mine) return api.create({ ...textOf(mine), sortOrder: place });
  if (action === "delete" && theirs) {
    await api.remove(theirs.id);
    return undefined;
  }
  return theirs && { ...theirs, ...(await api.update(theirs.id, changeOf(item))) };
}

/** Whether the next changes would fail in the same way. */
const isForAll = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof ServerError && [401, 403].includes(error.status));

/** The ids of new entries, found by their text in a list that one transaction made. */
function idsOfCreated(items: readonly Item[], before: TaggedList, after: readonly ServerEntry[]) {
  const old = new Set(before.entries.map(({ id }) => id));
  const fresh = after
    .filter(({ id }) => !old.has(id))
    .map((entry) => ({ id: entry.id, hash: hashOf(entry) }));
  const ids = new Map<FileEntry, string>();
  for (const { action, mine } of items) {
    if (action !== "create" || !mine) continue;
    const at = fresh.findIndex(({ hash }) => hash === hashOf(mine));
    const [found] = at < 0 ? [] : fresh.splice(at, 1);
    if (found) ids.set(mine, found.id);
  }
  return ids;
}
