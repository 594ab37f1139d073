import { notices, type Sanitiser } from "../../src/words/fence.ts";
import { idAt, instantAt, listAt, numberAt, textAt, at as valueAt, wordAt } from "../json.ts";
import type { ListFeedbackOutput } from "./list-feedback.ts";

/** A page of 20 threads costs a model at most so many tokens. */
const mostTokens = 1_500;
/** What stands around the rows, and what a row costs without its ids and its subject. */
const aroundRows = 190;
const ofRow = 18;
const ofName = 12;
const leastOfSubject = 5;

const notYet = "No newer thread matches. Older ones were not searched yet: call again with cursor.";

/** A page of threads as structured content. */
export type FoundThreads = ListFeedbackOutput & { readonly team?: { readonly app_names: readonly string[] } };

/**
 * A page of threads: a line of words for each one, and apart from it the names of the apps and the subjects, cut to
 * what a model can afford.
 */
export function foundThreads(answer: unknown, { text, removed }: Sanitiser): FoundThreads {
  const items = listAt(answer, "items");
  const apps = new Set(items.map((item) => textAt(valueAt(item, "app"), "name")));
  const rows = items.map((item) => rowOf(item));
  const names = items.map((item) => cutToTokens(oneLine(text(textAt(valueAt(item, "app"), "name"))), 8));
  const ids = rows.reduce((sum, { ids }) => sum + ids, 0);
  const left =
    mostTokens - aroundRows - ofRow * rows.length - ids - (apps.size > 1 ? ofName * rows.length : 0);
  const whole = items.map((item) => oneLine(text(textAt(item, "subject"))));
  const most = Math.max(leastOfSubject, fairShare(whole.map(costOfText), left));
  const subjects = whole.map((subject) => cutToTokens(subject, most));
  return {
    columns: "number feedback_id type status last_active waiting [run_id] [xREPORTS]",
    threads: numbered(rows.map(({ row }) => row)),
    ...(apps.size > 0 && { team: { app_names: apps.size === 1 ? names.slice(0, 1) : numbered(names) } }),
    untrusted: { notice: notices.public, subjects: numbered(subjects) },
    next_cursor: cursorAt(answer),
    ...(items.length === 0 && { note: cursorAt(answer) === null ? "No thread matches." : notYet }),
    ...(removed() > 0 && { removed_characters: removed() }),
  };
}

/** Most clients show a model the structure alone, where lists stand beside each other. */
const numbered = (lines: readonly string[]): string[] => lines.map((line, at) => `${at + 1} ${line}`);

/** The most that each may cost, so that all together cost no more than is left: what short ones leave goes to long ones. */
function fairShare(costs: readonly number[], left: number): number {
  let room = left;
  const ascending = costs.toSorted((one, other) => one - other);
  for (const [at, cost] of ascending.entries()) {
    const share = room / (ascending.length - at);
    if (cost > share) return share;
    room -= cost;
  }
  return Number.POSITIVE_INFINITY;
}

/** The words of a row, and what its ids cost. */
function rowOf(item: unknown): { readonly row: string; readonly ids: number } {
  const runId = idAt(item, "runId");
  const waiting = wordAt(item, "waiting");
  const occurrences = numberAt(item, "occurrences") ?? 1;
  const id = idAt(item, "id") ?? "unknown";
  const active = instantAt(item, "activeAt") ?? instantAt(item, "createdAt");
  const shownRun = runId === null || waiting === "none" ? [] : [runId];
  const words = [
    id,
    wordAt(item, "type"),
    wordAt(item, "status"),
    active === null ? "unknown" : minuteOf(active),
    waiting,
    ...shownRun,
    ...(occurrences > 1 ? [`x${occurrences}`] : []),
  ];
  return { row: words.join(" "), ids: [id, ...shownRun].reduce((sum, each) => sum + costOfId(each), 0) };
}

/** The minute of an instant in the short form of ISO 8601, which costs a model four tokens less in each row. */
const minuteOf = (instant: string): string =>
  `${instant.replaceAll("-", "").replaceAll(":", "").slice(0, "20261126T1830".length)}Z`;

/** Models read up to three digits or two letters of an id in a token. */
const costOfId = (id: string): number => id.match(/\d{1,3}|[a-z]{1,2}|-/g)?.length ?? 0;

/** A cursor is a word of the server. */
function cursorAt(answer: unknown): string | null {
  const cursor = textAt(answer, "nextCursor");
  return /^[\w=-]{1,500}$/.test(cursor) ? cursor : null;
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** Cuts a text to about so many tokens, between words if it can. */
function cutToTokens(given: string, most: number): string {
  let cost = 0;
  let kept = "";
  for (const character of given) {
    cost += costOf(character);
    if (cost > most) return `${kept.replace(/(?<!\s)\s+\S{0,12}$/, "").trimEnd()}…`;
    kept += character;
  }
  return given;
}

const costOfText = (text: string): number => [...text].reduce((sum, character) => sum + costOf(character), 0);

/** What a character costs, generously: models read Latin words in few tokens, rare scripts in several for a character. */
function costOf(character: string): number {
  const point = character.codePointAt(0) ?? 0;
  if (/[a-zA-Z ]/.test(character)) return 0.3;
  if (point < 0x80) return 0.85;
  if (point < 0x900 || (point >= 0x3000 && point < 0xd800)) return 0.9;
  return point < 0xe80 ? 0.9 : 3;
}
