import type { Files } from "../files/files.ts";
import { createLocalFiles } from "../files/local-files.ts";
import type { Database } from "../store/database.ts";
import { integrityFaults } from "../store/integrity.ts";
import { isCurrent } from "../store/migrate.ts";
import { migrations } from "../store/migrations.ts";
import { storedFiles } from "../store/uploads.ts";
import { hashOfStream } from "./hash-of-stream.ts";
import { filesFolder, type Place } from "./place.ts";

/** Reads everything there is. Gives how many files it read; throws a sentence with all that is wrong. */
export async function checkAll(database: Database, place: Place): Promise<{ ok: true; files: number }> {
  const faults = await integrityFaults(database);
  if (!(await isCurrent(database, migrations)))
    faults.push("The schema is older than this program. Run `innkeep admin migrate`.");
  const files = createLocalFiles(filesFolder(place));
  let count = 0;
  for await (const file of storedFiles(database)) {
    const fault = await faultOf(files, file);
    if (fault) faults.push(fault);
    count += 1;
  }
  if (faults.length === 0) return { ok: true, files: count };
  throw new Error(`The check found faults:\n${faults.map((fault) => `- ${fault}`).join("\n")}`);
}

async function faultOf(files: Files, { sha256, size }: { sha256: string; size: number }) {
  const present = await files.size(sha256);
  if (present === undefined) return `The file ${sha256} is missing.`;
  if (present !== size) return `The file ${sha256} has ${present} bytes instead of ${size}.`;
  return (await hashOfStream(await files.open(sha256))) === sha256
    ? undefined
    : `The file ${sha256} is damaged.`;
}
