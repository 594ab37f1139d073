import { apps } from "../../access/apps/store.ts";
import type { Transaction } from "../../database/database.ts";
import { credentialsTopic, threadsTopic } from "../../database/signals.ts";
import { indexAgain } from "../../feedback/search/store/search.ts";
import { personalData } from "../tables.ts";
import type { Cells, Key, SearchedTable } from "./find.ts";
import { keyOf, whereKey } from "./find.ts";
import { type Effect, type ErasureCount, noEffect, type Person } from "./person.ts";
import { authorColumns, type SearchedTableName, searchedTables } from "./searched-tables.ts";

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
export function textColumns(name: SearchedTableName): readonly string[] {
  const holds = personalData[name]?.holds ?? {};
  return [holds.address, holds.name, holds.text, holds.json].flatMap((columns) => columns ?? []);
}

/** The columns with names that programs make, in which the address may be a part. */
export const nameColumns = (name: SearchedTableName): readonly string[] =>
  personalData[name]?.holds.key ?? [];

/** Makes the step that replaces the address in the texts of a row, and empties the columns that name the account. (rule P4) */
export function replaceTexts(name: SearchedTableName, count: ErasureCount = "texts") {
  const table: SearchedTable = searchedTables[name];
  const json = new Set(personalData[name]?.holds.json ?? []);
  const accounts = authorColumns[name] ?? [];
  return async (tx: Transaction, { finder, accountId }: Person, row: Cells): Promise<Effect> => {
    const changed: Record<string, string | null> = {};
    for (const column of textColumns(name)) {
      const old = row[column] ?? null;
      if (old !== null && finder.isIn(old))
        changed[column] = json.has(column) ? finder.eraseJson(old) : finder.erase(old);
    }
    for (const column of nameColumns(name)) {
      const old = row[column] ?? null;
      if (old !== null && finder.isInName(old)) changed[column] = finder.eraseInName(old);
    }
    for (const column of accounts)
      if (accountId !== null && row[column] === accountId) changed[column] = null;
    if (Object.keys(changed).length === 0) return noEffect;
    await update(tx, table, { row, changed });
    if (name in afterwards) await afterwards[name]?.(tx, row);
    tx.signal(credentialsTopic);
    tx.signal(threadsTopic);
    return { counts: { [count]: 1 }, files: [] };
  };
}

interface Change {
  readonly row: Cells;
  readonly changed: Record<string, string | null>;
}

async function update(tx: Transaction, table: SearchedTable, { row, changed }: Change): Promise<void> {
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
