import { ConnectionError, ServerError } from "../../client/errors.ts";
import type { FaqChange, WantedFaq } from "../../contract/faqs.ts";
import { limits } from "../../contract/limits.ts";
import { CliError, type Exit } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { failureOf } from "../core/failures.ts";
import { canAsk, confirm } from "../core/input.ts";
import { note, printable, printOne } from "../core/output.ts";
import { type FaqApi, faqApi, type TaggedList } from "./api.ts";
import {
  besideList,
  type Checkout,
  compare,
  hasConflicts,
  openFiles,
  otherIdIn,
  type PlanFlags,
  storeSeen,
  tellNewServer,
} from "./checkout.ts";
import type { FaqText, FileEntry, ServerEntry } from "./entry.ts";
import { type Action, hashOf, type Item, planJson, planText } from "./plan.ts";
import { defaultPath, type FileChange, type FileFault, faultsError } from "./source.ts";
import type { SeenEntry } from "./states.ts";

/** The maximum number of attempts to push while the list changes. Only a program changes a list so often. */
const mostAttempts = 20;

/** Pushes the FAQ files, if the person agrees. Throws a CliError if the list changes during every attempt. */
export async function pushFaqs(
  invocation: Invocation,
  flags: PlanFlags,
  path = defaultPath,
): Promise<Exit | undefined> {
  const api = await faqApi(invocation);
  const files = await openFiles(invocation, path, { api, mustHave: true });
  let agreed: string | undefined;
  let isShown = false;
  let oneByOne = false;
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const list = await api.read();
    const checkout = besideList(files, list);
    if (attempt === 0) tellNewServer(checkout);
    const items = await compare(checkout, { ...flags, filesRule: files.isCi });
    refuseLongTexts(list, items);
    if (hasConflicts(items)) return showConflicts(checkout, items);
    if (invocation.flags.dryRun) return showPlan(checkout, items);
    if (changesIn(items).length === 0) return finish(checkout, { items, list });
    const plan = planText(items);
    if (plan !== agreed) isShown = await agree(invocation, plan);
    agreed = plan;
    const applied = await apply(api, { list, items, oneByOne });
    if (typeof applied === "object") return finish(checkout, { items, list, applied, isShown });
    oneByOne ||= applied === "oneByOne";
    if (applied === "moved") await invocation.context.clock.sleep(invocation.context.random() * 50 * attempt);
  }
  throw new CliError({
    exit: "tryLater",
    code: "precondition_failed",
    message: "The FAQ kept changing on the server. Nothing was pushed.",
    next: "Try again in a moment.",
  });
}

/** Asks the person, and returns whether the plan was printed. Throws a usage error without consent. */
async function agree(invocation: Invocation, plan: string): Promise<boolean> {
  const asks = !invocation.flags.yes && canAsk(invocation);
  if (asks) invocation.context.io.stderr.write(`${printable(plan)}\n`);
  await confirm(invocation, "Push this?");
  return asks;
}

function showPlan(checkout: Checkout, items: readonly Item[]): undefined {
  print(checkout, items, { pushed: false, dryRun: true }, planText(items));
}

function showConflicts(checkout: Checkout, items: readonly Item[]): Exit {
  print(checkout, items, { pushed: false }, planText(items));
  tellConflicts(checkout.invocation, "Nothing was pushed");
  return "conflict";
}

/** Prints to standard error how a person can resolve the conflicts. */
export const tellConflicts = (invocation: Invocation, what: string): void =>
  note(
    invocation,
    `${what}, because of the conflicts. \`-\` marks the server's text, \`+\` marks the file's text. Combine both texts in the file, or ` +
      "choose one of them: `--take mine ID …` or `--take theirs ID …`.",
  );

async function finish(
  checkout: Checkout,
  {
    items,
    list,
    applied,
    isShown,
  }: {
    readonly items: readonly Item[];
    readonly list: TaggedList;
    /** The result of the push. Undefined if nothing had to be pushed. */
    readonly applied?: Applied;
    /** Whether the command has already printed the plan. */
    readonly isShown?: boolean;
  },
): Promise<Exit | undefined> {
  const done = applied ?? { entries: list.entries, ids: new Map(), results: undefined };
  await writeBack(checkout, items, done);
  const { results } = done;
  const failed = results?.find(({ error }) => error !== undefined);
  const lines = [
    ...(isShown ? [] : [planText(items)]),
    ...(results ?? []).map(
      (one) =>
        `${one.outcome.padEnd(9)} ${one.action}  ${one.id ?? one.file}${one.reason ? `: ${one.reason}` : ""}`,
    ),
    ...(applied && !failed ? [`Pushed ${changesIn(items).length} of ${items.length}.`] : []),
  ];
  const more = {
    pushed: applied !== undefined && !failed,
    ...(results && { results: results.map(({ error, ...result }) => result) }),
  };
  print(
    checkout,
    items.map((item) => withId(item, done)),
    more,
    lines.join("\n"),
  );
  return failed ? failureOf(failed.error).exit : undefined;
}

/** Returns the item with the entry from the server if the push created that entry. */
function withId(item: Item, { ids, entries }: Applied): Item {
  const id = item.mine && ids.get(item.mine);
  return id === undefined ? item : { ...item, theirs: entries.find((entry) => entry.id === id) };
}

/** Prints the plan as JSON or as text. */
function print(
  { invocation, source }: Checkout,
  items: readonly Item[],
  more: Readonly<Record<string, unknown>>,
  text: string,
): void {
  printOne(invocation, { path: source.path, ...more, ...planJson(items) }, () => text);
}

/** Prints the changes that a push would make. */
export async function diffFaqs(
  invocation: Invocation,
  { exitCode = false }: { readonly exitCode?: boolean },
  path = defaultPath,
): Promise<Exit | undefined> {
  const api = await faqApi(invocation);
  const files = await openFiles(invocation, path, { api, mustHave: true });
  const list = await api.read();
  const checkout = besideList(files, list);
  tellNewServer(checkout);
  const items = await compare(checkout, { filesRule: checkout.isCi });
  refuseLongTexts(list, items);
  print(checkout, items, {}, planText(items));
  if (!exitCode) return undefined;
  if (hasConflicts(items)) return "conflict";
  return items.every(({ action }) => action === "same") ? undefined : "differences";
}

/** Updates the files and the stored state after the push. A failure is only a warning. (rule C24) */
async function writeBack(checkout: Checkout, items: readonly Item[], applied: Applied): Promise<void> {
  const { invocation, source, isCi } = checkout;
  // In a CI job, nothing is written, because the checkout is deleted after the job.
  if (isCi) return;
  const byId = new Map(applied.entries.map((entry) => [entry.id, entry]));
  const entries = items.flatMap((item) => seenOf(item, checkout, applied, byId));
  try {
    const changes = items.flatMap((item) => fileChangesOf(item, checkout, applied));
    if (changes.length > 0) await source.change(changes);
    await storeSeen(checkout, new Map(entries));
  } catch (error) {
    note(invocation, `The server has all changes, but the files could not be updated: ${String(error)}`);
  }
}

const hasFailed = ({ results }: Applied, { mine, theirs }: Item): boolean =>
  results?.some(
    ({ outcome, id, file }) =>
      outcome !== "done" && id === (theirs?.id ?? null) && file === (mine?.file ?? null),
  ) ?? false;

/** Returns what the state file stores about an entry. The old data stays if the server's value is newer. */
function seenOf(
  item: Item,
  checkout: Checkout,
  applied: Applied,
  byId: ReadonlyMap<string, ServerEntry>,
): (readonly [string, SeenEntry])[] {
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
        translations: translationsSeen(item, { old, now, isPull: false }),
      },
    ],
  ];
}

/** Returns a hash for each translation. The old hash stays if the translation's file is missing or outdated. */
export function translationsSeen(
  { mine, languages = [], isTaken = false }: Item,
  {
    old,
    now,
    isPull,
  }: { readonly old: SeenEntry | undefined; readonly now: ServerEntry; readonly isPull: boolean },
): SeenEntry["translations"] {
  const unread = isPull || isTaken ? [] : languages.filter(({ side }) => side === "theirs");
  const [before, current] = [old?.translations ?? {}, now.translations ?? {}];
  const all = [...new Set([...Object.keys(before), ...Object.keys(current)])].sort();
  const seen = all.flatMap((language) => {
    const [kept, text] = [before[language], current[language]];
    const isUnread = unread.some((item) => item.language === language);
    const isRead = mine?.translations?.[language] !== undefined || (isPull && kept === undefined);
    const hash = isUnread || (text && !isRead) ? kept : text && hashOf(text);
    return hash === undefined ? [] : [[language, hash] as const];
  });
  return seen.length === 0 ? undefined : Object.fromEntries(seen);
}

/** Returns the id in the file. Undefined if this id equals `id`, or equals `mine.id`. */
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
  const translations = isTaken ? translationsTaken(item) : {};
  return Object.keys(fields).length + Object.keys(translations).length > 0
    ? [{ kind: "set", file: mine.file, fields, translations }]
    : [];
}

/**
 * Returns the translations that the files take from the server, by language. Null means that the file is deleted.
 */
export const translationsTaken = ({ languages = [] }: Item): Readonly<Record<string, FaqText | null>> =>
  Object.fromEntries(
    languages.flatMap(({ language, side, theirs }) =>
      side === "theirs"
        ? [[language, theirs ? { question: theirs.question, answer: theirs.answer } : null]]
        : [],
    ),
  );

/** The result of one change, on a server that cannot change the whole list in one request. */
interface Result {
  readonly action: Action;
  readonly id: string | null;
  readonly file: string | null;
  readonly outcome: "done" | "failed" | "not tried";
  readonly reason?: string;
  readonly error?: unknown;
}

interface Applied {
  /** The list on the server after the changes. */
  readonly entries: readonly ServerEntry[];
  /** The ids of new entries. */
  readonly ids: ReadonlyMap<FileEntry, string>;
  /** The result of each change. Undefined if all changes were one transaction. */
  readonly results: readonly Result[] | undefined;
}

/**
 * Applies a plan. Changes nothing and returns `moved` if the list has changed, or `oneByOne` if the server
 * cannot replace the whole list.
 */
async function apply(
  api: FaqApi,
  {
    list,
    items,
    oneByOne,
  }: {
    readonly list: TaggedList;
    readonly items: readonly Item[];
    /** Whether the server has no endpoint that replaces the whole list. */
    readonly oneByOne: boolean;
  },
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

/** Returns the list for the request that replaces all entries. For an unchanged entry, only the id is sent. */
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
      mine
        ? [
            {
              faq: { ...textOf(mine), sortOrder: places.get(mine), ...allTranslations(mine) },
              file: mine.file,
            },
          ]
        : [],
    );
  return [...kept, ...added];
}

const textOf = ({ question, answer }: FaqText) => ({ question, answer });

function allTranslations({ translations = {} }: FileEntry): Pick<FaqChange, "translations"> {
  const all = Object.entries(translations).map(([language, text]) => [language, textOf(text)] as const);
  return all.length === 0 ? {} : { translations: Object.fromEntries(all) };
}

/** Returns the translations that a push sends, by language. Null deletes a translation. */
function changedTranslations({ languages = [] }: Item): Pick<FaqChange, "translations"> {
  const changed = languages.flatMap(({ language, side, mine }) =>
    side === "mine" ? [[language, mine ? textOf(mine) : null] as const] : [],
  );
  return changed.length === 0 ? {} : { translations: Object.fromEntries(changed) };
}

/** Returns the fields of an entry that a push sends. */
function changeOf(item: Item | undefined): FaqChange {
  if (!item?.mine) return {};
  return {
    ...(item.text === "mine" && textOf(item.mine)),
    ...(item.order === "mine" && item.mine.sortOrder !== undefined && { sortOrder: item.mine.sortOrder }),
    ...changedTranslations(item),
  };
}

/** Returns the positions of new entries. A new entry without `sortOrder` in its file comes after all other entries. */
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

/** Returns an error that names files in place of positions in `wanted`; `error` if that is impossible. */
function withFiles(error: ServerError, wanted: readonly Wanted[]): unknown {
  const faults = error.issues.map(({ path, message }) => {
    const [, at = "", field = ""] = /^faqs\.(\d+)(?:\.(.*))?$/.exec(path) ?? [];
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

/** Applies one change. Returns the changed entry, or undefined if it was deleted. */
async function applyOne(
  api: FaqApi,
  item: Item,
  place: number | undefined,
): Promise<ServerEntry | undefined> {
  const { action, mine, theirs } = item;
  if (action === "create" && mine)
    return api.create({ ...textOf(mine), sortOrder: place, ...allTranslations(mine) });
  if (action === "delete" && theirs) {
    await api.remove(theirs.id);
    return undefined;
  }
  if (!theirs) return undefined;
  const { question, answer, sortOrder } = await api.update(theirs.id, changeOf(item));
  return { ...theirs, question, answer, sortOrder, translations: translationsAfter(item) };
}

/**
 * Returns the translations of an entry after its change, because the answer of the server does not contain them.
 */
function translationsAfter({ theirs, languages = [] }: Item): ServerEntry["translations"] {
  const all = new Map(Object.entries(theirs?.translations ?? {}));
  for (const { language, side, mine } of languages) {
    if (side === "mine" && mine) all.set(language, textOf(mine));
    else if (side === "mine") all.delete(language);
  }
  return theirs?.translations && Object.fromEntries(all);
}

/** Whether all further changes would fail with the same error. */
const isForAll = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof ServerError && [401, 403].includes(error.status));

/** Returns the ids of created entries. Finds the entries in `after` by their text. */
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

/** If `keepsMarks` is true, throws one usage error for all texts that are too long and all wrong positions. */
function refuseLongTexts({ keepsMarks }: TaggedList, items: readonly Item[]): void {
  if (!keepsMarks) return;
  const faults = changesIn(items).flatMap(({ mine }) => (mine ? faultsOf(mine) : []));
  if (faults.length > 0) throw faultsError(faults);
}

function faultsOf({
  file,
  question,
  answer,
  sortOrder = 0,
  translations = {},
}: NonNullable<Item["mine"]>): FileFault[] {
  const outside = sortOrder < limits.sortOrder.min || sortOrder > limits.sortOrder.max;
  const ofLanguages = Object.values(translations).flatMap((text) =>
    [
      ...tooLong("question", text.question, limits.question),
      ...tooLong("answer", text.answer, limits.answer),
    ].map((message) => ({ file: text.file, message })),
  );
  const own = [
    ...tooLong("question", question, limits.question),
    ...tooLong("answer", answer, limits.answer),
    ...(outside ? [`has a sortOrder outside ${limits.sortOrder.min} to ${limits.sortOrder.max}`] : []),
  ].map((message) => ({ file, message }));
  return [...own, ...ofLanguages];
}

function tooLong(name: string, text: string, most: number): string[] {
  const length = [...text.trim()].length;
  return length > most
    ? [`has ${/^[aeiou]/.test(name) ? "an" : "a"} ${name} of ${length} characters: at most ${most}`]
    : [];
}

const pushed: readonly Action[] = ["create", "change", "move", "delete"];

/** Returns the changes that a push would make on the server. */
const changesIn = (items: readonly Item[]): Item[] => items.filter(({ action }) => pushed.includes(action));
