import type { Reader, Transaction } from "../database/database.ts";

/** The id that a database and its data folder share. Backups contain it. */
export const deploymentId = {
  async find(reader: Reader): Promise<string | undefined> {
    return (await reader.get<{ value: string }>("SELECT value FROM deployment WHERE name = 'id'"))?.value;
  },

  insert: (tx: Transaction, id: string) => tx.insert("deployment", { name: "id", value: id }),
};
