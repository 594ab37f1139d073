import { oneLine } from "../../words/visible.ts";
import type { Exit } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { printOne } from "../core/output.ts";
import { faqApi } from "./api.ts";
import {
  besideList,
  type Checkout,
  compare,
  hasConflicts,
  openFiles,
  otherIdIn,
  storeSeen,
  tellNewServer,
} from "./checkout.ts";
import { conflictsIn, hashOf, type Item, named, planJson, planText } from "./plan.ts";
import { tellConflicts, translationsSeen, translationsTaken } from "./push.ts";
import { defaultPath, type FileChange } from "./source.ts";
import type { SeenEntry, SeenState } from "./states.ts";

/** What a pull does with the file of one entry. */
interface Step {
  readonly item: Item;
  readonly change: FileChange | undefined;
  readonly word: "added" | "changed" | "deleted" | "kept" | "same";
}

/** Writes the server's FAQ into the files. Local changes stay. After a conflict, writes nothing. */
export async function pullFaqs(
  invocation: Invocation,
  { take }: { readonly take?: readonly string[] },
  path = defaultPath,
): Promise<Exit | undefined> {
  const api = await faqApi(invocation);
  const files = await openFiles(invocation, path, { api, mustHave: false });
  const checkout = besideList(files, await api.read());
  tellNewServer(checkout);
  const items = await compare(checkout, { ...(take && { take }), filesRule: false });
  if (hasConflicts(items)) {
    const conflicts = conflictsIn(items);
    printOne(invocation, { path, pulled: false, conflicts: planJson(items).conflicts }, () =>
      planText(conflicts),
    );
    tellConflicts(invocation, "Nothing was pulled");
    return "conflict";
  }
  const steps = items.map((item) => stepOf(checkout, item));
  const added = invocation.flags.dryRun ? [] : await write(checkout, steps, seenAfter(checkout, items));
  show(checkout, steps, added);
  return undefined;
}

async function write(
  checkout: Checkout,
  steps: readonly Step[],
  seen: SeenState["entries"],
): Promise<readonly string[]> {
  const changes = steps.flatMap(({ change }) => change ?? []);
  const added = changes.length > 0 ? await checkout.source.change(changes) : [];
  await storeSeen(checkout, seen);
  return added;
}

function stepOf(checkout: Checkout, item: Item): Step {
  const { action, mine, theirs } = item;
  if (action === "foreign" && theirs) {
    const { id, question, answer, sortOrder, translations = {} } = theirs;
    const fields = { id, question, answer, sortOrder };
    return { item, change: { kind: "add", fields, translations }, word: "added" };
  }
  if (action === "gone" && mine)
    return { item, change: { kind: "remove", file: mine.file }, word: "deleted" };
  if (!mine || !theirs) return { item, change: undefined, word: "kept" };
  const isLocal = action === "change" || action === "move";
  const fields = {
    ...(mine.id === undefined && !otherIdIn(checkout, mine.file, theirs.id) && { id: theirs.id }),
    ...(item.text === "theirs" && { question: theirs.question, answer: theirs.answer }),
    ...(item.order === "theirs" && { sortOrder: theirs.sortOrder }),
  };
  const translations = translationsTaken(item);
  if (Object.keys(fields).length + Object.keys(translations).length === 0)
    return { item, change: undefined, word: isLocal ? "kept" : "same" };
  return { item, change: { kind: "set", file: mine.file, fields, translations }, word: "changed" };
}

/** Returns the state to store after a pull. An entry with a deleted file keeps its old state. */
function seenAfter(checkout: Checkout, items: readonly Item[]): SeenState["entries"] {
  const entries = items.flatMap((item): (readonly [string, SeenEntry])[] => {
    const { action, mine, theirs } = item;
    if (!theirs) return [];
    const old = checkout.seen.entries.get(theirs.id);
    if (action === "kept") return old ? [[theirs.id, old]] : [];
    const fileId = mine && otherIdIn(checkout, mine.file, theirs.id);
    const translations = translationsSeen(item, { old, now: theirs, isPull: true });
    return [[theirs.id, { text: hashOf(theirs), sortOrder: theirs.sortOrder, fileId, translations }]];
  });
  return new Map(entries);
}

function show({ invocation, source }: Checkout, steps: readonly Step[], added: readonly string[]): void {
  const names = [...added];
  const shown = steps.map(({ word, item }) => {
    const { id, file, question } = named(item);
    return {
      word,
      id,
      file: word === "added" ? (names.shift() ?? null) : file,
      question,
      note: notes[item.action],
    };
  });
  const of = (wanted: Step["word"]) =>
    shown.filter(({ word }) => word === wanted).map(({ word, note, ...rest }) => rest);
  const value = {
    path: source.path,
    pulled: !invocation.flags.dryRun,
    ...(invocation.flags.dryRun && { dryRun: true }),
    added: of("added"),
    changed: of("changed"),
    deleted: of("deleted"),
    kept: of("kept"),
    unchanged: of("same").length,
  };
  const lines = shown
    .filter(({ word }) => word !== "same")
    .map(
      ({ word, file, id, question, note }) =>
        [word.padEnd(8), file ?? id, `"${oneLine(question)}"`].join("  ") +
        (word === "kept" && note ? `: ${note}` : ""),
    );
  const count = `${value.added.length} added, ${value.changed.length} changed, ${value.deleted.length} deleted, ${value.unchanged} the same.`;
  printOne(invocation, value, () => [...lines, count].join("\n"));
}

const notes: Partial<Record<Item["action"], string>> = {
  create: "new here; `innkeep faq push` sends it",
  change: "changed here; `innkeep faq push` sends it",
  move: "moved here; `innkeep faq push` sends it",
  kept: "its file was deleted here; `innkeep faq push --prune` deletes the entry",
};
