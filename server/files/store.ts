import type { Reader, Transaction } from "../database/database.ts";
import * as tables from "../database/schema/deployment.ts";

export type FilesPlace = "folder" | "s3";

const placeName = "files";

/** The storage of the files of a deployment, as recorded in the database. */
export const filesPlace = {
  /**
   * Returns the storage. A deployment that uses the local folder has no row.
   */
  async find(reader: Pick<Reader, "get">): Promise<FilesPlace> {
    const row = await reader.get<{ value: string }>("SELECT value FROM deployment WHERE name = ?", placeName);
    return row?.value === "s3" ? "s3" : "folder";
  },

  /**
   * Returns the storage, and locks it, so that it cannot be changed until the transaction ends. Call this before the
   * transaction adds an upload.
   */
  async hold(tx: Pick<Transaction, "engine" | "get" | "run">): Promise<FilesPlace> {
    if (tx.engine === "postgres") await tx.run("LOCK TABLE uploads IN ROW EXCLUSIVE MODE");
    return filesPlace.find(tx);
  },

  /**
   * Records a new storage. Before that, it waits for the end of all transactions that add uploads to the old storage.
   */
  async replace(tx: Transaction, place: FilesPlace): Promise<void> {
    if (tx.engine === "postgres") await tx.run("LOCK TABLE uploads IN SHARE ROW EXCLUSIVE MODE");
    await tx.run("DELETE FROM deployment WHERE name = ?", placeName);
    if (place !== "folder") await tx.insert(tables.deployment, { name: placeName, value: place });
  },
};

/** The id of the deployment. It is in the database, in the mark of the storage of files, and in backups. */
export const deploymentId = {
  async find(reader: Reader): Promise<string | undefined> {
    return (await reader.get<{ value: string }>("SELECT value FROM deployment WHERE name = 'id'"))?.value;
  },

  insert: (tx: Transaction, id: string) => tx.insert(tables.deployment, { name: "id", value: id }),
};
