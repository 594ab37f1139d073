import { reportTexts } from "../../../src/contract/report-texts.ts";
import { apps } from "../../access/apps/store.ts";
import { forgetSubjects } from "../../access/audit/store.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/feedback.ts";
import { columnsHolding, loweredAddress } from "../../database/schema/table.ts";
import { columnOf, credentialsTopic, threadsTopic } from "../../database/transaction.ts";
import { releaseClaim } from "../../feedback/agent-work/end-claim.ts";
import { outbox } from "../../feedback/chat/store.ts";
import { merges } from "../../feedback/merge/store.ts";
import { later } from "../../feedback/proposals/rules.ts";
import {
  expiredApprovals,
  type ProposalRow,
  proposals,
  type Recording,
  recordServerStep,
} from "../../feedback/proposals/store.ts";
import { removeThread } from "../../feedback/threads/store/removal.ts";
import { mailOriginals } from "../../mail/incoming/store.ts";
import { notices } from "../../notices/waiting/store.ts";
import { addressesIn, addressesInJson, erasedMark } from "../rules.ts";
import {
  type Cells,
  type Effect,
  type ErasureCount,
  type ErasureScope,
  findMentions,
  inScope,
  type Key,
  keyOf,
  noEffect,
  type Person,
  type Search,
  type SearchedTable,
  type SearchedTableName,
  searchedTable,
  searchedTables,
  takeMention,
  whereKey,
} from "./find.ts";

/** The maximum number of rows that `findByAddress` reads for one column. */
const mostFound = 1_000;

/** A column that contains only the address of a person and that has an index. */
interface AddressColumn {
  readonly table: SearchedTableName;
  readonly column: string;
  readonly count: PreviewedCount;
  /**
   * Whether the column contains the address as the person wrote it. If not, it contains the normalised address.
   */
  readonly asWritten?: true;
}

const addressColumns: readonly AddressColumn[] = [
  { table: "feedback", column: "sender_email", count: "threads", asWritten: true },
  { table: "messages", column: "sender_email", count: "messages", asWritten: true },
  { table: "messages", column: "foreign_from", count: "messages", asWritten: true },
  { table: "mails", column: "recipient", count: "mails" },
  { table: "mail_addresses", column: "recipient", count: "mails" },
  { table: "mail_originals", column: "recipient", count: "mails" },
  { table: "invitations", column: "email", count: "invitations" },
  { table: "blocked_senders", column: "sender", count: "mails" },
];

/** The keys of the rows of a table that contain the address of a person. */
export interface FoundRows {
  readonly table: string;
  readonly count: PreviewedCount;
  readonly keys: readonly Key[];
}

/** Returns the rows that the person sent or received, at most 1,000 for each column. (rule P13) */
export async function findByAddress(
  reader: Reader,
  { person: { finder }, scope }: Erasing,
): Promise<FoundRows[]> {
  const found: FoundRows[] = [];
  for (const { table: name, column, count, asWritten } of addressColumns) {
    const table = searchedTable(name);
    const own = inScope(scope, table.app);
    const address = asWritten ? loweredAddress[reader.engine](`t.${column}`) : `t.${column}`;
    const rows = await reader.all<Cells>(
      `SELECT ${table.keys.map((key) => `t.${key}`).join(", ")} FROM ${name} t
       WHERE ${address} = ? AND t.${column} IS NOT NULL AND ${own.sql} LIMIT ${mostFound}`,
      finder.address,
      ...own.values,
    );
    found.push({ table: name, count, keys: rows.map((row) => keyOf(table, row)) });
  }
  return found;
}

const rowsAtOnce = 500;

/** Yields all addresses of people in lower case, in batches. An address may be yielded several times. */
export async function* addressesPresent(reader: Reader): AsyncGenerator<string[]> {
  const accounts = { name: "users", keys: ["id"] };
  for await (const rows of rowsOf(reader, accounts, ["email"]))
    yield rows.flatMap(({ email }) => addressesIn(email ?? ""));
  for (const { name } of searchedTables) yield* addressesInTable(reader, name);
}

async function* addressesInTable(reader: Reader, name: SearchedTableName): AsyncGenerator<string[]> {
  const json = jsonColumns(name);
  const columns = [...new Set([...textColumns(name), ...nameColumns(name)])];
  if (columns.length === 0) return;
  for await (const rows of rowsOf(reader, searchedTable(name), columns)) {
    const found = new Set<string>();
    for (const row of rows)
      for (const column of columns)
        for (const address of json.has(column)
          ? addressesInJson(row[column] ?? "")
          : addressesIn(row[column] ?? ""))
          found.add(address);
    yield [...found];
  }
}

/** Yields the rows in the order of the key. The server can answer requests between two batches. */
async function* rowsOf(
  reader: Reader,
  table: { readonly name: string; readonly keys: readonly string[] },
  columns: readonly string[],
): AsyncGenerator<Cells[]> {
  const keys = table.keys.join(", ");
  const listed = [...new Set([...table.keys, ...columns])].join(", ");
  for (let after: Key | undefined; ; ) {
    const where = after === undefined ? "" : `WHERE (${keys}) > (${after.map(() => "?").join(", ")})`;
    const rows = await reader.all<Cells>(
      `SELECT ${listed} FROM ${table.name} ${where} ORDER BY ${keys} LIMIT ${rowsAtOnce}`,
      ...(after ?? []),
    );
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = keyOf(table, last);
  }
}

/**
 * A pass counts its changes as one of these kinds. Other code counts `seats`. A preview does not count `files`
 * and `reports`.
 */
type PreviewedCount = Exclude<ErasureCount, "files" | "reports" | "seats">;

/** One part of an erasure: searches one table and changes each found row. */
interface Pass {
  readonly table: SearchedTableName;
  readonly columns: readonly string[];
  readonly names?: readonly string[];
  readonly accounts?: readonly string[];
  readonly count: PreviewedCount;
  readonly apply: (tx: Transaction, person: Person, row: Cells) => Promise<Effect>;
  /** Locks other data, such as the thread of a proposal. Called before the found row is read again. */
  readonly lock?: (tx: Transaction, key: Key) => Promise<void>;
  /** Makes further changes after the change of a row. `row` contains the old values of the row. */
  readonly settle?: (
    tx: Transaction,
    changed: { readonly person: Person; readonly row: Cells },
    recording: Recording,
  ) => Promise<void>;
}

/** The tables that have special passes. The general search for texts does not search these tables. */
const speciallySearched = new Set<string>([
  ...["audit", "imported_people", "invitations", "idempotency", "mail_addresses", "mail_originals"],
]);

/** Creates the function that deletes a row. */
const deleteRow =
  (table: SearchedTable, count: ErasureCount) =>
  async (tx: Transaction, _: Person, row: Cells): Promise<Effect> => ({
    counts: { [count]: await removeRow(tx, table, keyOf(table, row)) },
    files: [],
  });

const removeRow = (tx: Transaction, table: SearchedTable, key: Key): Promise<number> =>
  tx.run(`DELETE FROM ${table.name} WHERE ${whereKey(table)}`, ...key);

/** Returns the columns of a table that may contain an address. */
const textColumns = (name: SearchedTableName): readonly string[] =>
  columnsHolding(searchedTable(name).table, "address", "name", "text", "json");

/** Returns the text columns that contain JSON. */
const jsonColumns = (name: SearchedTableName): ReadonlySet<string> =>
  new Set(columnsHolding(searchedTable(name).table, "json"));

/** Returns the columns that contain names from programs. Such a name may contain the address of a person. */
const nameColumns = (name: SearchedTableName): readonly string[] =>
  columnsHolding(searchedTable(name).table, "key");

/** Returns the columns that contain the id of the account that did something. */
const authorColumns = (name: SearchedTableName): readonly string[] =>
  columnsHolding(searchedTable(name).table, "author");

const exists = async (tx: Transaction, table: SearchedTable, key: Key): Promise<boolean> =>
  (await tx.get(`SELECT 1 AS one FROM ${table.name} WHERE ${whereKey(table)}`, ...key)) !== undefined;

/** Updates what depends on a changed text, such as cached lists, unsent mails and chat messages. */
const updateDependents: Readonly<Partial<Record<SearchedTableName, UpdateDependents>>> = {
  // A search does not find the address in the escaped texts of chat messages. `forgetWords` deletes these
  // texts.
  async feedback(tx, { id }, changed) {
    await notices.recall(tx, "(?)", id ?? null);
    if (changed.has("subject")) await outbox.forgetWords(tx, id ?? "");
  },
  async runs(tx, { id }, changed) {
    if (changed.has("summary")) await outbox.forgetWords(tx, id ?? "");
  },
  faqs: (tx, { id }) =>
    tx.run(
      "UPDATE apps SET faqs_version = faqs_version + 1 WHERE id = (SELECT app_id FROM faqs WHERE id = ?)",
      id ?? null,
    ),
  changelog_entries: (tx, { id }) =>
    tx.run(
      `UPDATE apps SET changelog_version = changelog_version + 1
       WHERE id = (SELECT app_id FROM changelog_entries WHERE id = ?)`,
      id ?? null,
    ),
};

/**
 * A thread with this number of senders certainly has reports of other people, so the senders are not compared.
 */
const mostSenders = 200;

/** Deletes the answers from the sender of a report, and the replies that only this sender got. */
const removeConversation = (tx: Transaction, reportId: string) =>
  removeMessages(tx, "report_id = ? AND everyone = 0", reportId);

/** Deletes the original of an incoming mail together with its file. */
const eraseOriginal = async (tx: Transaction, _: Person, { id }: Cells): Promise<Effect> => ({
  counts: { mails: 1 },
  files: await mailOriginals.remove(tx, id ?? ""),
});

/**
 * The text columns of a proposal. A person decides on `summary` and `plan`. `decision_note` instructs the
 * agent.
 */
const proposalTexts = ["summary", "plan", "decision_note"] as const;

const note = "An address was erased from this proposal. Propose it again if it is still needed.";

const latestOf = ({ decidedAt, claimedAt }: ProposalRow): string | null =>
  [decidedAt, claimedAt]
    .filter((at) => at !== null)
    .sort()
    .at(-1) ?? null;

const textsEmptied = reportTexts.map(({ name }) => `${columnOf(tables.feedback, name)} = NULL`).join(", ");

/** The passes of an erasure: first for what the person sent and received, then for texts of other people. */
const passes: readonly Pass[] = [
  { table: "feedback", columns: ["sender_email"], count: "threads", apply: eraseThread },
  { table: "messages", columns: ["sender_email", "foreign_from"], count: "messages", apply: eraseMessage },
  deleting("mails", ["recipient"], "mails"),
  deleting("mail_addresses", ["recipient"], "mails"),
  deleting("imported_people", ["email"], "texts"),
  deleting("invitations", ["email"], "invitations"),
  deleting("blocked_senders", ["sender"], "mails"),
  { ...deleting("idempotency", ["body"], "answers"), names: ["key"] },
  { table: "audit", columns: textColumns("audit"), count: "audit", apply: eraseAudit },
  ...searchedTables
    .filter(({ name }) => !speciallySearched.has(name))
    .map(({ name }) => replacing(name))
    .map((pass) =>
      pass.table === "runs" ? { ...pass, lock: lockThreadOf, settle: endChangedProposal } : pass,
    ),
  // This pass must stay the last one. Running erasures, also of older servers, have stored the index of their pass.
  {
    ...{ table: "mail_originals", columns: textColumns("mail_originals"), count: "mails" },
    apply: eraseOriginal,
  },
];

/**
 * The passes for a deleted account. They remove the account from records of its actions, but keep its reports.
 */
const passesOfAccount: readonly Pass[] = [
  { table: "audit", columns: textColumns("audit"), count: "audit", apply: eraseAudit },
  replacing("tokens"),
  ...searchedTables.flatMap(({ name: table }): Pass[] => {
    const accounts = authorColumns(table);
    return accounts.length === 0
      ? []
      : [{ table, columns: [], accounts, count: "texts", apply: replaceTexts(table) }];
  }),
];

function deleting(table: SearchedTableName, columns: readonly string[], count: PreviewedCount): Pass {
  return { table, columns, count, apply: deleteRow(searchedTable(table), count) };
}

function replacing(table: SearchedTableName): Pass {
  const accounts = authorColumns(table);
  return {
    table,
    columns: textColumns(table),
    names: nameColumns(table),
    accounts,
    count: "texts",
    apply: replaceTexts(table),
  };
}

/** Creates the function that locks the app of a row. This must be done before the row is locked. */
const lockAppOf =
  (table: "faqs" | "changelog_entries") =>
  async (tx: Transaction, [id = ""]: Key): Promise<void> => {
    const row = await tx.get<{ appId: string }>(`SELECT app_id AS "appId" FROM ${table} WHERE id = ?`, id);
    if (row) await apps.lock(tx, row.appId);
  };

/** A change of one of these tables also updates the row of the app, so the app is locked first. */
const contentLocks: Readonly<Partial<Record<SearchedTableName, Pass["lock"]>>> = {
  faqs: lockAppOf("faqs"),
  changelog_entries: lockAppOf("changelog_entries"),
};

/** The point at which an erasure continues: in pass `pass`, after the row with the key `after`. */
export interface Place {
  readonly pass: number;
  readonly after: Key | undefined;
  /** Set to `account` if the erasure covers only the actions of a deleted account. */
  readonly of?: "account" | undefined;
  /** How many times a server has started to erase at this place. */
  readonly begun?: number | undefined;
}

export const firstPlace: Place = { pass: 0, after: undefined };

/** The first place of each pass. A preview searches once in every pass before it continues any pass. */
export const firstPlaces: readonly Place[] = passes.map((_, pass) => ({ pass, after: undefined }));

export const firstPlaceOfAccount: Place = { ...firstPlace, of: "account" };

const passAt = ({ pass, of }: Place): Pass | undefined => (of === "account" ? passesOfAccount : passes)[pass];

/** The rows that one step found, and the place at which the next step continues. */
export interface FoundThere {
  readonly table: string;
  readonly count: PreviewedCount;
  readonly keys: readonly Key[];
  readonly next: Place;
}

export interface Erasing {
  readonly person: Person;
  readonly scope: ErasureScope;
}

/** Looks for the person in the rows that follow the given place. Returns undefined after the last pass. */
export async function findAt(
  reader: Reader,
  { person, scope }: Erasing,
  place: Place,
): Promise<FoundThere | undefined> {
  const pass = passAt(place);
  if (!pass) return undefined;
  const { keys, next } = await findMentions(reader, searchOf(pass, scope), { person, after: place.after });
  return {
    table: pass.table,
    count: pass.count,
    keys,
    next:
      next === undefined
        ? { pass: place.pass + 1, after: undefined, of: place.of }
        : { pass: place.pass, after: next, of: place.of },
  };
}

/** Erases the person from the rows with these `keys`. First reads each row again: it may have changed. */
export async function eraseAt(
  tx: Transaction,
  { person, scope, newId, now }: Erasing & Recording,
  { place, keys }: { readonly place: Place; readonly keys: readonly Key[] },
): Promise<Effect[]> {
  const pass = passAt(place);
  if (!pass) return [noEffect];
  const effects: Effect[] = [];
  for (const key of keys) {
    await (pass.lock ?? contentLocks[pass.table])?.(tx, key);
    const row = await takeMention(tx, searchOf(pass, scope), { person, key });
    if (!row) continue;
    effects.push(await pass.apply(tx, person, row));
    await pass.settle?.(tx, { person, row }, { newId, now });
  }
  return effects;
}

const searchOf = ({ table, columns, names = [], accounts = [] }: Pass, scope: ErasureScope): Search => ({
  table: searchedTable(table),
  columns: { texts: columns, names, accounts },
  scope,
});

/** Replaces the address in the texts of a row and removes the id of the account. (rule P4) */
function replaceTexts(name: SearchedTableName, count: ErasureCount = "texts") {
  const table = searchedTable(name);
  const [texts, json, names] = [textColumns(name), jsonColumns(name), nameColumns(name)];
  const accounts = authorColumns(name);
  return async (tx: Transaction, { finder, accountId }: Person, row: Cells): Promise<Effect> => {
    const changed: Record<string, string | null> = {};
    for (const column of texts) {
      const old = row[column] ?? null;
      if (old !== null && finder.isIn(old))
        changed[column] = json.has(column) ? finder.eraseJson(old) : finder.erase(old);
    }
    for (const column of names) {
      const old = row[column] ?? null;
      if (old !== null && finder.isInName(old)) changed[column] = finder.eraseInName(old);
    }
    for (const column of accounts)
      if (accountId !== null && row[column] === accountId) changed[column] = null;
    if (Object.keys(changed).length === 0) return noEffect;
    await update(tx, table, row, changed);
    await updateDependents[name]?.(tx, row, new Set(Object.keys(changed)));
    tx.signal(credentialsTopic);
    tx.signal(threadsTopic);
    return { counts: { [count]: 1 }, files: [] };
  };
}

async function update(
  tx: Transaction,
  table: SearchedTable,
  row: Cells,
  changed: Record<string, string | null>,
): Promise<void> {
  const key = keyOf(table, row);
  const isKeyed = table.keys.some((column) => column in changed);
  // If the change would give this row the key of another row, this row is deleted instead.
  if (isKeyed && (await exists(tx, table, keyOf(table, { ...row, ...changed })))) {
    await removeRow(tx, table, key);
    return;
  }
  const columns = Object.keys(changed).map((column) => `${column} = ?`);
  await tx.run(
    `UPDATE ${table.name} SET ${columns.join(", ")} WHERE ${whereKey(table)}`,
    ...Object.values(changed),
    ...key,
  );
}

type UpdateDependents = (tx: Transaction, row: Cells, changed: ReadonlySet<string>) => Promise<unknown>;

/** Removes the person from an audit entry, and the network address if the person did the action. */
async function eraseAudit(tx: Transaction, person: Person, row: Cells): Promise<Effect> {
  if (person.finder.isIn(row.actor ?? null))
    await tx.run("UPDATE audit SET address = NULL WHERE id = ?", row.id ?? null);
  return replaceTexts("audit", "audit")(tx, person, row);
}

/** Deletes a thread if all reports are from this person. Otherwise erases only the first report. (rule P3) */
async function eraseThread(tx: Transaction, person: Person, { id }: Cells): Promise<Effect> {
  if (!id) return noEffect;
  await tx.lock(id);
  if (await hasOtherReports(tx, person, id)) return blankReport(tx, id);
  const { count, hashes } = await removeThread(tx, id);
  return { counts: { threads: count }, files: hashes };
}

async function hasOtherReports(tx: Transaction, { finder }: Person, feedbackId: string): Promise<boolean> {
  const senders = await tx.all<{ sender: string | null }>(
    `SELECT DISTINCT sender_email AS sender FROM messages
     WHERE feedback_id = ? AND category IS NOT NULL LIMIT ${mostSenders}`,
    feedbackId,
  );
  return senders.length === mostSenders || senders.some(({ sender }) => !finder.isIn(sender));
}

async function blankReport(tx: Transaction, id: string): Promise<Effect> {
  const report = await tx.get<{ files: string }>("SELECT files FROM feedback WHERE id = ?", id);
  await merges.noteErased(tx, id);
  const conversation = await removeConversation(tx, id);
  const files = await removeUploads(tx, [report?.files ?? null]);
  await tx.run(
    `UPDATE feedback SET subject = ?, message = ?, ${textsEmptied}, sender_name = NULL, sender_email = NULL, metadata = '{}',
       metadata_dropped = NULL, files = ?, link_counter = link_counter + 1 WHERE id = ?`,
    erasedMark,
    erasedMark,
    JSON.stringify({ images: [], videos: [], attachments: [] }),
    id,
  );
  await notices.recall(tx, "(?)", id);
  await outbox.forgetWords(tx, id);
  await forgetSubjects(tx, "(?)", id);
  tx.signal(threadsTopic);
  return { counts: { reports: 1, messages: conversation.count }, files: [...conversation.files, ...files] };
}

/** Deletes a message of the person and the conversation about the message. (rule P3) */
async function eraseMessage(tx: Transaction, _: Person, { id }: Cells): Promise<Effect> {
  if (!id) return noEffect;
  await merges.noteErased(tx, id);
  await outbox.forgetWords(tx, id);
  const conversation = await removeConversation(tx, id);
  const own = await removeMessages(tx, "id = ?", id);
  // The message may be the report of a merged thread, whose subject is in the audit log.
  await forgetSubjects(tx, "(?)", id);
  tx.signal(threadsTopic);
  return {
    counts: { messages: conversation.count + own.count },
    files: [...conversation.files, ...own.files],
  };
}

async function removeMessages(tx: Transaction, where: string, value: string) {
  // `report_id` has no index, so the query reads only the messages in the thread of the report.
  const inThread = `feedback_id IN (SELECT id FROM feedback WHERE id = ? UNION SELECT feedback_id FROM messages WHERE id = ?)`;
  const rows = await tx.all<{ id: string; files: string | null }>(
    `SELECT id, files FROM messages WHERE ${inThread} AND ${where}`,
    value,
    value,
    value,
  );
  const originals: string[] = [];
  for (const { id } of rows) {
    originals.push(...(await mailOriginals.remove(tx, id)));
    await tx.run("DELETE FROM mails WHERE subject_id = ?", id);
    await tx.run("DELETE FROM messages WHERE id = ?", id);
  }
  const uploads = await removeUploads(
    tx,
    rows.map(({ files }) => files),
  );
  return { count: rows.length, files: [...originals, ...uploads] };
}

/**
 * Deletes the uploads in `reports`, which are stored lists of files as JSON. Returns the hashes of the files.
 */
async function removeUploads(tx: Transaction, reports: readonly (string | null)[]): Promise<string[]> {
  const names = reports.flatMap(uploadsOf);
  const hashes: string[] = [];
  for (const name of names) {
    const upload = await tx.get<{ sha256: string }>(
      "DELETE FROM uploads WHERE name = ? RETURNING sha256",
      name,
    );
    if (upload) hashes.push(upload.sha256);
  }
  return hashes;
}

function uploadsOf(files: string | null): string[] {
  if (files === null) return [];
  const lists: Record<string, readonly { readonly upload: string }[]> = JSON.parse(files);
  return Object.values(lists).flatMap((list) => list.map(({ upload }) => upload));
}

/** Locks the thread of a proposal until the transaction ends. */
async function lockThreadOf(tx: Transaction, [id = ""]: Key): Promise<void> {
  const run = await proposals.findOwned(tx, id);
  if (run) await tx.lock(run.feedbackId);
}

/** Ends a proposal after a change of its text, because nobody has approved the new text. (rule P12) */
async function endChangedProposal(
  tx: Transaction,
  { person: { finder }, row }: { readonly person: Person; readonly row: Cells },
  recording: Recording,
): Promise<void> {
  if (!proposalTexts.some((column) => finder.isIn(row[column] ?? null))) return;
  const run = await proposals.findOwned(tx, row.id ?? "");
  if (!run || run.status === "rejected" || run.outcomeStatus !== null) return;
  if (run.status === "approved" && (await expiredApprovals.store(tx, run, recording))) return;
  const ended = { note, at: later(recording.now, latestOf(run)).toISOString(), by: null } as const;
  if (run.status === "awaiting_approval") {
    const decision = "request_changes";
    await proposals.decide(tx, run.id, { ...ended, status: "rejected", decision, expiresAt: null });
    return recordServerStep(tx, run, { ...recording, action: "run.request_changes", decision });
  }
  if (run.claimId !== null && run.releasedAt === null) {
    await releaseClaim(tx, run.claimId, ended);
    await recordServerStep(tx, run, { ...recording, action: "run.release" });
  }
  await proposals.recall(tx, run.id, ended);
  return recordServerStep(tx, run, { ...recording, action: "run.recall", decision: "recalled" });
}
