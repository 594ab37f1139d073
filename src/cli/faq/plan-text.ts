import { trimmedMarkdown } from "../../contract/content-text.ts";
import { onOneLine } from "../core/plain-text.ts";
import { type FaqText, plainAnswer, plainText } from "./entry.ts";
import { structuredPatch } from "./packages.lazy.ts";
import type { Action, Item } from "./plan.ts";

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
  const question = onOneLine(mine?.question ?? theirs?.question ?? "");
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
  newer: "changed on the server; `innkeep faq pull` gets it",
  gone: "deleted on the server; `innkeep faq pull` deletes the file",
  kept: "has no file any more; `--prune` deletes the entry",
  foreign: "only on the server; `innkeep faq pull` gets it",
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

/**
 * Returns the lines in which two texts of an entry differ, and some lines around them. `-` marks lines of the first
 * text, and `+` marks lines of the second text.
 */
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
