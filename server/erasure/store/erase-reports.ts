import { forgetSubjects } from "../../access/audit/forget-subjects.ts";
import type { Transaction } from "../../database/database.ts";
import { threadsTopic } from "../../database/signals.ts";
import { removeThread } from "../../feedback/removal/store.ts";
import { indexAgain } from "../../feedback/search/store/search.ts";
import { mailOriginals } from "../../mail/incoming/store.ts";
import { erasedMark } from "../addresses.ts";
import type { Cells } from "./find.ts";
import { type Effect, noEffect, type Person } from "./person.ts";

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

/** Deletes the uploads that reports name. Gives the SHA-256 of their files. */
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
