import { isCiJob } from "../core/ci.ts";
import type { Invocation } from "../core/context.ts";
import { note } from "../core/output.ts";
import type { FaqApi, TaggedList } from "./api.ts";
import { earlierVersions } from "./earlier.ts";
import type { FileEntry } from "./entry.ts";
import { stateOf, withIdsHere } from "./ids.ts";
import { conflictsIn, type Item, type PlanInput, planOf } from "./plan.ts";
import { type CheckedSource, readSource } from "./source.ts";
import { readStates, type SeenState, writeStates } from "./state.ts";
import { takesOf } from "./takes.ts";

/** The files of this machine, and what they know of servers. */
export interface OpenedFiles {
  readonly invocation: Invocation;
  readonly source: CheckedSource;
  readonly states: readonly SeenState[];
  /** The id of the app; undefined with an app key. */
  readonly app: string | undefined;
  readonly isCi: boolean;
}

/** The same beside the list of a server. */
export interface Checkout extends OpenedFiles {
  /** The files with the ids that their entries have on this server. */
  readonly entries: readonly FileEntry[];
  readonly list: TaggedList;
  /** What is known of this server and app; nothing if these files never met them. */
  readonly seen: SeenState;
}

/** Reads files and state. Throws one usage error that names every fault of the files. */
export async function openFiles(
  invocation: Invocation,
  path: string,
  { api, mustHave }: { readonly api: FaqApi; readonly mustHave: boolean },
): Promise<OpenedFiles> {
  const source = await readSource(invocation.context, path, { mustHave });
  // Without files there is nothing that this folder could have seen: a pull brings everything.
  const states = source.entries.length === 0 ? [] : await readStates(source.statePlace);
  return { invocation, source, states, app: await api.app(), isCi: isCiJob(invocation.context.env) };
}

/** Puts the files beside the list of a server. */
export function besideList(files: OpenedFiles, list: TaggedList): Checkout {
  const { invocation, source, states, app } = files;
  const server = invocation.baseUrl();
  const known = stateOf(states, { server, app }, list.entries);
  const entries = withIdsHere(source.entries, states, known);
  const seen = { server, app: app ?? known?.app, entries: known?.entries ?? new Map() };
  return { ...files, states: states.filter((state) => state !== known), entries, list, seen };
}

/** Says that these files meet a server or app for the first time, after others. */
export function tellNewServer({ invocation, states, seen }: Checkout): void {
  const others = states.map(({ server, app }) => [server, app].filter(Boolean).join(", app "));
  if (others.length === 0 || seen.entries.size > 0) return;
  note(
    invocation,
    `These files were pulled from or pushed to ${others.join("; ")}, and never ${seen.server}: there, entries are found by their questions.`,
  );
}

/** Stores what is known of this server now, beside what is known of others. */
export const storeSeen = ({ source, states, seen }: Checkout, entries: SeenState["entries"]) =>
  writeStates(source.statePlace, [...states, { ...seen, entries }]);

/** The id that a file has, if it is not the one that its entry has on this server. */
export function otherIdIn({ source }: Checkout, file: string, id: string): string | undefined {
  const own = source.entries.find((entry) => entry.file === file)?.id;
  return own === id ? undefined : own;
}

/** The flags that change a plan. */
export interface PlanFlags {
  readonly prune?: boolean;
  readonly take?: readonly string[];
}

/** Compares a checkout with the server's list. Throws a usage error for a `--take` that names no entry. */
export async function compare(
  { entries, list, seen, invocation }: Checkout,
  { prune = false, take, filesRule }: PlanFlags & Pick<PlanInput, "filesRule">,
): Promise<Item[]> {
  const ids = [...list.entries, ...entries].flatMap(({ id }) => id ?? []);
  const takes = takesOf(take, [...ids, ...seen.entries.keys()]);
  const input = {
    entries,
    server: list.entries,
    seen: seen.entries,
    ...{ filesRule, prune, takes },
  };
  const items = planOf(input);
  if (list.keepsMarks) return items;
  const doubtful = items.filter(({ action }) => action === "conflict" || (filesRule && action === "newer"));
  if (doubtful.length === 0) return items;
  return planOf({ ...input, earlier: await earlierVersions(invocation.context.cwd, doubtful) });
}

export const hasConflicts = (items: readonly Item[]): boolean => conflictsIn(items).length > 0;
