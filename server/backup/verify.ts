import { join } from "node:path";
import type { Database, Reader } from "../database/database.ts";
import { isUnavailable } from "../database/errors.ts";
import { type DatabaseAddress, openDatabase } from "../database/open.ts";
import { storedFiles } from "../files/store.ts";
import { SettingError } from "../settings/settings.ts";
import { isLocked, unlock } from "../start/unlock.ts";
import {
  type Archive,
  archiveFaults,
  fileEntries,
  identitiesIn,
  openArchive,
  secretName,
} from "./archive.ts";
import { type Backup, loadDatabase, messageOf, readBackup } from "./load.ts";
import { assertFreeSpace, inScratch, scratchDatabase } from "./scratch.ts";
import { integrityFaults } from "./store.ts";

export interface VerifyOrder {
  readonly file: string;
  /** The file with the secret keys for an encrypted backup. */
  readonly identity?: string | undefined;
  /** The folder in which `verify` creates a temporary folder with the restored database. */
  readonly scratch?: string | undefined;
}

/**
 * Proves that a backup can be restored: compares all bytes and restores it. Throws an Error with all faults.
 * (rule O20)
 */
export async function verify({ file, identity, scratch }: VerifyOrder) {
  const faults: string[] = [];
  const identities = await identitiesIn(identity);
  const archive = await openArchive(file, { identities, onFault: (fault) => faults.push(fault) });
  try {
    for await (const fault of archiveFaults(archive)) faults.push(fault);
    if (faults.length > 0) throw unreliable(file, faults);
    const backup = await readBackup(archive);
    const found = await inScratch(scratch, (folder) => restoreInto(folder, backup));
    if (found.faults.length > 0) throw unreliable(file, found.faults);
    const { rows, missing, secret } = found;
    return { file, verified: true, rows, files: fileEntries(archive).length, missing, secret };
  } finally {
    await archive.close();
  }
}

const mostShown = 100;

function unreliable(file: string, faults: readonly string[]): Error {
  const more = faults.length - mostShown;
  const lines = [...faults.slice(0, mostShown), ...(more > 0 ? [`${more} more faults`] : [])];
  return new Error(
    `${file} is damaged, or is not a backup:\n${lines.map((fault) => `- ${fault}`).join("\n")}`,
  );
}

async function restoreInto(folder: string, backup: Backup) {
  await assertFreeSpace(folder, spaceFor(backup.archive));
  const address = { file: join(folder, scratchDatabase) };
  const loaded = await load(address, backup);
  if ("fault" in loaded) return { rows: 0, missing: [], secret: "", faults: loaded.fault.split("\n") };
  const { rows, lost } = loaded;
  const { deleted = [], missing = lost } = backup.contents ?? {};
  // Opening the database applies the migrations that are newer than the backup.
  const database = await openDatabase(address);
  try {
    const faults = [
      ...(await integrityFaults(database)),
      ...(await fileFaults(database, backup.archive)),
      ...lost
        .filter((sha256) => !deleted.includes(sha256) && !missing.includes(sha256))
        .map((sha256) => `The backup does not contain the file ${sha256}, but rows refer to it.`),
    ];
    const secret = await secretIn(database, backup.archive);
    return { rows, missing: lost.filter((sha256) => missing.includes(sha256)), secret, faults };
  } finally {
    await database.close();
  }
}

/** Returns the needed space in bytes. A database needs more space than its rows, for example for indexes. */
const spaceFor = ({ entries }: Archive): number =>
  16 * 1_048_576 +
  4 * entries.reduce((sum, { name, size }) => sum + (name.startsWith("database/") ? size : 0), 0);

/** Returns a fault if the backup cannot be restored. Throws an Error if the disk is full. */
async function load(address: DatabaseAddress, backup: Backup) {
  try {
    return await loadDatabase(address, backup);
  } catch (error) {
    if (!(error instanceof Error) || !isUnavailable(error)) return { fault: messageOf(error) };
    throw new Error(`The scratch folder cannot be written: ${error.message}`, { cause: error });
  }
}

/** Returns a fault for each file with a wrong size. The content was already compared with its hash. */
async function fileFaults(reader: Reader, archive: Archive): Promise<string[]> {
  const sizes = new Map(fileEntries(archive).map(([sha256, { size }]) => [sha256, size]));
  const faults: string[] = [];
  for await (const { sha256, size } of storedFiles(reader))
    if (sizes.get(sha256) !== size)
      faults.push(`The file ${sha256} has ${sizes.get(sha256)} bytes, not ${size}.`);
  return faults;
}

/** Returns a text that says whether the backup contains the secret for the encrypted values of the database. */
async function secretIn(database: Database, archive: Archive): Promise<string> {
  const entry = archive.entries.find(({ name }) => name === secretName);
  if (!(await isLocked(database)))
    return entry ? "in the backup" : "not needed, because nothing is encrypted yet";
  if (entry === undefined) return elsewhere;
  const opens = unlock(database, { secret: await archive.readText(entry), old: [] });
  return opens.then(
    () => "in the backup",
    (error) => {
      if (error instanceof SettingError) return elsewhere;
      throw error;
    },
  );
}

const elsewhere = "not in the backup, so a restore needs the current INNKEEP_SECRET";
