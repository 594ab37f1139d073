import { drillWarning } from "../backup/rules.ts";
import { drillRecord, integrityFaults } from "../backup/store.ts";
import { systemClock } from "../clock.ts";
import type { Database, Reader } from "../database/database.ts";
import { isCurrent } from "../database/migrate.ts";
import { migrations } from "../database/migrations.ts";
import { type Files, FilesUnavailable } from "../files/files.ts";
import { hashOfStream } from "../files/hash.ts";
import { createStoreMark } from "../files/s3-files.ts";
import { strayFiles } from "../files/stray-files.ts";
import { type StoredFile, storedFiles } from "../files/uploads-store.ts";
import { SettingError } from "../settings/setting-error.ts";
import type { DataLocation } from "../settings/settings.ts";
import { assertPlace, openFiles } from "../start/open-files.ts";

interface CheckResult {
  readonly ok: true;
  readonly files: number;
  /** The number of files without references. The server deletes these files within a day. */
  readonly orphans: number;
}

/**
 * Checks the database, and reads all files. Returns the number of files, and how many files have no references. Throws
 * an Error whose message lists all faults.
 */
export async function checkAll(database: Database, location: DataLocation): Promise<CheckResult> {
  const faults = await integrityFaults(database);
  if (!(await isCurrent(database, migrations)))
    faults.push("The schema is older than this program. Run `innkeep admin migrate`.");
  else await assertPlace(database, location);
  // An S3 store explains wrong settings only in the body of an answer. Answers to HEAD have no body, so this reads an
  // object.
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

/**
 * Checks that the S3 store answers requests to read and to list. Changes nothing. Returns the address of the store.
 * Throws an Error that describes the problem.
 */
export async function checkStore({ s3 }: DataLocation): Promise<{ place: string }> {
  if (!s3) throw new SettingError("INNKEEP_S3_URL is not set.");
  const mark = createStoreMark(s3);
  await mark.read();
  await mark.holdsFiles();
  return { place: `${s3.address}/${s3.prefix}` };
}

export interface FileFault {
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

/** Returns the SHA-256 of the content of a stored file. Undefined if the file cannot be read. */
const hashOf = (files: Files, sha256: string): Promise<string | undefined> =>
  files
    .open(sha256)
    .then(hashOfStream)
    .catch((error) => {
      // If the S3 store does not answer, it is unknown whether the file can be read.
      if (error instanceof FilesUnavailable) throw error;
      return undefined;
    });

/** Returns when a nightly backup was last verified, in ISO 8601, and a warning for the operator. Both may be null. */
export async function readDrill(reader: Reader) {
  const drill = await drillRecord.find(reader);
  return {
    provenAt: drill?.lastGood?.at ?? null,
    warning: (drill && drillWarning(drill, systemClock.now())) ?? null,
  };
}
