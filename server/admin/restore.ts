import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { receivedFile } from "../../src/contract/files/received-file.ts";
import { createLocalFiles } from "../files/local-files.ts";
import type { DataLocation } from "../settings/settings.ts";
import { secondFactors } from "../store/access/sign-in/second-factors.ts";
import { type LockOptions, lockFolder } from "../store/deployment/folder-lock.ts";
import { type DatabaseAddress, openDatabase } from "../store/engine/open.ts";
import { type Archive, openArchive, verifyArchive } from "./archive/archive-reader.ts";
import { fileEntries, readHeader, secretName } from "./archive/backup-format.ts";
import { addressOf, databaseFile, exists, filesFolder, secretFile } from "./data-location.ts";
import { type Backup, loadDatabase, schemaOf } from "./load-database.ts";
import { assertEmptyDatabase, assertEmptyFolder } from "./restore-target.ts";

/**
 * Restores a backup of either engine after it has verified all of it. The folder or database must be empty: existing data is
 * never changed. Gives the numbers of rows, files, and accounts
 * that must make new recovery codes. Throws an Error with a message for the operator.
 */
export async function restore(location: DataLocation, file: string, waiting: LockOptions = {}) {
  const archive = await openArchive(file);
  try {
    await verifyArchive(archive);
    const header = await readHeader(archive);
    const backup = { archive, header };
    schemaOf(header);
    await assertEmptyFolder(location);
    await mkdir(location.data, { recursive: true, mode: 0o700 });
    if (location.databaseUrl === undefined)
      return await withLock(location, waiting, () => restoreFolder(location, backup));
    await assertEmptyDatabase(location.databaseUrl, header);
    return await restoreAll(location, addressOf(location), backup);
  } finally {
    await archive.close();
  }
}

/** Locks the folder during the work, so that no server starts in it. */
async function withLock<Result>(location: DataLocation, waiting: LockOptions, work: () => Promise<Result>) {
  const lock = await lockFolder(location.data, waiting);
  try {
    await assertEmptyFolder(location);
    return await work();
  } finally {
    await lock.release();
  }
}

/** The database gets its name last, so that no server can start with an incomplete database. */
async function restoreFolder(location: DataLocation, backup: Backup) {
  const draft = `${databaseFile(location)}.${randomBytes(8).toString("hex")}`;
  try {
    const restored = await restoreAll(location, { file: draft }, backup);
    await rename(draft, databaseFile(location));
    return restored;
  } catch (error) {
    for (const ending of ["", "-wal", "-shm"]) await rm(draft + ending, { force: true });
    throw error;
  }
}

const erasedAreBack =
  "People who were erased after this backup was made are in it again. Erase them again: docs/privacy.md.";

async function restoreAll(location: DataLocation, address: DatabaseAddress, backup: Backup) {
  const files = await restoreFiles(location, backup.archive);
  await restoreSecret(location, backup.archive);
  const rows = await loadDatabase(address, backup);
  return { rows, files, withoutRecoveryCodes: await endRecoveryCodes(address), note: erasedAreBack };
}

/** Opening applies the migrations that are newer than the backup. Backups of older versions hold recovery codes. */
async function endRecoveryCodes(address: DatabaseAddress): Promise<number> {
  const database = await openDatabase(address);
  try {
    return await database.write((tx) => secondFactors.endRecoveryCodes(tx));
  } finally {
    await database.close();
  }
}

async function restoreFiles(location: DataLocation, archive: Archive): Promise<number> {
  const files = createLocalFiles(filesFolder(location));
  const entries = fileEntries(archive);
  for (const [, entry] of entries) {
    const draft = files.createTemporary(entry.size);
    for await (const chunk of archive.read(entry)) draft.write(chunk);
    const written = await draft.finish();
    await files.keep(receivedFile({ ...written, declaredType: null, name: null, fault: null }));
  }
  return entries.length;
}

async function restoreSecret(location: DataLocation, archive: Archive): Promise<void> {
  const entry = archive.entries.find(({ name }) => name === secretName);
  if (!entry || (await exists(secretFile(location)))) return;
  await writeFile(secretFile(location), await archive.readText(entry), { mode: 0o600, flush: true });
}
