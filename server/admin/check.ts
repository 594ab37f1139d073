import { integrityFaults } from "../backup/integrity.ts";
import type { Database } from "../database/database.ts";
import { isCurrent } from "../database/migrate.ts";
import { migrations } from "../database/migrations.ts";
import { createStoreMark } from "../files/s3-files.ts";
import { strayFiles } from "../files/stray-files.ts";
import { SettingError } from "../settings/setting-error.ts";
import type { DataLocation } from "../settings/settings.ts";
import { assertPlace } from "../start/bind-files.ts";
import { openFiles } from "../start/open-files.ts";
import { readStoredFiles } from "./stored-files.ts";

export interface CheckResult {
  readonly ok: true;
  readonly files: number;
  /** The number of files to which nothing refers. The server deletes them within a day. */
  readonly orphans: number;
}

/** Checks the database and reads all files. Throws an Error whose message lists all faults. */
export async function checkAll(database: Database, location: DataLocation): Promise<CheckResult> {
  const faults = await integrityFaults(database);
  if (!(await isCurrent(database, migrations)))
    faults.push("The schema is older than this program. Run `innkeep admin migrate`.");
  else await assertPlace(database, location);
  // The store says what is wrong with its settings only in an answer with a body.
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

/** Whether the S3 store takes our requests to read and to list. Changes nothing. Rejects with what is wrong. */
export async function checkStore({ s3 }: DataLocation): Promise<{ place: string }> {
  if (!s3) throw new SettingError("INNKEEP_S3_URL is not set.");
  const mark = createStoreMark(s3);
  await mark.read();
  await mark.holdsFiles();
  return { place: `${s3.address}/${s3.prefix}` };
}
