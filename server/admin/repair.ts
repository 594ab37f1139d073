import { sweepFiles } from "../background/stray-files.ts";
import type { Files } from "../files/files.ts";
import { createKeptFiles } from "../files/kept-files.ts";
import { createLocalFiles } from "../files/local-files.ts";
import { SettingError } from "../settings/setting-error.ts";
import { bindFolder } from "../start/bind-folder.ts";
import { FolderInUse, lockFolder } from "../store/deployment/folder-lock.ts";
import type { Database } from "../store/engine/database.ts";
import { type Holder, uploads } from "../store/requests/uploads.ts";
import { type DeploymentPlace, filesFolder } from "./deployment-place.ts";
import { type FileFault, readStoredFiles } from "./stored-files.ts";

/** What became of a file that was missing or damaged. */
export interface LostFile extends Holder {
  readonly sha256: string;
  readonly fault: FileFault["kind"];
}

/**
 * Removes what refers to missing files, sets damaged ones aside in the folder `files/damaged`, and deletes files to which
 * nothing refers. With SQLite the server must be stopped for the last. Gives all that it did. Throws a SettingError where
 * the folder holds the files of another database, or none of the stored files.
 */
export async function repair(database: Database, place: DeploymentPlace) {
  await bindFolder(database, place);
  const files = createLocalFiles(filesFolder(place));
  const { count, faults } = await readStoredFiles(database, files);
  const missing = faults.filter(({ kind }) => kind === "missing").length;
  if (count > 1 && missing === count) throw allMissing(count, place);
  const lost: LostFile[] = [];
  for (const fault of faults) lost.push(...(await remove(database, files, fault)));
  return { lost, deletedOrphans: await deleteOrphans(database, files, place) };
}

/** Much more often the folder is not mounted than every file is lost. */
const allMissing = (count: number, place: DeploymentPlace) =>
  new SettingError(
    `None of the ${count} stored files is in ${filesFolder(place)}. Mount that folder, or restore a backup. Nothing was changed.`,
  );

async function remove(database: Database, files: Files, { sha256, kind }: FileFault): Promise<LostFile[]> {
  if (kind === "damaged") await files.setAside(sha256);
  return database.write(async (tx) => {
    await tx.lock(`file:${sha256}`);
    // Somebody may have sent the same file again meanwhile.
    if ((await files.size(sha256)) !== undefined) return [];
    const holders = await uploads.holders(tx, sha256);
    await uploads.removeBySha256(tx, sha256);
    return holders.map((holder) => ({ sha256, fault: kind, ...holder }));
  });
}

async function deleteOrphans(
  database: Database,
  files: Files,
  place: DeploymentPlace,
): Promise<number | string> {
  const keptFiles = createKeptFiles(files, (decide) => uploads.inTurn(database, decide));
  if (place.databaseUrl !== undefined) return sweepFiles({ database, files, keptFiles });
  try {
    const lock = await lockFolder(place.data, { patienceMs: 0 });
    return await sweepFiles({ database, files, keptFiles }).finally(lock.release);
  } catch (error) {
    if (error instanceof FolderInUse) return "The running server deletes them within a day.";
    throw error;
  }
}
