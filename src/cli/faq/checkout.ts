import { basename, dirname, resolve } from "node:path";
import { isCiJob } from "../core/ci.ts";
import { usageError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { isId, isStart } from "../core/ids.ts";
import { note } from "../core/output.ts";
import type { FaqApi, TaggedList } from "./api.ts";
import { checkFields, type FileEntry, rawFieldsOf, type ServerEntry, splitMarkdown } from "./entry.ts";
import {
  conflictsIn,
  type EarlierEntry,
  hashOf,
  type Item,
  type PlanInput,
  planOf,
  type Take,
} from "./plan.ts";
import { type CheckedSource, fieldsInList, readSource } from "./source.ts";
import type { SeenState } from "./states.ts";

/** The FAQ files, and the states that earlier commands stored for each server and app. */
interface OpenedFiles {
  readonly invocation: Invocation;
  readonly source: CheckedSource;
  readonly states: readonly SeenState[];
  /** The id of the app. Undefined with an app key. */
  readonly app: string | undefined;
  readonly isCi: boolean;
}

/** The FAQ files and the list of entries on the server. */
export interface Checkout extends OpenedFiles {
  /** The entries of the files, with their ids on this server. */
  readonly entries: readonly FileEntry[];
  readonly list: TaggedList;
  /** The stored state for this server and app. Empty if the files were never pushed or pulled there. */
  readonly seen: SeenState;
}

/** Reads the files and the stored states. Throws one usage error that names every fault of the files. */
export async function openFiles(
  invocation: Invocation,
  path: string,
  { api, mustHave }: { readonly api: FaqApi; readonly mustHave: boolean },
): Promise<OpenedFiles> {
  const source = await readSource(invocation.context, path, { mustHave });
  // If there are no files, the stored states are ignored. So a pull writes every entry into a file.
  const states = source.entries.length === 0 ? [] : await source.stateFile.read();
  return { invocation, source, states, app: await api.app(), isCi: isCiJob(invocation.context.env) };
}

/** Combines the files with the list of a server. The entries in the result have their ids on this server. */
export function besideList(files: OpenedFiles, list: TaggedList): Checkout {
  const { invocation, source, states, app } = files;
  const server = invocation.baseUrl();
  const known = stateOf(states, server, app, list.entries);
  const entries = withIdsHere(source.entries, states, known);
  const seen = { server, app: app ?? known?.app, entries: known?.entries ?? new Map() };
  return { ...files, states: states.filter((state) => state !== known), entries, list, seen };
}

/** Prints notes if the server stores no translations, or if the files are new to this server and app. */
export function tellNewServer({ invocation, states, seen, entries, list }: Checkout): void {
  const isOlder = list.entries.some(({ translations }) => translations === undefined);
  if (isOlder && entries.some(({ translations }) => translations !== undefined))
    note(invocation, "This server stores no translations, so the translations in the files are ignored.");
  const others = states.map(({ server, app }) => [server, app].filter(Boolean).join(", app "));
  if (others.length === 0 || seen.entries.size > 0) return;
  note(
    invocation,
    `These files were used with ${others.join("; ")}, but were never pulled from ${seen.server} or pushed to it. On that server, entries are found by their questions.`,
  );
}

/** Stores the new state of this server. Keeps the states of other servers. */
export const storeSeen = ({ source, states, seen }: Checkout, entries: SeenState["entries"]) =>
  source.stateFile.write([...states, { ...seen, entries }]);

/** Returns the id in a file if it differs from the id that the entry has on this server. */
export function otherIdIn({ source }: Checkout, file: string, id: string): string | undefined {
  const own = source.entries.find((entry) => entry.file === file)?.id;
  return own === id ? undefined : own;
}

/** The flags that influence a plan. */
export interface PlanFlags {
  readonly prune?: boolean;
  readonly take?: readonly string[];
}

/** Compares the files with the server's list. Throws a usage error if `--take` has an unknown id. */
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

const mostCommits = 100;

const mostBytes = 67_108_864;

/** Returns the versions in Git of each file with a conflict. A file without versions has an empty list. */
async function earlierVersions(
  cwd: string,
  conflicts: readonly Item[],
): Promise<ReadonlyMap<string, readonly EarlierEntry[]>> {
  const files = conflicts.flatMap(({ mine }) => mine?.file ?? []);
  const found = new Map<string, readonly EarlierEntry[]>();
  for (const file of files) found.set(file, await versionsOf(resolve(cwd, file.replace(/#\d+$/, ""))));
  return found;
}

async function versionsOf(path: string): Promise<EarlierEntry[]> {
  const git = (...words: string[]) => run(dirname(path), words);
  const commits = await git("log", `--max-count=${mostCommits}`, "--format=%H", "--", basename(path));
  const versions: EarlierEntry[] = [];
  for (const commit of commits?.split("\n").filter((line) => line !== "") ?? []) {
    const text = await git("show", `${commit}:./${basename(path)}`);
    if (text !== undefined) versions.push(...entriesIn(path, text));
  }
  return versions;
}

function entriesIn(path: string, text: string): EarlierEntry[] {
  if (!/\.(md|markdown)$/i.test(path)) return fieldsInList(path, text).map(versionOf);
  const split = splitMarkdown(text);
  return "fault" in split ? [] : [versionOf(checkFields(rawFieldsOf(split.value, basename(path))).value)];
}

const versionOf = (fields: {
  question: string;
  answer: string;
  sortOrder: number | undefined;
}): EarlierEntry => ({
  text: hashOf(fields),
  sortOrder: fields.sortOrder,
});

/** Runs Git. Returns its output, or undefined if it fails. */
async function run(cwd: string, words: readonly string[]): Promise<string | undefined> {
  const { execFile } = await import("node:child_process");
  return new Promise((done) => {
    execFile(
      "git",
      ["--literal-pathspecs", ...words],
      { cwd, maxBuffer: mostBytes, encoding: "utf8" },
      (error, text) => done(error ? undefined : text),
    );
  });
}

/** Returns the stored state for a server and an app. Returns undefined if there is none. */
function stateOf(
  states: readonly SeenState[],
  server: string,
  app: string | undefined,
  list: readonly ServerEntry[],
): SeenState | undefined {
  const here = states.filter((state) => state.server === undefined || state.server === server);
  const exact = here.filter((state) => state.app === app);
  const sharesEntries = ({ entries }: SeenState) => list.some(({ id }) => entries.has(id));
  const maySame = here.filter((state) => state.app === undefined || app === undefined);
  return exact.find(sharesEntries) ?? maySame.find(sharesEntries) ?? exact[0] ?? emptied(maySame, list);
}

/** Returns the first state if `list` is empty. An empty list cannot show which state belongs to the app. */
const emptied = (states: readonly SeenState[], list: readonly ServerEntry[]): SeenState | undefined =>
  list.length === 0 ? states[0] : undefined;

/** Returns the entries with their ids on this server. `planOf` finds an entry without an id by its question. */
function withIdsHere(
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

/** Parses `--take mine ID … --take theirs ID …`. Throws a usage error unless each id matches one entry. */
function takesOf(words: readonly string[] = [], ids: readonly string[]): ReadonlyMap<string, Take> {
  const takes = new Map<string, Take>();
  let side: Take | undefined;
  let named = 0;
  for (const word of words) {
    if (word === "mine" || word === "theirs") {
      if (side && named === 0) throw withoutIds();
      side = word;
      named = 0;
      continue;
    }
    if (!side) throw withoutIds();
    takes.set(wholeOf(word, ids), side);
    named += 1;
  }
  if (side && named === 0) throw withoutIds();
  return takes;
}

const withoutIds = () =>
  usageError(
    "--take needs `mine` or `theirs`, and the ids of entries.",
    "For example: `--take mine 01a1fda4`.",
  );

function wholeOf(word: string, ids: readonly string[]): string {
  const given = word.toLowerCase();
  const found = [...new Set(ids)].filter((id) =>
    isId(given) ? id === given : isStart(given) && id.startsWith(given),
  );
  const [id, ...others] = found;
  if (id !== undefined && others.length === 0) return id;
  if (id === undefined) throw usageError(`--take: no entry has the id ${word}.`, "Give PATH before --take.");
  throw usageError(`--take: several ids begin with ${word}.`);
}
