import { type FileEntry, hashOf, isAsPushed, plainText, type ServerEntry } from "./entry.ts";
import type { SeenEntry } from "./state.ts";

/**
 * What a push or a pull finds about one entry. `create`, `change`, `move`, `delete`: the file's side counts; `newer`,
 * `gone`: the server's; `kept`: the file is gone, the entry is not; `foreign`: only the server has it, and it was never
 * pulled.
 */
export type Action =
  | "same"
  | "create"
  | "change"
  | "move"
  | "delete"
  | "conflict"
  | "newer"
  | "gone"
  | "kept"
  | "foreign";

export interface Item {
  readonly action: Action;
  readonly mine?: FileEntry | undefined;
  readonly theirs?: ServerEntry | undefined;
  readonly text: Side;
  readonly order: Side;
  /** Whether a person chose the file or the server with `--take`. */
  readonly isTaken?: boolean;
  /** Why it is a conflict. */
  readonly why?: string;
}

/** The person's choice for a named entry. */
export type Take = "mine" | "theirs";

export interface PlanInput {
  readonly entries: readonly FileEntry[];
  readonly server: readonly ServerEntry[];
  readonly seen: ReadonlyMap<string, SeenEntry>;
  /** In a CI job: a file wins over what an earlier push set, even if it is as an older list had it. */
  readonly filesRule: boolean;
  readonly prune: boolean;
  readonly takes: ReadonlyMap<string, Take>;
  /** What a file had in earlier commits. */
  readonly earlier?: ReadonlyMap<string, readonly EarlierEntry[]> | undefined;
}

export interface EarlierEntry {
  readonly text: string;
  readonly sortOrder: number | undefined;
}

/** Compares files and server: one item for each entry, in the order of the files, then of the server. */
export function planOf(input: PlanInput): Item[] {
  const { pairs, files, others } = paired(input);
  return [
    ...pairs.map(({ mine, theirs }) => pairItem(mine, theirs, input)),
    ...files.map((mine) => fileItem(mine, input)),
    ...others.map((theirs) => serverItem(theirs, input)),
  ];
}

/**
 * The server's entry of each file: the one with its id; without an id the one with its question that no other file has.
 */
function paired({ entries, server }: PlanInput) {
  const left = new Map(server.map((entry) => [entry.id, entry]));
  const found = new Map<FileEntry, ServerEntry>();
  const take = (mine: FileEntry, theirs: ServerEntry | undefined) => {
    if (!theirs) return;
    left.delete(theirs.id);
    found.set(mine, theirs);
  };
  for (const mine of entries) if (mine.id !== undefined) take(mine, left.get(mine.id));
  const byQuestion = new Map([...left.values()].reverse().map((one) => [plainText(one.question), one]));
  for (const mine of entries) if (mine.id === undefined) take(mine, byQuestion.get(plainText(mine.question)));
  return {
    pairs: [...found].map(([mine, theirs]) => ({ mine, theirs })),
    files: entries.filter((mine) => !found.has(mine)),
    others: [...left.values()],
  };
}

function pairItem(mine: FileEntry, theirs: ServerEntry, input: PlanInput): Item {
  const { filesRule, takes, earlier } = input;
  const seen = input.seen.get(theirs.id);
  const versions = earlier?.get(mine.file) ?? [];
  const text = sideOf(
    {
      mine: hashOf(mine),
      theirs: hashOf(theirs),
      base: seen?.text,
      pushed: isAsPushed(theirs) ? hashOf(theirs) : theirs.pushedHash,
      wasMine: versions.some((version) => version.text === hashOf(theirs)),
    },
    filesRule,
  );
  const order = sideOf(
    {
      mine: mine.sortOrder ?? theirs.sortOrder,
      theirs: theirs.sortOrder,
      base: seen?.sortOrder,
      pushed: theirs.pushedSortOrder,
      wasMine: versions.some(({ sortOrder }) => sortOrder === theirs.sortOrder),
    },
    filesRule,
  );
  const taken = takes.get(theirs.id);
  const sides = { text: taken ? chosen(text, taken) : text, order: taken ? chosen(order, taken) : order };
  return { mine, theirs, ...sides, ...verdict(sides), isTaken: taken !== undefined };
}

const chosen = (side: Side, taken: Take): Side => (side === "same" ? side : taken);

function verdict({ text, order }: Pick<Item, "text" | "order">): Pick<Item, "action" | "why"> {
  if (text === "conflict") return { action: "conflict", why: "it was changed here and on the server" };
  if (order === "conflict") return { action: "conflict", why: "it was moved here and on the server" };
  if (text === "mine") return { action: "change" };
  if (order === "mine") return { action: "move" };
  return { action: text === "same" && order === "same" ? "same" : "newer" };
}

const wholly = (side: Side): Pick<Item, "text" | "order"> => ({ text: side, order: side });

/** A file whose entry the server does not have. */
function fileItem(mine: FileEntry, { seen, takes }: PlanInput): Item {
  if (mine.id === undefined) return { action: "create", mine, ...wholly("mine") };
  const taken = takes.get(mine.id);
  if (taken === "mine") return { action: "create", mine, ...wholly("mine"), isTaken: true };
  const before = seen.get(mine.id);
  if (taken === "theirs" || before?.text === hashOf(mine))
    return { action: "gone", mine, ...wholly("theirs"), isTaken: taken === "theirs" };
  const why = before
    ? "it was changed here and deleted on the server"
    : "the server has no entry with its id";
  return { action: "conflict", mine, why, ...wholly("conflict") };
}

/** An entry of the server that no file has. */
function serverItem(theirs: ServerEntry, { seen, takes, prune }: PlanInput): Item {
  const before = seen.get(theirs.id);
  const taken = takes.get(theirs.id);
  if (!before || (taken === "theirs" && !prune)) return { action: "foreign", theirs, ...wholly("theirs") };
  if (!prune || taken === "theirs") return { action: "kept", theirs, ...wholly("theirs") };
  const isEdited = hashOf(theirs) !== before.text && !isAsPushed(theirs);
  if (!isEdited || taken === "mine") return { action: "delete", theirs, ...wholly("mine") };
  const why = "its file was deleted here, and it was changed on the server";
  return { action: "conflict", theirs, why, ...wholly("conflict") };
}

export const conflictsIn = (items: readonly Item[]): Item[] =>
  items.filter(({ action }) => action === "conflict");

const pushed: readonly Action[] = ["create", "change", "move", "delete"];

/** The changes that a push would make on the server. */
export const changesIn = (items: readonly Item[]): Item[] =>
  items.filter(({ action }) => pushed.includes(action));

/** Which of two values counts: they are equal, the file's, the server's, or nobody can tell. */
type Side = "same" | "mine" | "theirs" | "conflict";

/** The values of one field in the file, on the server and before: the hash of a text, or a position. */
interface Values<Value> {
  /** The value in the file. */
  readonly mine: Value;
  /** The present value on the server. */
  readonly theirs: Value;
  /** The value on both when this checkout last read the server; undefined if it never did. */
  readonly base: Value | undefined;
  /** The value that the last push set; undefined without a push. */
  readonly pushed: Value | undefined;
  /** Whether the server's value is one that the file had in an earlier commit. */
  readonly wasMine?: boolean;
}

/**
 * Compares file and server. The server's value counts as nobody's edit if it is the one that the last push set. A file
 * that is still as an older list had it does not win over such a value, unless `filesRule`: in a CI job, whose checkout
 * never learns what was pushed. (rule C22)
 */
export function sideOf<Value>(
  { mine, theirs, base, pushed, wasMine }: Values<Value>,
  filesRule: boolean,
): Side {
  if (mine === theirs) return "same";
  if (base === theirs) return "mine";
  const isUnread = base !== undefined && mine === base;
  if (pushed === theirs && (filesRule || !isUnread)) return "mine";
  if (isUnread || (pushed !== undefined && mine === pushed)) return wasMine && filesRule ? "mine" : "theirs";
  return wasMine ? "mine" : "conflict";
}
