import { randomBytes } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { receivedFile } from "../../src/contract/received-file.ts";
import { secondFactors } from "../access/sign-in-methods/store.ts";
import { addressOf, databaseFile } from "../admin/data-location.ts";
import type { GivenSecrets } from "../admin/secrets.ts";
import { type LockOptions, lockFolder } from "../database/folder-lock.ts";
import { type DatabaseAddress, openDatabase } from "../database/open.ts";
import type { JournalEntry } from "../erasure/journal.ts";
import { filesPlace } from "../files/store.ts";
import type { DataLocation } from "../settings/settings.ts";
import { adoptPlace } from "../start/bind-files.ts";
import { openFiles } from "../start/open-files.ts";
import { eraseRestored, keepJournal, readJournals } from "./erase-restored.ts";
import { fileEntries, secretName } from "./format.ts";
import { fullDisk } from "./full-disk.ts";
import { identitiesIn } from "./keys.ts";
import { type Backup, loadDatabase, readBackup } from "./load.ts";
import { type Archive, openArchive } from "./read-archive.ts";
import { assertEmptyDatabase, assertEmptyFolder, claimStoreFor } from "./restore-target.ts";
import { withRestoredSecret } from "./restored-secret.ts";
import { verifyArchive } from "./verify-archive.ts";

/**
 * Restores a backup of either engine after it has verified all of it. The folder or database must be empty: existing data is
 * never changed. Erases the people again that the server has erased since. Gives the numbers of rows, files, accounts
 * that must make new recovery codes, and people who were erased again. Throws an Error with a message for the operator.
 */
export async function restore(location: DataLocation, order: Order, waiting: LockOptions = {}) {
  const { file, erasures, erasuresFile, identity, ...given } = order;
  const entries = await readJournals(location, { backup: file, named: erasures ?? erasuresFile });
  const archive = await openArchive(file, { identities: await identitiesIn(identity) });
  try {
    await verifyArchive(archive);
    const backup = { ...(await readBackup(archive)), given, entries };
    await assertEmptyFolder(location);
    await mkdir(location.data, { recursive: true, mode: 0o700 });
    if (location.databaseUrl === undefined)
      return await withLock(location, waiting, () => restoreFolder(location, backup));
    await assertEmptyDatabase(location.databaseUrl, backup.header);
    return await restoreAll(location, addressOf(location), backup);
  } finally {
    await archive.close();
  }
}

export interface Order extends GivenSecrets {
  readonly file: string;
  readonly erasures?: string | undefined;
  readonly erasuresFile?: string | undefined;
  /** The file of the keys that an encrypted backup is read with. */
  readonly identity?: string | undefined;
}

interface Restoring extends Backup {
  readonly given: GivenSecrets;
  readonly entries: readonly JournalEntry[];
}

/** Locks the folder during the work, so that no server starts in it. */
async function withLock<Result>(location: DataLocation, waiting: LockOptions, work: () => Promise<Result>) {
  const lock = await lockFolder(location.data, waiting);
  try {
    await assertEmptyFolder(location);
    return await work();
  } catch (error) {
    throw fullDisk(error, {
      place: location.data,
      needs: "A restore needs room for the database and the files.",
    });
  } finally {
    await lock.release();
  }
}

/** The database gets its name last, so that no server can start with an incomplete database. */
const restoreFolder = (location: DataLocation, backup: Restoring) =>
  inDraft(location, (draft) => restoreAll(location, { file: draft }, backup));

/** Gives the database its name when the work is done. If the work fails, nothing is left of the database. */
async function inDraft<Result>(
  location: DataLocation,
  work: (draft: string) => Promise<Result>,
): Promise<Result> {
  const draft = `${databaseFile(location)}.${randomBytes(8).toString("hex")}`;
  try {
    const result = await work(draft);
    await rename(draft, databaseFile(location));
    return result;
  } catch (error) {
    for (const ending of ["", "-wal", "-shm", "-journal"]) await rm(draft + ending, { force: true });
    throw error;
  }
}

async function restoreAll(location: DataLocation, address: DatabaseAddress, backup: Restoring) {
  await claimStoreFor(location, backup);
  const files = await restoreFiles(location, backup.archive);
  return withRestoredSecret(location, await secretIn(backup.archive), async () => ({
    files,
    ...(await restoreRows(location, address, backup)),
  }));
}

async function restoreRows(location: DataLocation, address: DatabaseAddress, backup: Restoring) {
  const { given, entries } = backup;
  await keepJournal(location, entries);
  const { rows } = await loadDatabase(address, backup);
  const database = await openDatabase(address);
  try {
    await database.write((tx) => filesPlace.replace(tx, location.s3 ? "s3" : "folder"));
    if (location.s3 || location.databaseUrl === undefined) await adoptPlace(database, location);
    // Opening has applied the migrations that are newer than the backup. Backups of older versions hold recovery codes.
    const withoutRecoveryCodes = await database.write((tx) => secondFactors.endRecoveryCodes(tx));
    const erasedAgain = await eraseRestored({ database, location, given }, entries);
    return { rows, withoutRecoveryCodes, erasedAgain, note: erasedAreBack };
  } finally {
    await database.close();
  }
}

export const erasedAreBack =
  "People who were erased after this backup was made are in the data again if no journal names them: docs/privacy.md.";

async function restoreFiles(location: DataLocation, archive: Archive): Promise<number> {
  const files = openFiles(location);
  const entries = fileEntries(archive);
  for (const [, entry] of entries) {
    const draft = files.createTemporary(entry.size);
    for await (const chunk of archive.read(entry)) draft.write(chunk);
    const written = await draft.finishUnchanged();
    await files.keep(receivedFile({ ...written, declaredType: null, name: null, fault: null }));
  }
  return entries.length;
}

async function secretIn(archive: Archive): Promise<string | undefined> {
  const entry = archive.entries.find(({ name }) => name === secretName);
  return entry && archive.readText(entry);
}
