import { apps } from "../../access/apps/store.ts";
import { forgetSubjects } from "../../access/audit/forget-subjects.ts";
import type { Transaction } from "../../database/database.ts";
import { columnsHolding } from "../../database/schema/table.ts";
import { credentialsTopic, threadsTopic } from "../../database/signals.ts";
import { runClaims } from "../../feedback/agent-work/store/claims.ts";
import { later } from "../../feedback/proposals/rules.ts";
import {
  expiredApprovals,
  type ProposalRow,
  proposals,
  type Recording,
  recordServerStep,
} from "../../feedback/proposals/store.ts";
import { removeThread } from "../../feedback/removal/store.ts";
import { indexAgain } from "../../feedback/search/store/search.ts";
import { mailOriginals } from "../../mail/incoming/store.ts";
import { erasedMark } from "../addresses.ts";
import {
  type Cells,
  type Key,
  keyOf,
  type SearchedTable,
  type SearchedTableName,
  searchedTable,
  whereKey,
} from "./find.ts";
import { type Effect, type ErasureCount, noEffect, type Person } from "./person.ts";

/** Makes the step that deletes a row. */
export const deleteRow =
  (table: SearchedTable, count: ErasureCount) =>
  async (tx: Transaction, _: Person, row: Cells): Promise<Effect> => ({
    counts: { [count]: await removeRow(tx, table, keyOf(table, row)) },
    files: [],
  });

const removeRow = (tx: Transaction, table: SearchedTable, key: Key): Promise<number> =>
  tx.run(`DELETE FROM ${table.name} WHERE ${whereKey(table)}`, ...key);

/** The columns of a table in which an address may stand. */
export const textColumns = (name: SearchedTableName): readonly string[] =>
  columnsHolding(searchedTable(name).table, "address", "name", "text", "json");

/** Those of them with JSON. */
export const jsonColumns = (name: SearchedTableName): ReadonlySet<string> =>
  new Set(columnsHolding(searchedTable(name).table, "json"));

/** The columns with names that programs make, in which the address may be a part. */
export const nameColumns = (name: SearchedTableName): readonly string[] =>
  columnsHolding(searchedTable(name).table, "key");

/** The columns that name the account of the person who acted. */
export const authorColumns = (name: SearchedTableName): readonly string[] =>
  columnsHolding(searchedTable(name).table, "author");

/** Makes the step that replaces the address in the texts of a row, and empties the columns that name the account. (rule P4) */
export function replaceTexts(name: SearchedTableName, count: ErasureCount = "texts") {
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
    if (name in afterwards) await afterwards[name]?.(tx, row);
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
  // Two rows may become the same: one of them stays.
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

const exists = async (tx: Transaction, table: SearchedTable, key: Key): Promise<boolean> =>
  (await tx.get(`SELECT 1 AS one FROM ${table.name} WHERE ${whereKey(table)}`, ...key)) !== undefined;

type Afterwards = (tx: Transaction, row: Cells) => Promise<unknown>;

/** What else depends on a text: the search, and lists that others remember by their version. */
const afterwards: Readonly<Partial<Record<SearchedTableName, Afterwards>>> = {
  feedback: (tx, { id }) => indexAgain(tx, id ?? ""),
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

/** Makes the step that locks the app of a row before the row. */
export const lockAppOf =
  (table: "faqs" | "changelog_entries") =>
  async (tx: Transaction, [id = ""]: Key): Promise<void> => {
    const row = await tx.get<{ appId: string }>(`SELECT app_id AS "appId" FROM ${table} WHERE id = ?`, id);
    if (row) await apps.lock(tx, row.appId);
  };

/** Blanks the person in an act of the audit, and where an own act came from. The act is kept. */
export async function eraseAudit(tx: Transaction, person: Person, row: Cells): Promise<Effect> {
  if (person.finder.isIn(row.actor ?? null))
    await tx.run("UPDATE audit SET address = NULL WHERE id = ?", row.id ?? null);
  return replaceTexts("audit", "audit")(tx, person, row);
}

/** The most different senders of a thread whose addresses are compared. With more, others reported too. */
const mostSenders = 200;

/** Deletes a thread that has reports of its first sender alone. Blanks the first report if others reported too. (rule P3) */
export async function eraseThread(tx: Transaction, person: Person, { id }: Cells): Promise<Effect> {
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
  const conversation = await removeConversation(tx, id);
  const files = await removeUploads(tx, [report?.files ?? null]);
  await tx.run(
    `UPDATE feedback SET subject = ?, message = ?, source = NULL, sender_name = NULL, sender_email = NULL, metadata = '{}',
       files = ?, link_counter = link_counter + 1 WHERE id = ?`,
    erasedMark,
    erasedMark,
    JSON.stringify({ images: [], videos: [], attachments: [] }),
    id,
  );
  await forgetSubjects(tx, "(?)", id);
  await indexAgain(tx, id);
  tx.signal(threadsTopic);
  return { counts: { reports: 1, messages: conversation.count }, files: [...conversation.files, ...files] };
}

/** Deletes a repeat, or an answer by mail, of the person, with what was said about it. (rule P3) */
export async function eraseMessage(tx: Transaction, _: Person, { id }: Cells): Promise<Effect> {
  if (!id) return noEffect;
  const conversation = await removeConversation(tx, id);
  const own = await removeMessages(tx, "id = ?", id);
  tx.signal(threadsTopic);
  return {
    counts: { messages: conversation.count + own.count },
    files: [...conversation.files, ...own.files],
  };
}

/** Deletes the answers of the sender of a report, and the replies to them alone. */
const removeConversation = (tx: Transaction, reportId: string) =>
  removeMessages(tx, "report_id = ? AND everyone = 0", reportId);

async function removeMessages(tx: Transaction, where: string, value: string) {
  // Without an index on `report_id`: the thread of the report has one on its messages.
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

/** Deletes the original of a mail with its bytes. */
export const eraseOriginal = async (tx: Transaction, _: Person, { id }: Cells): Promise<Effect> => ({
  counts: { mails: 1 },
  files: await mailOriginals.remove(tx, id ?? ""),
});

/** Deletes the uploads that reports name. Returns the SHA-256 of their files. */
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

/** Lets no other step of the proposal's thread happen until the transaction ends. */
export async function lockThreadOf(tx: Transaction, [id = ""]: Key): Promise<void> {
  const run = await proposals.findOwned(tx, id);
  if (run) await tx.lock(run.feedbackId);
}

/** What a person reads and an agent carries out. */
const words = ["summary", "plan", "decision_note"] as const;

const note = "An address was erased from this proposal. Propose it again if it is still wanted.";

/**
 * Ends a proposal whose words have just been changed, unless its work is done: no person has read the words that are left. One that
 * waits is sent back, and an approval is recalled, also from a worker. (rule P12)
 */
export async function endChangedProposal(
  tx: Transaction,
  { person: { finder }, row }: { readonly person: Person; readonly row: Cells },
  recording: Recording,
): Promise<void> {
  if (!words.some((column) => finder.isIn(row[column] ?? null))) return;
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
    await runClaims.release(tx, run.claimId, ended);
    await recordServerStep(tx, run, { ...recording, action: "run.release" });
  }
  await proposals.recall(tx, run.id, ended);
  return recordServerStep(tx, run, { ...recording, action: "run.recall", decision: "recalled" });
}

const latestOf = ({ decidedAt, claimedAt }: ProposalRow): string | null =>
  [decidedAt, claimedAt]
    .filter((at) => at !== null)
    .sort()
    .at(-1) ?? null;
