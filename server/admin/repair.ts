import type { Database } from "../database/database.ts";
import { FolderInUse, lockFolder } from "../database/folder-lock.ts";
import type { Files } from "../files/files.ts";
import { sweepFiles } from "../files/stray-files.ts";
import { type UploadReference, uploads } from "../files/uploads-store.ts";
import { SettingError } from "../settings/setting-error.ts";
import type { DataLocation } from "../settings/settings.ts";
import { bindFiles, filesFolder, openFiles, openKeptFiles } from "../start/open-files.ts";
import { type FileFault, readStoredFiles } from "./check.ts";

/** An upload that was removed because its file was missing or damaged. */
export interface LostFile extends UploadReference {
  readonly sha256: string;
  readonly fault: FileFault["kind"];
}

/**
 * Removes references to missing and damaged files, moves damaged files to the folder `files/damaged`, and deletes files
 * without references. With SQLite the last step needs a stopped server. Returns the removed uploads and the number of
 * deleted files. Throws a SettingError if the folder contains the files of another database, or none of the stored
 * files.
 */
export async function repair(database: Database, location: DataLocation) {
  await bindFiles(database, location);
  const files = openFiles(location);
  const { count, faults } = await readStoredFiles(database, files);
  const missing = faults.filter(({ kind }) => kind === "missing").length;
  if (count > 1 && missing === count) throw allMissing(count, location);
  const lost: LostFile[] = [];
  for (const fault of faults) lost.push(...(await remove(database, files, fault)));
  return { lost, deletedOrphans: await deleteOrphans(database, files, location) };
}

/** Returns the error for the case that all files are missing. Then the folder is probably not mounted. */
const allMissing = (count: number, location: DataLocation) =>
  new SettingError(
    location.s3
      ? `None of the ${count} stored files is in the storage that INNKEEP_S3_URL names. Correct INNKEEP_S3_URL, or restore a backup. Nothing was changed.`
      : `None of the ${count} stored files is in ${filesFolder(location)}. Mount that folder, or restore a backup. Nothing was changed.`,
  );

async function remove(database: Database, files: Files, { sha256, kind }: FileFault): Promise<LostFile[]> {
  if (kind === "damaged") await files.setAside(sha256);
  return database.write(async (tx) => {
    await tx.lock(`file:${sha256}`);
    // The file is checked again, because a client may have sent the same file in the meantime.
    if ((await files.size(sha256)) !== undefined) return [];
    const holders = await uploads.references(tx, sha256);
    await uploads.removeBySha256(tx, sha256);
    return holders.map((holder) => ({ sha256, fault: kind, ...holder }));
  });
}

async function deleteOrphans(
  database: Database,
  files: Files,
  location: DataLocation,
): Promise<number | string> {
  const keptFiles = openKeptFiles(database, files, location);
  if (location.databaseUrl !== undefined) return sweepFiles({ database, files, keptFiles });
  try {
    const lock = await lockFolder(location.data, { patienceMs: 0 });
    return await sweepFiles({ database, files, keptFiles }).finally(lock.release);
  } catch (error) {
    if (error instanceof FolderInUse) return "The running server deletes them within a day.";
    throw error;
  }
}
