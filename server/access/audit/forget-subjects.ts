import type { AuditChange } from "../../../src/contract/audit.ts";
import type { Transaction, Value } from "../../database/database.ts";

/** Blanks the subjects of threads in the audit, which are words of their senders. That a subject was changed stays. */
export async function forgetSubjects(tx: Transaction, threads: string, ...values: Value[]): Promise<void> {
  const acts = await tx.all<{ id: string; changes: string }>(
    `SELECT id, changes FROM audit
     WHERE changes IS NOT NULL AND target IN ${threads} AND action = 'thread.update' AND changes LIKE '%"subject"%'`,
    ...values,
  );
  for (const { id, changes } of acts) {
    const all: readonly AuditChange[] = JSON.parse(changes);
    const left = all.map((change) => (change.field === "subject" ? { field: change.field } : change));
    await tx.run("UPDATE audit SET changes = ? WHERE id = ?", JSON.stringify(left), id);
  }
}
