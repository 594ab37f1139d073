import type { FileEntry, ServerEntry } from "./entry.ts";
import type { SeenState } from "./state.ts";

/** A server and an app. The app is undefined with an app key, which does not tell it. */
interface ServerApp {
  readonly server: string;
  readonly app: string | undefined;
}

/** What is known of a server and an app; undefined if these files never met them. */
export function stateOf(
  states: readonly SeenState[],
  { server, app }: ServerApp,
  list: readonly ServerEntry[],
): SeenState | undefined {
  const here = states.filter((state) => state.server === undefined || state.server === server);
  const exact = here.filter((state) => state.app === app);
  const sharesEntries = ({ entries }: SeenState) => list.some(({ id }) => entries.has(id));
  const maySame = here.filter((state) => state.app === undefined || app === undefined);
  return exact.find(sharesEntries) ?? maySame.find(sharesEntries) ?? exact[0] ?? emptied(maySame, list);
}

/** An app key may be of an app that was seen by its id, and an empty list tells nothing of it. */
const emptied = (states: readonly SeenState[], list: readonly ServerEntry[]): SeenState | undefined =>
  list.length === 0 ? states[0] : undefined;

/**
 * The files with the ids that their entries have on this server. A file whose id belongs to another server or app alone has
 * none here: it is the entry with its question, or new.
 */
export function withIdsHere(
  entries: readonly FileEntry[],
  states: readonly SeenState[],
  seen: SeenState | undefined,
): readonly FileEntry[] {
  const here = idsByFileId(seen);
  const elsewhere = new Set(
    states.filter((state) => state !== seen).flatMap((state) => [...idsByFileId(state).keys()]),
  );
  return entries.map((entry) => {
    if (entry.id === undefined) return entry;
    const id = here.get(entry.id) ?? (elsewhere.has(entry.id) ? undefined : entry.id);
    return id === entry.id ? entry : { ...entry, id };
  });
}

const idsByFileId = (state: SeenState | undefined): ReadonlyMap<string, string> =>
  new Map([...(state?.entries ?? [])].map(([id, { fileId }]) => [fileId ?? id, id]));
