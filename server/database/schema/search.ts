import { erased, integer, type Statement, statementsOf, table } from "./table.ts";

/**
 * The search index divides threads into groups by the order in which they were created. `rangeOfSearch`
 * is the number of threads in a group for the prefix `inRange` of `marksInPostgres`. `newestOfSearch` is the number
 * of threads in a group for the prefix `place`.
 */
export const rangeOfSearch = 8_000;
export const newestOfSearch = 1_000;

/**
 * On SQLite, the index also contains marks. A mark is a word for the app, the status, the type or the range of
 * a thread. Each mark begins with one of these characters, which never occur in a typed word.
 */
export const marksInSqlite = { app: "\uE000", status: "\uE001", type: "\uE002", range: "\uE003" };

/**
 * The prefixes of the lexemes (index entries) of a thread. There are lexemes for its app, its status, its type, and
 * its group in the order of arrival. There are also two lexemes for each word: the word with the app, and the word
 * with the range of the thread. No word begins with one of these prefixes.
 */
export const marksInPostgres = {
  ...{ app: "=a", status: "=s", type: "=t", place: "=r" },
  ...{ inApp: "=w", inRange: "=v" },
} as const;

/**
 * Returns the lexeme (index entry) of a word in an app. It contains only the last part of the app's id. That is
 * enough, because a search also requires the lexeme of the app.
 */
export const wordInApp = (appId: string, word: string): string =>
  `${marksInPostgres.inApp}${appId.slice(-8)}.${word}`;
export const wordInRange = (range: number, word: string): string =>
  `${marksInPostgres.inRange}${range}.${word}`;

// The parser of PostgreSQL treats an address or a path as one word. If punctuation is replaced with spaces, the search
// finds each part of the address or path.
const punctuation = '!"#$%&()*+,-./:;<=>?@[]^_{|}~';

/** The SQL expression for the texts of a thread that are searched in PostgreSQL. */
const searchedTextInPostgres = `translate(
  subject || ' ' || message || ' ' || coalesce(sender_name, '') || ' ' || coalesce(sender_email, '') || ' ' ||
  coalesce(source, ''), '${punctuation}', '${" ".repeat(punctuation.length)}')`;

/**
 * The SQL expression of the search index. PostgreSQL uses the index only if a search contains exactly this
 * expression.
 */
const searchedInPostgres = `searched_feedback(app_id, seq, status, category, ${searchedTextInPostgres})`;

// Only 200 characters of a word are indexed. A query has at most 200 characters, so nobody can search for more.
const lexemes = `SELECT array_to_tsvector(
    ARRAY[''${marksInPostgres.app}'' || app, ''${marksInPostgres.status}'' || status, ''${marksInPostgres.type}'' || category,
      ''${marksInPostgres.place}'' || CAST(seq / ${newestOfSearch} AS text)] ||
    ARRAY(SELECT place || left(word, 200) FROM unnest(tsvector_to_array(to_tsvector(''simple'', texts))) AS word,
      unnest(ARRAY[''${marksInPostgres.inApp}'' || right(app, 8) || ''.'',
        ''${marksInPostgres.inRange}'' || CAST(seq / ${rangeOfSearch} AS text) || ''.'']) AS place))`;

/**
 * The first index of the search. The migration "search whole threads" replaces it with `wordIndex`. A search for the
 * beginning of a word must be fast, even if many words begin with it. PostgreSQL first reads all lexemes with this
 * beginning. So each lexeme contains the app or a group of threads, and fewer lexemes have the same beginning. On
 * SQLite, the index contains all beginnings of 3 to 12 letters. If a beginning is shorter or longer, SQLite first
 * reads the threads of all words with that beginning.
 */
export const searchSchema: readonly Statement[] = [
  {
    sqlite: null,
    postgres: `CREATE FUNCTION searched_feedback(app text, seq bigint, status text, category text, texts text)
      RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS '${lexemes}'`,
  },
  {
    sqlite: `CREATE VIRTUAL TABLE feedback_search USING fts5 (
      text, content = '', contentless_delete = 1, prefix = '3 4 5 6 7 8 9 10 11 12')`,
    postgres: `CREATE INDEX feedback_search ON feedback USING gin (${searchedInPostgres})`,
  },
];

/**
 * Creates the search function in PL/pgSQL. PostgreSQL plans a function in PL/pgSQL only once for each connection. It
 * planned the earlier function, which was in SQL, again for each new or changed thread.
 */
export const plannedSearchFunction = `CREATE OR REPLACE FUNCTION searched_feedback(
    app text, seq bigint, status text, category text, texts text)
  RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS 'BEGIN RETURN (${lexemes}); END'`;

/** The threads that must be added to the index, because the index does not have all of their words. (rule F57) */
export const threadsToIndex = table(
  "threads_to_index",
  {
    feedback_seq: integer(),
    /** A number that increases with each change of the thread until the thread is indexed. */
    changes: integer().default(0),
  },
  {
    of: "deployment",
    erase: erased.withThread,
    notInBackup: "a restored database indexes all threads again",
    since: 120,
    made: {
      sqlite: `CREATE TABLE threads_to_index (
        feedback_seq INTEGER PRIMARY KEY REFERENCES feedback (seq) ON DELETE CASCADE, changes BIGINT NOT NULL DEFAULT 0)`,
      postgres: `CREATE TABLE threads_to_index (
        feedback_seq BIGINT PRIMARY KEY REFERENCES feedback (seq) ON DELETE CASCADE, changes BIGINT NOT NULL DEFAULT 0)`,
    },
  },
);

/** The threads that could not be indexed. They are tried again when they change, and once a day. */
export const threadsSetApart = table(
  "threads_set_apart",
  { feedback_seq: integer() },
  {
    of: "deployment",
    erase: erased.withThread,
    notInBackup: "a restored database indexes all threads again",
    since: 132,
    made: {
      sqlite: `CREATE TABLE threads_set_apart (
        feedback_seq INTEGER PRIMARY KEY REFERENCES feedback (seq) ON DELETE CASCADE)`,
      postgres: `CREATE TABLE threads_set_apart (
        feedback_seq BIGINT PRIMARY KEY REFERENCES feedback (seq) ON DELETE CASCADE)`,
    },
  },
);

/**
 * The words of each thread, in the form that `server/feedback/search/rules.ts` creates. SQLite must not divide these
 * words further. So it uses the tokenizer `ascii`, which divides a text only at ASCII characters that are neither
 * letters nor digits. The index does not store the positions of words. PostgreSQL gets the words as lexemes with the
 * prefixes of `marksInPostgres`.
 */
const wordIndex: readonly Statement[] = [
  { sqlite: "DROP TABLE feedback_search", postgres: "DROP INDEX feedback_search" },
  { sqlite: null, postgres: "DROP FUNCTION searched_feedback" },
  {
    sqlite: `CREATE VIRTUAL TABLE feedback_search USING fts5 (
      words, content = '', contentless_delete = 1, detail = 'none', tokenize = 'ascii', prefix = '3 4 5 6 7 8 9 10 11 12')`,
    postgres: `CREATE TABLE feedback_search (
      seq BIGINT PRIMARY KEY REFERENCES feedback (seq) ON DELETE CASCADE, words TSVECTOR NOT NULL)`,
  },
  {
    sqlite: "CREATE VIRTUAL TABLE feedback_search_words USING fts5vocab (feedback_search, row)",
    postgres: "CREATE INDEX feedback_search_words ON feedback_search USING gin (words)",
  },
];

const idOfThread = {
  feedback: "id",
  messages: "feedback_id",
  runs: "feedback_id",
  thread_tags: "feedback_id",
};

/**
 * A trigger that records that the words of a thread have changed. It runs in the transaction of the change.
 */
interface Noted {
  readonly name: string;
  readonly when: string;
  /** Selects the `seq` of the changed threads. */
  readonly threads: string;
  /** Whether a search must stop finding the thread by its old words immediately. */
  readonly forgets: boolean;
}

const threadOf = (id: string): string => `SELECT f.seq FROM feedback f WHERE f.id = ${id}`;

/**
 * Returns the triggers that add a thread to the queue of the index when a row with its texts is added, changed or
 * deleted.
 */
const notedRows = (
  of: Exclude<keyof typeof idOfThread, "feedback">,
  columns: string | undefined,
): Noted[] => {
  const id = idOfThread[of];
  const changed: Noted = {
    ...{ name: `${of}_changed_words`, when: `AFTER UPDATE OF ${columns} ON ${of}` },
    ...{ threads: threadOf(`NEW.${id}`), forgets: true },
  };
  return [
    {
      ...{ name: `${of}_added_words`, when: `AFTER INSERT ON ${of}` },
      ...{ threads: threadOf(`NEW.${id}`), forgets: false },
    },
    ...(columns === undefined ? [] : [changed]),
    {
      ...{ name: `${of}_removed_words`, when: `AFTER DELETE ON ${of}` },
      ...{ threads: threadOf(`OLD.${id}`), forgets: true },
    },
  ];
};

const reportColumns = "subject, source, sender_name, sender_email, metadata, files";

const noted: readonly Noted[] = [
  {
    ...{ name: "feedback_added_words", when: "AFTER INSERT ON feedback" },
    ...{ threads: threadOf("NEW.id"), forgets: false },
  },
  {
    ...{ name: "feedback_changed_words", when: `AFTER UPDATE OF message, ${reportColumns} ON feedback` },
    ...{ threads: threadOf("NEW.id"), forgets: true },
  },
  {
    ...{
      name: "feedback_changed_marks",
      when: "AFTER UPDATE OF status, category, github_issue_url ON feedback",
    },
    ...{ threads: threadOf("NEW.id"), forgets: false },
  },
  ...notedRows("messages", `body, direction, foreign_from, ${reportColumns}`),
  ...notedRows("runs", "summary, plan, decision_note"),
  ...notedRows("thread_tags", undefined),
  {
    ...{ name: "tags_changed_words", when: "AFTER UPDATE OF name ON tags" },
    threads:
      "SELECT f.seq FROM thread_tags x JOIN feedback f ON f.id = x.feedback_id WHERE x.tag_id = NEW.id",
    forgets: true,
  },
];

function triggerOf({ name, when, threads, forgets }: Noted): Statement[] {
  const note = `INSERT INTO threads_to_index (feedback_seq) ${threads}
    ON CONFLICT (feedback_seq) DO UPDATE SET changes = threads_to_index.changes + 1`;
  const forget = (key: string) =>
    forgets ? `DELETE FROM feedback_search WHERE ${key} IN (${threads}); ` : "";
  return [
    {
      sqlite: null,
      postgres: `CREATE FUNCTION note_${name}() RETURNS trigger LANGUAGE plpgsql AS '
        BEGIN ${forget("seq")}${note}; RETURN NULL; END'`,
    },
    {
      sqlite: `CREATE TRIGGER ${name} ${when} BEGIN ${forget("rowid")}${note}; END`,
      postgres: `CREATE TRIGGER ${name} ${when} FOR EACH ROW EXECUTE FUNCTION note_${name}()`,
    },
  ];
}

/**
 * Replaces the search index. The old index had only the words of each thread's first report. The new index has all
 * words of each thread. It is empty at first, and a background job adds the newest threads first.
 */
export const wordSearch: readonly Statement[] = [
  ...wordIndex,
  ...statementsOf(threadsToIndex),
  ...noted.flatMap(triggerOf),
  {
    sqlite:
      "CREATE TRIGGER feedback_removed_words AFTER DELETE ON feedback BEGIN DELETE FROM feedback_search WHERE rowid = OLD.seq; END",
    postgres: null,
  },
  "INSERT INTO threads_to_index (feedback_seq) SELECT seq FROM feedback",
];

const threadsOfBoth = "SELECT f.seq FROM feedback f WHERE f.id IN (OLD.feedback_id, NEW.feedback_id)";

const notedLater: readonly Noted[] = [
  {
    ...{ name: "uploads_added_words", when: "AFTER INSERT ON uploads" },
    ...{ threads: threadOf("NEW.feedback_id"), forgets: false },
  },
  {
    ...{ name: "uploads_changed_words", when: "AFTER UPDATE OF file_name, feedback_id ON uploads" },
    ...{ threads: threadsOfBoth, forgets: true },
  },
  {
    ...{ name: "uploads_removed_words", when: "AFTER DELETE ON uploads" },
    ...{ threads: threadOf("OLD.feedback_id"), forgets: true },
  },
  {
    ...{ name: "messages_moved_words", when: "AFTER UPDATE OF feedback_id ON messages" },
    ...{ threads: threadsOfBoth, forgets: true },
  },
  {
    ...{ name: "runs_moved_words", when: "AFTER UPDATE OF feedback_id ON runs" },
    ...{ threads: threadsOfBoth, forgets: true },
  },
];

/**
 * The triggers that add threads to the queue of the index after changes of file names, and after rows were moved to
 * another thread.
 */
export const wordsOfFiles: readonly Statement[] = notedLater.flatMap(triggerOf);

/**
 * Makes PostgreSQL add new words to the index immediately. By default, PostgreSQL first collects 4 MB of new words in
 * a list. Each search would then read the whole list once for each range. The batch that fills the list would have to
 * wait until all these words are added to the index.
 */
export const searchWithoutList: readonly Statement[] = [
  { sqlite: null, postgres: "ALTER INDEX feedback_search_words SET (fastupdate = off)" },
  { sqlite: null, postgres: "SELECT gin_clean_pending_list('feedback_search_words')" },
];
