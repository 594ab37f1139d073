import { erased, integer, type Statement, statementsOf, table } from "./table.ts";

/** The number of threads in a large group of the search index. PostgreSQL lexemes with `inRange` name it. */
export const rangeOfSearch = 8_000;
/** The number of threads in a small group. Only PostgreSQL has small groups. Lexemes with `place` name them. */
export const newestOfSearch = 1_000;

/**
 * The words for a thread's app, status, type and group begin with these characters. Typed words never contain
 * them.
 */
export const marksInSqlite = { app: "\uE000", status: "\uE001", type: "\uE002", range: "\uE003" };

/**
 * The prefixes of lexemes (index entries). Each word of a thread has a lexeme with `inApp` and one with
 * `inRange`.
 */
export const marksInPostgres = {
  ...{ app: "=a", status: "=s", type: "=t", place: "=r" },
  ...{ inApp: "=w", inRange: "=v" },
} as const;

/**
 * Returns the lexeme of `word` in an app. The ids of two apps may end with the same eight characters, so
 * a search also compares the whole id.
 */
export const wordInApp = (appId: string, word: string): string =>
  `${marksInPostgres.inApp}${appId.slice(-8)}.${word}`;
export const wordInRange = (range: number, word: string): string =>
  `${marksInPostgres.inRange}${range}.${word}`;

// PostgreSQL treats an address or a path as one word. With spaces instead of punctuation, the search finds each part.
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

// Only 200 characters of a word are indexed, because a query has at most 200 characters.
const lexemes = `SELECT array_to_tsvector(
    ARRAY[''${marksInPostgres.app}'' || app, ''${marksInPostgres.status}'' || status, ''${marksInPostgres.type}'' || category,
      ''${marksInPostgres.place}'' || CAST(seq / ${newestOfSearch} AS text)] ||
    ARRAY(SELECT place || left(word, 200) FROM unnest(tsvector_to_array(to_tsvector(''simple'', texts))) AS word,
      unnest(ARRAY[''${marksInPostgres.inApp}'' || right(app, 8) || ''.'',
        ''${marksInPostgres.inRange}'' || CAST(seq / ${rangeOfSearch} AS text) || ''.'']) AS place))`;

/** The first search index. The migration "search whole threads" replaces it. */
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
 * PostgreSQL plans a PL/pgSQL function once for each connection. It would plan an SQL function again for each changed
 * thread.
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
 * The index of the words from `server/feedback/search/rules.ts`. The tokenizer `ascii` does not divide these
 * words further.
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

/** Returns triggers that add a thread to `threads_to_index` when a row with texts of the thread changes. */
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

/** Replaces the search index with an index of whole threads. A background job fills the new index. */
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

/** The triggers for added, renamed and removed files, and for rows that are moved to another thread. */
export const wordsOfFiles: readonly Statement[] = notedLater.flatMap(triggerOf);

/**
 * Makes PostgreSQL index new words immediately. Otherwise each search would read a list of new words several
 * times.
 */
export const searchWithoutList: readonly Statement[] = [
  { sqlite: null, postgres: "ALTER INDEX feedback_search_words SET (fastupdate = off)" },
  { sqlite: null, postgres: "SELECT gin_clean_pending_list('feedback_search_words')" },
];
