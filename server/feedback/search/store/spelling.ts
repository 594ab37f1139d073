import type { Database, Reader, Transaction } from "../../../database/database.ts";
import { marksInPostgres, wordInApp, wordInRange } from "../../../database/schema/search.ts";
import { plannedEachTime } from "../../../database/transaction.ts";
import { neighboursOf, readQuery, type SearchQuery, type Term, type TypedWord, wordsIn } from "../rules.ts";
import { type Effort, numbersOf, rangeOf, usualEffort } from "./ranges.ts";
import { searchThreads, type ThreadSearch } from "./search.ts";
import { textsOf } from "./texts.ts";

type InApps = Omit<ThreadSearch, "query"> & {
  readonly conditions: ThreadConditions;
  readonly effort?: Effort;
};

type ThreadConditions = Parameters<typeof searchThreads>[2]["conditions"];

/** The maximum number of corrections to compare. Each correction is a word in the index. */
const mostWords = 12;

/** The maximum number of threads that are counted for each possible correction. */
const mostCounted = 50;

/** The maximum number of apps whose words are proposed. (rule F59) */
const mostApps = 64;

/** The number of apps in one statement on PostgreSQL, where each app has its own words in the index. */
const appsAtOnce = 8;

/**
 * Returns `q` with corrected words; undefined if no word was corrected. Corrects only words that no thread
 * has. (rule F59)
 */
export async function correctedQuery(
  database: Database,
  q: string,
  { query, ...search }: ThreadSearch & InApps,
): Promise<string | undefined> {
  let corrected = q;
  // The last word is replaced first, so that the positions of the other words stay correct.
  for (const typed of query.typed.toReversed()) {
    const better = await betterWord(database, search, typed);
    if (better !== undefined)
      corrected = corrected.slice(0, typed.start) + better + corrected.slice(typed.end);
  }
  return corrected === q ? undefined : corrected;
}

async function betterWord(
  database: Database,
  search: InApps,
  { word, term }: TypedWord,
): Promise<string | undefined> {
  const neighbours = neighboursOf(word);
  if (neighbours.length === 0 || (await newestWith(database, search, term, 1)).length > 0) return undefined;
  const appIds = search.scope.appIds.slice(0, mostApps);
  const proposing = { ...search, scope: { ...search.scope, appIds } };
  const existing = await existingWords(database, appIds, neighbours);
  let best: { readonly word: string; readonly seqs: readonly number[] } | undefined;
  for (const one of neighbours.filter((each) => existing.has(each)).slice(0, mostWords)) {
    const seqs = await newestWith(database, proposing, [{ word: one, isBeginning: false }], mostCounted);
    if (seqs.length > (best?.seqs.length ?? 0)) best = { word: one, seqs };
  }
  return best && asWritten(database, best.word, best.seqs);
}

const nothing: SearchQuery = readQuery("");

/** Returns at most `limit` of the newest threads that have the term. */
export async function newestWith(
  reader: Reader,
  { conditions, effort = usualEffort, ...search }: InApps,
  term: Term,
  limit: number,
): Promise<readonly number[]> {
  const query = { ...nothing, all: [term] };
  const page = { conditions, before: Number.MAX_SAFE_INTEGER, limit, effort };
  return (await searchThreads(reader, { ...search, query }, page)).seqs;
}

/** Returns the `words` that the index contains. On SQLite, words of all apps count, not only of `appIds`. */
async function existingWords(
  database: Database,
  appIds: readonly string[],
  words: readonly string[],
): Promise<ReadonlySet<string>> {
  if (database.engine === "sqlite")
    return wordsOf(await database.all<FoundWord>(inVocabulary, JSON.stringify(words)));
  const found = new Set<string>();
  for (let from = 0; from < appIds.length && found.size < mostWords; from += appsAtOnce) {
    const some = appIds.slice(from, from + appsAtOnce);
    const left = words.filter((word) => !found.has(word));
    for (const word of wordsOf(await database.write((tx) => inLexemes(tx, some, left)))) found.add(word);
  }
  return found;
}

interface FoundWord {
  readonly word: string;
}

const wordsOf = (rows: readonly FoundWord[]): Set<string> => new Set(rows.map(({ word }) => word));

const inVocabulary =
  "SELECT v.term AS word FROM json_each(?) AS asked CROSS JOIN feedback_search_words v WHERE v.term = asked.value";

async function inLexemes(tx: Transaction, appIds: readonly string[], words: readonly string[]) {
  // Without this setting, PostgreSQL would compare each thread of a small table with each word.
  await tx.run("SET LOCAL enable_seqscan = off");
  const newest = rangeOf((await tx.get<{ seq: number | null }>(newestSeq))?.seq ?? 0);
  const ranges = numbersOf({ newest, oldest: Math.max(0, newest - rangesFirst + 1) });
  const has = (asked: string) =>
    `EXISTS (SELECT 1 FROM feedback_search s WHERE s.words @@ CAST(${asked} AS tsquery))`;
  // `asked ->> 1` searches only the newest threads, which is fast. `asked ->> 2` searches all threads.
  return tx.all<FoundWord>(
    plannedEachTime(`SELECT asked ->> 0 AS word FROM json_array_elements(CAST(? AS json)) AS asked
     WHERE ${has("asked ->> 1")} OR ${has("asked ->> 2")}`),
    JSON.stringify(words.map((word) => [word, ...lexemesOf(appIds, word, ranges)])),
  );
}

const newestSeq = "SELECT max(seq) AS seq FROM feedback";

/** How many ranges of the newest threads are searched for a word before all threads are searched. */
const rangesFirst = 2;

/**
 * Returns two search expressions for a word. The first finds threads in `ranges`. The second finds all threads.
 */
function lexemesOf(appIds: readonly string[], word: string, ranges: readonly number[]): [string, string] {
  const anyOf = (lexemes: readonly string[]) => `(${lexemes.map((one) => `'${one}'`).join(" | ")})`;
  const apps = anyOf(appIds.map((id) => marksInPostgres.app + id));
  return [
    `${anyOf(ranges.map((range) => wordInRange(range, word)))} & ${apps}`,
    anyOf(appIds.map((id) => wordInApp(id, word))),
  ];
}

/** Returns a normalised word as it is written in one of the threads, for example with accents. */
async function asWritten(reader: Reader, word: string, seqs: readonly number[]): Promise<string> {
  const threads = await textsOf(reader, seqs.slice(0, 1));
  for (const { texts } of threads) {
    for (const { text } of texts) {
      const found = wordsIn(text).find((one) => one.word === word);
      if (found !== undefined) return text.slice(found.start, found.end);
    }
  }
  return word;
}
