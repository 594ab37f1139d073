import type { AuditChange } from "../../../src/contract/audit.ts";
import type { Transaction, Value } from "../../database/database.ts";

/**
 * Removes the subjects of threads from audit entries, because senders wrote these texts. The entries still show that a
 * subject was changed.
 */
export async function forgetSubjects(tx: Transaction, threads: string, ...values: Value[]): Promise<void> {
  const entries = await tx.all<{ id: string; changes: string }>(
    `SELECT id, changes FROM audit
     WHERE changes IS NOT NULL AND target IN ${threads} AND action = 'thread.update' AND changes LIKE '%"subject"%'`,
    ...values,
  );
  for (const { id, changes } of entries) {
    const all: readonly AuditChange[] = JSON.parse(changes);
    const left = all.map((change) => (change.field === "subject" ? { field: change.field } : change));
    await tx.run("UPDATE audit SET changes = ? WHERE id = ?", JSON.stringify(left), id);
  }
}
