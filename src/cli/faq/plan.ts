import { createHash } from "node:crypto";
import { hashedFaqText, trimmedMarkdown } from "../../contract/content-text.ts";
import { oneLine } from "../../words/visible.ts";

import { type FaqText, type FileEntry, type ServerEntry, type TranslationFile, unixLines } from "./entry.ts";
import { structuredPatch } from "./packages.lazy.ts";
import type { SeenEntry } from "./states.ts";

/** Returns the plan of a push as text. `diff`, `push --dry-run` and `push` all print this text. */
export function planText(items: readonly Item[]): string {
  const shown = items.filter(({ action }) => action !== "same");
  return [
    ...order.flatMap((action) => shown.filter((item) => item.action === action)).flatMap(linesOf),
    summaryOf(items),
  ].join("\n");
}

const order: readonly Action[] = [
  "create",
  "change",
  "move",
  "delete",
  "newer",
  "gone",
  "kept",
  "foreign",
  "conflict",
];

function linesOf(item: Item): string[] {
  const { action, mine, theirs } = item;
  const question = oneLine(mine?.question ?? theirs?.question ?? "");
  const id = theirs?.id ?? mine?.id;
  const head = [action.padEnd(8), mine?.file, id, `"${question}"`]
    .filter((part) => part !== undefined)
    .join("  ");
  return [[head, ...notesOf(item)].join(": "), ...diffOf(item), ...languageLines(item)];
}

/** Returns the lines about the translations of an entry. */
function languageLines({ action, languages = [] }: Item): string[] {
  const isPushed = action === "change" || action === "move" || action === "conflict";
  return languages.flatMap(({ language, side, mine, theirs }) => {
    if (side === "theirs")
      return [`    ${language}: ${action === "newer" ? "" : "not pushed, "}changed on the server`];
    const word =
      side === "conflict" ? "conflict" : mine === undefined ? "delete" : theirs ? "change" : "create";
    const diff = isPushed && mine && theirs ? textDiff(theirs, mine).map((line) => `        ${line}`) : [];
    return [`    ${language}: ${word}${mine ? `  ${mine.file}` : ""}`, ...diff];
  });
}

function notesOf(item: Item): string[] {
  const { action, mine, theirs, why } = item;
  if (why !== undefined) return [why];
  const moved =
    item.order === "mine" && theirs ? [`from position ${theirs.sortOrder} to ${mine?.sortOrder}`] : [];
  if (action === "change" || action === "move") return moved;
  const note = notes[action];
  return note === undefined ? [] : [note];
}

const notes: Partial<Record<Action, string>> = {
  newer: "changed on the server; `innkeep faq pull` writes the change to the file",
  gone: "deleted on the server; `innkeep faq pull` deletes the file",
  kept: "has no file any more; `--prune` deletes the entry",
  foreign: "only on the server; `innkeep faq pull` writes it to a file",
};

function diffOf({ action, text, order, mine, theirs }: Item): string[] {
  if (action === "change" || (action === "conflict" && text === "conflict"))
    return textDiff(theirs, mine).map((line) => `    ${line}`);
  return action === "conflict" && order === "conflict"
    ? [`    - position ${theirs?.sortOrder}`, `    + position ${mine?.sortOrder}`]
    : [];
}

const words: readonly (readonly [Action, string])[] = [
  ["create", "to create"],
  ["change", "to change"],
  ["move", "to move"],
  ["delete", "to delete"],
  ["conflict", "in conflict"],
];

/** Returns one line that counts the entries for each kind of change. */
function summaryOf(items: readonly Item[]): string {
  const count = (action: Action) => items.filter((item) => item.action === action).length;
  const parts = words.flatMap(([action, word]) => (count(action) > 0 ? [`${count(action)} ${word}`] : []));
  const same = `${count("same")} the same`;
  return parts.length === 0 ? `Nothing to push, ${same}.` : `${parts.join(", ")}, ${same}.`;
}

/** Returns the plan as data for programs. */
export function planJson(items: readonly Item[]) {
  const of = (...actions: readonly Action[]) => items.filter(({ action }) => actions.includes(action));
  return {
    created: of("create").map(named),
    changed: of("change").map((item) => ({ ...named(item), fields: fieldsOf(item) })),
    moved: of("move").map((item) => ({
      ...named(item),
      from: item.theirs?.sortOrder,
      to: item.mine?.sortOrder,
    })),
    deleted: of("delete").map(named),
    conflicts: of("conflict").map((item) => ({
      ...named(item),
      reason: item.why,
      mine: contentOf(item.mine),
      theirs: contentOf(item.theirs),
    })),
    newer: of("newer").map(named),
    gone: of("gone").map(named),
    onlyOnServer: of("kept", "foreign").map((item) => ({ ...named(item), pulled: item.action === "kept" })),
    unchanged: of("same").length,
  };
}

export const named = ({ mine, theirs }: Item) => ({
  id: theirs?.id ?? mine?.id ?? null,
  file: mine?.file ?? null,
  question: mine?.question ?? theirs?.question ?? "",
});

const fieldsOf = ({ mine, theirs, order: side, languages = [] }: Item): string[] => [
  ...(mine?.question.trim() === theirs?.question.trim() ? [] : ["question"]),
  ...(trimmedMarkdown(mine?.answer ?? "") === trimmedMarkdown(theirs?.answer ?? "") ? [] : ["answer"]),
  ...(side === "mine" ? ["sortOrder"] : []),
  ...languages.flatMap((item) => (item.side === "mine" ? [`translations.${item.language}`] : [])),
];

interface Content {
  readonly question: string;
  readonly answer: string;
  readonly sortOrder?: number | undefined;
}

const contentOf = (entry: Content | undefined) =>
  entry ? { question: entry.question, answer: entry.answer, sortOrder: entry.sortOrder ?? null } : null;

const context = 2;

const mostMilliseconds = 1_000;

/** Returns a diff of two texts, as lines with `-` and `+`. */
function textDiff(before: FaqText | undefined, after: FaqText | undefined): string[] {
  const [one, other] = [textLines(before), textLines(after)];
  const patch = structuredPatch("", "", one, other, "", "", { context, timeout: mostMilliseconds });
  if (!patch) return [...marked("-", one), ...marked("+", other)];
  return patch.hunks.flatMap(({ lines }, at) => [
    ...(at === 0 ? [] : ["..."]),
    ...lines.filter((line) => !line.startsWith("\\")),
  ]);
}

const textLines = (text: FaqText | undefined): string =>
  text === undefined ? "" : `${plainText(text.question)}\n\n${plainAnswer(text.answer)}\n`;

const marked = (mark: string, text: string): string[] =>
  text === ""
    ? []
    : text
        .trimEnd()
        .split("\n")
        .map((line) => mark + line);

/** The result for one entry. Only `create`, `change`, `move` and `delete` change the server. */
export type Action =
  | "same"
  | "create"
  | "change"
  | "move"
  | "delete"
  | "conflict"
  // Somebody changed the entry on the server.
  | "newer"
  // Somebody deleted the entry on the server.
  | "gone"
  // The file was deleted, but the entry still exists.
  | "kept"
  // The entry is only on the server, and was never pulled.
  | "foreign";

export interface Item {
  readonly action: Action;
  readonly mine?: FileEntry | undefined;
  readonly theirs?: ServerEntry | undefined;
  readonly text: Side;
  readonly order: Side;
  /** Whether the person used `--take` to choose between the file and the server. */
  readonly isTaken?: boolean;
  /** The reason for a conflict. */
  readonly why?: string;
  /** The translations that differ between the file and the server. */
  readonly languages?: readonly LanguageItem[];
}

/**
 * The result of comparing a translation. `mine` is undefined without a file. `theirs` is undefined without a
 * server's translation.
 */
interface LanguageItem {
  readonly language: string;
  readonly side: Side;
  readonly mine: TranslationFile | undefined;
  readonly theirs: FaqText | undefined;
}

/** The value that the person chose: `mine` is in the file, `theirs` on the server. */
export type Take = "mine" | "theirs";

export interface PlanInput {
  readonly entries: readonly FileEntry[];
  readonly server: readonly ServerEntry[];
  readonly seen: ReadonlyMap<string, SeenEntry>;
  /** True in a CI job. Then a file's value replaces a server's value that any checkout pushed. */
  readonly filesRule: boolean;
  readonly prune: boolean;
  readonly takes: ReadonlyMap<string, Take>;
  /** The texts and positions of each file in earlier commits. */
  readonly earlier?: ReadonlyMap<string, readonly EarlierEntry[]> | undefined;
}

export interface EarlierEntry {
  readonly text: string;
  readonly sortOrder: number | undefined;
}

/** Compares the files with the server. Entries that exist only on the server come last. */
export function planOf(input: PlanInput): Item[] {
  const { pairs, files, others } = paired(input);
  return [
    ...pairs.map(({ mine, theirs }) => pairItem(mine, theirs, input)),
    ...files.map((mine) => fileItem(mine, input)),
    ...others.map((theirs) => serverItem(theirs, input)),
  ];
}

/** Finds each file's entry by id. A file without an id gets an unused entry with the same question. */
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
  const languages = languageItems(mine, theirs, input).map((item) =>
    taken ? { ...item, side: chosen(item.side, taken) } : item,
  );
  return {
    ...{ mine, theirs, ...sides, languages, isTaken: taken !== undefined },
    ...withLanguages(verdict(sides), languages),
  };
}

/** Combines the result for an entry with the results for its translations. (rule C36) */
function withLanguages(
  own: ReturnType<typeof verdict>,
  languages: readonly LanguageItem[],
): ReturnType<typeof verdict> {
  const conflict = languages.find(({ side }) => side === "conflict");
  if (own.action === "conflict") return own;
  if (conflict)
    return {
      action: "conflict",
      why: `its translation into ${conflict.language} was changed here and on the server`,
    };
  const has = (side: Side) => languages.some((item) => item.side === side);
  if (own.action === "change" || own.action === "move") return own;
  if (has("mine")) return { action: "change" };
  return own.action === "same" && has("theirs") ? { action: "newer" } : own;
}

/** Compares the translations of an entry. Omits translations that are the same. (rule C36) */
function languageItems(mine: FileEntry, theirs: ServerEntry, input: PlanInput): LanguageItem[] {
  if (theirs.translations === undefined) return [];
  const seen = input.seen.get(theirs.id)?.translations ?? {};
  const [own, other] = [mine.translations ?? {}, theirs.translations];
  const languages = [...new Set([...Object.keys(own), ...Object.keys(other)])].sort();
  return languages.flatMap((language) => {
    const [file, stored] = [own[language], other[language]];
    const side = languageSide({ mine: file, theirs: stored, base: seen[language] }, input);
    return side === "same" || side === undefined ? [] : [{ language, side, mine: file, theirs: stored }];
  });
}

/**
 * Returns which side's translation is used. Returns undefined if only the file was deleted and `prune` is
 * false.
 */
function languageSide(
  {
    mine,
    theirs,
    base,
  }: {
    readonly mine: FaqText | undefined;
    readonly theirs: NonNullable<ServerEntry["translations"]>[string] | undefined;
    readonly base: string | undefined;
  },
  { filesRule, prune }: PlanInput,
): Side | undefined {
  if (mine && theirs) {
    const pushed = isAsPushed(theirs) ? hashOf(theirs) : theirs.pushedHash;
    return sideOf({ mine: hashOf(mine), theirs: hashOf(theirs), base, pushed }, filesRule);
  }
  if (mine) {
    if (base === undefined) return "mine";
    return base === hashOf(mine) ? "theirs" : "conflict";
  }
  if (!theirs || base === undefined) return "theirs";
  if (!prune) return undefined;
  return hashOf(theirs) === base || isAsPushed(theirs) ? "mine" : "conflict";
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

/** Returns the item for a file whose entry is not on the server. */
function fileItem(mine: FileEntry, { seen, takes }: PlanInput): Item {
  if (mine.id === undefined) return { action: "create", mine, ...wholly("mine") };
  const taken = takes.get(mine.id);
  if (taken === "mine") return { action: "create", mine, ...wholly("mine"), isTaken: true };
  const before = seen.get(mine.id);
  if (taken === "theirs" || before?.text === hashOf(mine))
    return { action: "gone", mine, ...wholly("theirs"), isTaken: taken === "theirs" };
  const why = before
    ? "it was changed here and deleted on the server"
    : "the server has no entry with the id in this file";
  return { action: "conflict", mine, why, ...wholly("conflict") };
}

/** Returns the item for an entry without a file. Only `--prune` deletes the entry. (rule C23) */
function serverItem(theirs: ServerEntry, { seen, takes, prune }: PlanInput): Item {
  const before = seen.get(theirs.id);
  const taken = takes.get(theirs.id);
  if (!before || (taken === "theirs" && !prune)) return { action: "foreign", theirs, ...wholly("theirs") };
  if (!prune || taken === "theirs") return { action: "kept", theirs, ...wholly("theirs") };
  const isEdited = hashOf(theirs) !== before.text && !isAsPushed(theirs);
  if (!isEdited || taken === "mine") return { action: "delete", theirs, ...wholly("mine") };
  const why = "its file was deleted here, and the entry was changed on the server";
  return { action: "conflict", theirs, why, ...wholly("conflict") };
}

export const conflictsIn = (items: readonly Item[]): Item[] =>
  items.filter(({ action }) => action === "conflict");

/**
 * `mine` is the file's value, `theirs` the server's. `same` means equal values. With `conflict`, a person must
 * choose.
 */
type Side = "same" | "mine" | "theirs" | "conflict";

/** The current and earlier values of one field. A value is the hash of a text, or a position. */
interface Values<Value> {
  /** The value in the file. */
  readonly mine: Value;
  /** The current value on the server. */
  readonly theirs: Value;
  /** The value after the last push or pull of this checkout. Undefined if there was none. */
  readonly base: Value | undefined;
  /** The value that the last push set. Undefined if there was no push. */
  readonly pushed: Value | undefined;
  /** Whether the server's value is equal to a value that the file had in an earlier commit. */
  readonly wasMine?: boolean;
}

/**
 * Decides between the values of the file (`mine`) and the server (`theirs`), or returns `conflict`. (rule C22)
 */
export function sideOf<Value>(
  { mine, theirs, base, pushed, wasMine }: Values<Value>,
  filesRule: boolean,
): Side {
  if (mine === theirs) return "same";
  // Nobody edited the server's value.
  if (base === theirs) return "mine";
  const isUnread = base !== undefined && mine === base;
  // A push set the server's value. Only a CI job (`filesRule`) replaces this value if the file was not changed.
  if (pushed === theirs && (filesRule || !isUnread)) return "mine";
  // Only the server's value changed.
  if (isUnread || (pushed !== undefined && mine === pushed)) return wasMine && filesRule ? "mine" : "theirs";
  // Both the file's value and the server's value changed.
  return wasMine ? "mine" : "conflict";
}

/**
 * Returns the text with Unix line ends and without outer white space, for comparisons. The console may change
 * both.
 */
const plainText = (text: string): string => unixLines(text).trim();

/** Returns an answer with Unix line ends, trimmed in the same way as on the server. */
const plainAnswer = (text: string): string => trimmedMarkdown(unixLines(text));

/** Returns the SHA-256 hash of an FAQ text. Line ends and outer white space do not matter. */
export const hashOf = ({ question, answer }: FaqText): string =>
  sha256(hashedFaqText({ question: plainText(question), answer: plainAnswer(answer) }));

/** Whether an entry on the server still has the text that the last push set. */
const isAsPushed = (entry: FaqText & Pick<ServerEntry, "pushedHash">): boolean =>
  entry.pushedHash !== undefined && sha256(hashedFaqText(entry)) === entry.pushedHash;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
