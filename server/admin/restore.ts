import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { receivedFile } from "../../src/contract/received-file.ts";
import { createLocalFiles } from "../files/local-files.ts";
import { type LockOptions, lockFolder } from "../store/deployment/folder-lock.ts";
import { type DatabaseAddress, openDatabase } from "../store/engine/open.ts";
import { type Archive, openArchive, verifyArchive } from "./archive/archive-reader.ts";
import { type BackupHeader, fileEntries, readHeader, secretName } from "./archive/backup-format.ts";
import {
  addressOf,
  type DeploymentPlace,
  databaseFile,
  exists,
  filesFolder,
  secretFile,
} from "./deployment-place.ts";
import { loadDatabase, schemaOf } from "./load-database.ts";
import { assertEmptyDatabase, assertEmptyFolder } from "./restore-target.ts";

/**
 * Puts a backup of either engine in place, once all of it is verified. The place must be empty: what is there already is
 * never touched. Gives how much it put there.
 */
export async function restore(place: DeploymentPlace, file: string, waiting: LockOptions = {}) {
  const archive = await openArchive(file);
  try {
    await verifyArchive(archive);
    const header = await readHeader(archive);
    schemaOf(header);
    await assertEmptyFolder(place);
    await mkdir(place.data, { recursive: true, mode: 0o700 });
    if (place.databaseUrl === undefined)
      return await alone(place, waiting, () => restoreFolder(place, archive, header));
    await assertEmptyDatabase(place.databaseUrl, header);
    return await restoreAll(place, addressOf(place), archive, header);
  } finally {
    await archive.close();
  }
}

/** Locks the folder, so that no server starts in it meanwhile. */
async function alone<Result>(place: DeploymentPlace, waiting: LockOptions, work: () => Promise<Result>) {
  const lock = await lockFolder(place.data, waiting);
  try {
    await assertEmptyFolder(place);
    return await work();
  } finally {
    await lock.release();
  }
}

/** The database gets its name last: a server that starts before finds none. */
async function restoreFolder(place: DeploymentPlace, archive: Archive, header: BackupHeader) {
  const draft = `${databaseFile(place)}.${randomBytes(8).toString("hex")}`;
  try {
    const restored = await restoreAll(place, { file: draft }, archive, header);
    await rename(draft, databaseFile(place));
    return restored;
  } catch (error) {
    for (const ending of ["", "-wal", "-shm"]) await rm(draft + ending, { force: true });
    throw error;
  }
}

async function restoreAll(
  place: DeploymentPlace,
  address: DatabaseAddress,
  archive: Archive,
  header: BackupHeader,
) {
  const files = await restoreFiles(place, archive);
  await restoreSecret(place, archive);
  const rows = await loadDatabase(address, archive, header);
  // What has come since the backup was made.
  await openDatabase(address).then((database) => database.close());
  return { rows, files };
}

async function restoreFiles(place: DeploymentPlace, archive: Archive): Promise<number> {
  const files = createLocalFiles(filesFolder(place));
  const entries = fileEntries(archive);
  for (const [, entry] of entries) {
    const draft = files.createTemporary(entry.size);
    for await (const chunk of archive.read(entry)) draft.write(chunk);
    const written = await draft.finish();
    await files.keep(receivedFile({ ...written, declaredType: null, name: null, fault: null }));
  }
  return entries.length;
}

async function restoreSecret(place: DeploymentPlace, archive: Archive): Promise<void> {
  const entry = archive.entries.find(({ name }) => name === secretName);
  if (!entry || (await exists(secretFile(place)))) return;
  await writeFile(secretFile(place), await archive.readText(entry), { mode: 0o600, flush: true });
}
