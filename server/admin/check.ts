import { nightlyWarning } from "../backup/rules.ts";
import { integrityFaults, nightlyRecord } from "../backup/store.ts";
import { systemClock } from "../clock.ts";
import type { Database, Reader } from "../database/database.ts";
import { FolderInUse, lockFolder } from "../database/folder-lock.ts";
import { isCurrent } from "../database/migrate.ts";
import { migrations } from "../database/migrations.ts";
import { type Files, FilesUnavailable } from "../files/files.ts";
import { hashOfStream } from "../files/hash.ts";
import { createStoreMark } from "../files/s3-files.ts";
import {
  type StoredFile,
  storedFiles,
  strayFiles,
  sweepFiles,
  type UploadReference,
  uploads,
} from "../files/store.ts";
import { type DataLocation, SettingError } from "../settings/settings.ts";
import { assertPlace, bindFiles, filesFolder, openFiles, openKeptFiles } from "../start/open-files.ts";
import { type GivenSecrets, secretFaultIn } from "./data-location.ts";

/** An upload that was removed because its file was missing or damaged. */
interface LostFile extends UploadReference {
  readonly sha256: string;
  readonly fault: FileFault["kind"];
}

/**
 * Removes references to missing and damaged files, and deletes unused files. Throws a SettingError if all files
 * are missing.
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

/** Returns the error for the case that all files are missing. The folder is probably not mounted. */
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
    // The size is read again, because a client may have sent the same file in the meantime.
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

interface CheckResult {
  readonly ok: true;
  readonly files: number;
  /** The number of files without references. The server deletes these files within a day. */
  readonly orphans: number;
}

/** Checks the database, its secret and all files. Throws an Error that lists all faults. */
export async function checkAll(
  database: Database,
  location: DataLocation,
  given: GivenSecrets,
): Promise<CheckResult> {
  const faults = await integrityFaults(database);
  if (!(await isCurrent(database, migrations)))
    faults.push("The schema is older than this program. Run `innkeep admin migrate`.");
  else {
    await assertPlace(database, location);
    const wrongSecret = await secretFaultIn(given, location, database);
    if (wrongSecret) faults.push(wrongSecret.message);
  }
  // This reads an object, because S3 explains wrong settings only in a body. HEAD requests get no body.
  if (location.s3) await createStoreMark(location.s3).read();
  const files = openFiles(location);
  const stored = await readStoredFiles(database, files);
  faults.push(...stored.faults.map(({ text }) => text));
  if (stored.faults.length > 0) faults.push("`innkeep admin repair` removes the references to these files.");
  let orphans = 0;
  for await (const strays of strayFiles(database, files)) orphans += strays.length;
  if (faults.length === 0) return { ok: true, files: stored.count, orphans };
  throw new Error(`The check found faults:\n${faults.map((fault) => `- ${fault}`).join("\n")}`);
}

/** Checks that the S3 store can be read and listed. Returns its address. Throws an Error that describes the problem. */
export async function checkStore({ s3 }: DataLocation): Promise<{ place: string }> {
  if (!s3) throw new SettingError("INNKEEP_S3_URL is not set.");
  const mark = createStoreMark(s3);
  await mark.read();
  await mark.holdsFiles();
  return { place: `${s3.address}/${s3.prefix}` };
}

interface FileFault {
  readonly sha256: string;
  readonly kind: "missing" | "damaged";
  /** The message about the fault for the operator. */
  readonly text: string;
}

/** Reads every stored file. Returns the number of files and the faults. */
export async function readStoredFiles(reader: Reader, files: Files) {
  const faults: FileFault[] = [];
  let count = 0;
  for await (const file of storedFiles(reader)) {
    const fault = await faultOf(files, file);
    if (fault) faults.push(fault);
    count += 1;
  }
  return { count, faults };
}

async function faultOf(files: Files, { sha256, size }: StoredFile): Promise<FileFault | undefined> {
  const present = await files.size(sha256);
  if (present === undefined) return { sha256, kind: "missing", text: `The file ${sha256} is missing.` };
  const damaged = (text: string): FileFault => ({ sha256, kind: "damaged", text });
  if (present !== size) return damaged(`The file ${sha256} has ${present} bytes, not ${size}.`);
  if ((await hashOf(files, sha256)) === sha256) return undefined;
  return damaged(`The file ${sha256} is damaged.`);
}

/** Returns the SHA-256 in hex; undefined if the file cannot be read. Throws FilesUnavailable if S3 does not answer. */
const hashOf = (files: Files, sha256: string): Promise<string | undefined> =>
  files
    .open(sha256)
    .then(hashOfStream)
    .catch((error) => {
      // If the S3 store does not answer, it is unknown whether the file can be read.
      if (error instanceof FilesUnavailable) throw error;
      return undefined;
    });

/** Returns when a nightly backup was last verified (ISO 8601), and a warning. Both may be null. */
export async function readNightly(reader: Reader) {
  const nightly = await nightlyRecord.find(reader);
  return {
    provenAt: nightly?.lastGood?.at ?? null,
    warning: (nightly && nightlyWarning(nightly, systemClock.now())) ?? null,
  };
}
