import type { Deps } from "../deps.ts";
import type { Files } from "../files/files.ts";
import { apps } from "../store/access/apps.ts";
import type { Reader } from "../store/engine/database.ts";
import { uploads } from "../store/requests/uploads.ts";

/** The kept files to which nothing refers, and that nobody has written for an hour, some at a time. */
export async function* strayFiles(reader: Reader, files: Pick<Files, "settled">): AsyncGenerator<string[]> {
  for await (const hashes of files.settled()) {
    const strays = await uploads.unreferenced(reader, hashes);
    if (strays.length > 0) yield strays;
  }
}

/** Deletes stray files: a killed server leaves some. Each is looked up again right before. Gives how many there were. */
export async function sweepFiles(
  { database, files, keptFiles }: Pick<Deps, "database" | "files" | "keptFiles">,
  stopping?: AbortSignal,
): Promise<number> {
  // In a new database nothing refers to any file: the folder may belong to another one.
  if (!(await apps.exist(database))) return 0;
  let count = 0;
  for await (const strays of strayFiles(database, files)) {
    if (stopping?.aborted) break;
    await keptFiles.removeUnreferenced(strays);
    count += strays.length;
  }
  return count;
}
