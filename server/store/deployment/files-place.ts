import type { Reader, Transaction } from "../engine/database.ts";

export type FilesPlace = "folder" | "s3";

const name = "files";

/** Where the files of the deployment are. */
export const filesPlace = {
  /** A deployment from before there was a choice has them in the folder. */
  async find(reader: Reader): Promise<FilesPlace> {
    const row = await reader.get<{ value: string }>("SELECT value FROM deployment WHERE name = ?", name);
    return row?.value === "s3" ? "s3" : "folder";
  },

  async replace(tx: Transaction, place: FilesPlace): Promise<void> {
    await tx.run("DELETE FROM deployment WHERE name = ?", name);
    if (place !== "folder") await tx.insert("deployment", { name, value: place });
  },
};
