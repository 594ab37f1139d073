import type { FoundIn } from "../../../../src/contract/threads.ts";
import type { Reader } from "../../../database/database.ts";
import { type HasName, indexedAddress, indexedTag, kinds, type ThreadText, wordsIn } from "../rules.ts";

/** All data of a thread that the search uses. */
export interface ThreadWords {
  readonly seq: number;
  readonly id: string;
  readonly appId: string;
  readonly status: string;
  readonly category: string;
  /** The texts. Of equally good texts, the search shows the first one. */
  readonly texts: readonly TimedText[];
  /** Words for the index that are in no text, such as those for the operators `tag:`, `from:` and `has:`. */
  readonly marks: readonly string[];
}

/** A text of a thread. `at` is the time of its message or plan; undefined for other texts. */
export interface TimedText extends ThreadText {
  readonly at: string | undefined;
}

/** The number of a thread's newest messages that are searched. */
export const mostMessages = 500;

/**
 * After this number of characters, no more text of a thread is indexed. The query for messages counts bytes
 * instead.
 */
export const mostText = 262_144;

export interface TextsRead {
  /** The number of each thread's newest messages that are read. */
  readonly most: number;
  /** Whether the names and addresses of senders are left out. */
  readonly withoutSenders: boolean;
}

export async function textsOf(
  reader: Reader,
  seqs: readonly number[],
  { most = mostMessages, withoutSenders = false }: Partial<TextsRead> = {},
): Promise<ThreadWords[]> {
  if (seqs.length === 0) return [];
  const threads = await reader.all<ThreadRow>(threadsSql(seqs), ...seqs);
  const ids = threads.map(({ id }) => id);
  if (ids.length === 0) return [];
  const [messages, plans, tags, files] = await Promise.all([
    reader.all<MessageRow>(messagesSql[reader.engine](ids), ...ids, most).then(byThread),
    reader.all<RunRow>(runsSql(ids), ...ids).then(byThread),
    reader.all<TagRow>(tagsSql(ids), ...ids).then(byThread),
    reader.all<FileRow>(filesSql(ids), ...ids).then(byThread),
  ]);
  return threads.map((thread) =>
    wordsOf(thread, {
      withoutSenders,
      messages: messages.get(thread.id) ?? [],
      runs: plans.get(thread.id) ?? [],
      tags: tags.get(thread.id) ?? [],
      files: files.get(thread.id) ?? [],
    }),
  );
}

interface ReportRow {
  readonly subject: string | null;
  readonly source: string | null;
  readonly senderName: string | null;
  readonly senderEmail: string | null;
  readonly metadata: string | null;
}

interface ThreadRow extends ReportRow {
  readonly seq: number;
  readonly id: string;
  readonly appId: string;
  readonly status: string;
  readonly type: string;
  readonly message: string;
  readonly issue: string | null;
}

interface MessageRow extends ReportRow {
  readonly feedbackId: string;
  readonly direction: string;
  /** The type of a repeated report; null in other messages. */
  readonly type: string | null;
  readonly createdAt: string;
  readonly body: string;
  readonly foreignFrom: string | null;
}

interface RunRow {
  readonly feedbackId: string;
  readonly summary: string;
  readonly plan: string;
  readonly note: string | null;
  readonly createdAt: string;
}

interface TagRow {
  readonly feedbackId: string;
  readonly name: string;
  readonly key: string;
}

interface FileRow {
  readonly feedbackId: string;
  readonly fileName: string | null;
  readonly mediaType: string;
}

interface Rows {
  readonly withoutSenders: boolean;
  readonly messages: readonly MessageRow[];
  readonly runs: readonly RunRow[];
  readonly tags: readonly TagRow[];
  readonly files: readonly FileRow[];
}

function byThread<Row extends { readonly feedbackId: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const lists = new Map<string, Row[]>();
  for (const row of rows) {
    const list = lists.get(row.feedbackId);
    if (list) list.push(row);
    else lists.set(row.feedbackId, [row]);
  }
  return lists;
}

const placesOf = (values: readonly unknown[]): string => values.map(() => "?").join(", ");

const reportColumns = `subject, source, sender_name AS "senderName", sender_email AS "senderEmail", metadata`;

const threadsSql = (seqs: readonly number[]): string =>
  `SELECT seq, id, app_id AS "appId", status, category AS type, message, github_issue_url AS issue, ${reportColumns}
   FROM feedback WHERE seq IN (${placesOf(seqs)})`;

const lengthOfMessage = ["m.body", "m.subject", "m.metadata"]
  .map((column) => `coalesce(octet_length(${column}), 0)`)
  .join(" + ");

const newestOfThread = `WHERE n.feedback_id = f.id AND n.direction <> 'blocked'
  ORDER BY n.created_at DESC, n.id DESC LIMIT ?`;

/** Returns SQL for the newest messages of each thread, up to `mostText` bytes of text. */
const withNewest = (threads: string): string =>
  `SELECT m.feedback_id AS "feedbackId", m.direction, m.category AS type, m.created_at AS "createdAt", m.body,
     m.foreign_from AS "foreignFrom", m.subject, m.source, m.sender_name AS "senderName", m.sender_email AS "senderEmail", m.metadata
   FROM (SELECT m.id, ${lengthOfMessage} AS bytes, sum(${lengthOfMessage})
           OVER (PARTITION BY m.feedback_id ORDER BY m.created_at DESC, m.id DESC) AS total
         FROM ${threads}) AS newest CROSS JOIN messages m
   WHERE m.id = newest.id AND newest.total - newest.bytes < ${mostText} ORDER BY m.feedback_id, m.created_at, m.id`;

const messagesSql = {
  sqlite: (ids: readonly string[]): string =>
    withNewest(`feedback f CROSS JOIN messages m
      WHERE f.id IN (${placesOf(ids)}) AND m.id IN (SELECT n.id FROM messages n ${newestOfThread})`),
  postgres: (ids: readonly string[]): string =>
    withNewest(`(SELECT id FROM feedback WHERE id IN (${placesOf(ids)})) AS f
      CROSS JOIN LATERAL (SELECT n.* FROM messages n ${newestOfThread}) AS m`),
};

const runsSql = (ids: readonly string[]): string =>
  `SELECT feedback_id AS "feedbackId", summary, plan, decision_note AS note, created_at AS "createdAt" FROM runs
   WHERE feedback_id IN (${placesOf(ids)}) ORDER BY created_at DESC, id DESC`;

const tagsSql = (ids: readonly string[]): string =>
  `SELECT x.feedback_id AS "feedbackId", t.name, t.name_key AS key FROM thread_tags x JOIN tags t ON t.id = x.tag_id
   WHERE x.feedback_id IN (${placesOf(ids)}) ORDER BY t.name_key`;

// Leaves out the originals of mails, because the sender did not attach them.
const filesSql = (ids: readonly string[]): string =>
  `SELECT feedback_id AS "feedbackId", file_name AS "fileName", media_type AS "mediaType" FROM uploads
   WHERE feedback_id IN (${placesOf(ids)}) AND media_type <> 'message/rfc822' ORDER BY created_at, name`;

type GivenText = readonly [kind: FoundIn, text: string | null, at?: string];

function wordsOf(thread: ThreadRow, rows: Rows): ThreadWords {
  const { seq, id, appId, status, type } = thread;
  const reports = [thread, ...rows.messages.filter((one) => one.type !== null)];
  const texts: readonly GivenText[] = [
    ["subject", thread.subject],
    ["report", thread.message],
    ...rows.runs.flatMap(({ summary, plan, note, createdAt }): GivenText[] => [
      ["plan", summary, createdAt],
      ["plan", plan, createdAt],
      ["note", note, createdAt],
    ]),
    ...rows.messages.flatMap((one): GivenText[] => {
      const kind = kindOf(one);
      return [
        [kind, one.subject, one.createdAt],
        [kind, one.body, one.createdAt],
      ];
    }),
    ...(rows.withoutSenders ? [] : sendersOf(reports, rows)),
    ...rows.tags.map(({ name }) => ["tag", name] as const),
    ...rows.files.map(({ fileName }) => ["file", fileName] as const),
    ...reports.flatMap(({ metadata }) => valuesIn(metadata).map((value) => ["metadata", value] as const)),
    ...reports.filter(({ source }) => isSpecific(source)).map(({ source }) => ["source", source] as const),
  ];
  return { seq, id, appId, status, category: type, texts: distinct(texts), marks: marksOf(thread, rows) };
}

const sendersOf = (reports: readonly ReportRow[], { messages }: Rows): [FoundIn, string | null][] => [
  ...reports.flatMap(({ senderName, senderEmail }): [FoundIn, string | null][] => [
    ["sender", senderName],
    ["sender", senderEmail],
  ]),
  ...messages.map(({ foreignFrom }): [FoundIn, string | null] => ["sender", foreignFrom]),
];

const directions: Readonly<Record<string, FoundIn>> = { outbound: "reply", note: "note" };

const kindOf = ({ direction, type }: MessageRow): FoundIn =>
  type === null ? (directions[direction] ?? "answer") : "repeat";

/**
 * Whether a source has several words. A one-word source is found only with `source:`, because very many
 * threads have it. (rule F57)
 */
const isSpecific = (source: string | null): boolean => source !== null && wordsIn(source).length > 1;

/** Removes empty texts and repeated texts. Repeated reports of a failure often have the same texts. */
function distinct(texts: readonly GivenText[]): TimedText[] {
  const seen = new Set<string>();
  const kept: TimedText[] = [];
  for (const [kind, text, at] of texts) {
    if (text === null || text === "" || seen.has(text)) continue;
    seen.add(text);
    kept.push({ kind, text, at });
  }
  return kept;
}

/** Returns all values in metadata as texts, including the values in lists and objects. */
function valuesIn(json: string | null): string[] {
  if (json === null || json === "{}") return [];
  const values: string[] = [];
  const add = (value: unknown): void => {
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
      values.push(String(value));
    else if (typeof value === "object" && value !== null) for (const one of Object.values(value)) add(one);
  };
  add(JSON.parse(json));
  return values;
}

function marksOf(thread: ThreadRow, { messages, runs, tags, files }: Omit<Rows, "withoutSenders">): string[] {
  const marks = new Set<string>();
  const reports = [thread, ...messages];
  for (const { senderName, senderEmail, source } of reports) {
    if (senderEmail !== null) marks.add(indexedAddress(senderEmail));
    for (const { word } of wordsIn(`${senderName ?? ""} ${senderEmail ?? ""}`))
      marks.add(kinds.sender + word);
    for (const { word } of wordsIn(source ?? "")) marks.add(kinds.source + word);
  }
  for (const { key } of tags) marks.add(indexedTag(key));
  for (const name of thingsOf(thread, { messages, runs, files })) marks.add(kinds.has + name);
  return [...marks];
}

function thingsOf(
  { issue }: ThreadRow,
  { messages, runs, files }: Omit<Rows, "tags" | "withoutSenders">,
): HasName[] {
  const found = new Set(messages.map(kindOf));
  return [
    ...(files.length > 0 ? (["file"] as const) : []),
    ...(files.some(isImage) ? (["image"] as const) : []),
    ...(files.some(({ mediaType }) => mediaType.startsWith("video/")) ? (["video"] as const) : []),
    ...(["answer", "reply", "note"] as const).filter((kind) => found.has(kind)),
    ...(runs.length > 0 ? (["plan"] as const) : []),
    ...(issue !== null ? (["issue"] as const) : []),
  ];
}

const isImage = ({ mediaType, fileName }: FileRow): boolean =>
  mediaType.startsWith("image/") || /\.(?:png|jpe?g|gif|webp|heic)$/i.test(fileName ?? "");
