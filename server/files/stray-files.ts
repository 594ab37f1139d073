import { apps } from "../access/apps/store.ts";
import type { Reader } from "../database/database.ts";
import type { Deps } from "../deps.ts";
import type { Files } from "./files.ts";
import { uploads } from "./uploads-store.ts";

/** Yields stray files, in batches: stored files without references that were not written within the last hour. */
export async function* strayFiles(reader: Reader, files: Pick<Files, "settled">): AsyncGenerator<string[]> {
  for await (const hashes of files.settled()) {
    const strays = await uploads.unreferenced(reader, hashes);
    if (strays.length > 0) yield strays;
  }
}

/**
 * Deletes stray files. A server that was killed may leave such files. Checks each file again immediately before its
 * deletion. Returns how many files were found.
 */
export async function sweepFiles(
  { database, files, keptFiles }: Pick<Deps, "database" | "files" | "keptFiles">,
  stopping?: AbortSignal,
): Promise<number> {
  // Nothing is deleted for a database without apps. Such a database is new, so the folder may belong to another
  // database.
  if (!(await apps.exist(database))) return 0;
  let count = 0;
  for await (const strays of strayFiles(database, files)) {
    if (stopping?.aborted) break;
    await keptFiles.removeUnreferenced(strays);
    count += strays.length;
  }
  return count;
}
