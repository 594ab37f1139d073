import { receivedFile } from "../../src/contract/files.ts";
import type { Database } from "../database/database.ts";
import { lockFolder } from "../database/folder-lock.ts";
import type { Files } from "../files/files.ts";
import { type FilesPlace, filesPlace, type StoredFile, storedFiles } from "../files/store.ts";
import { type DataLocation, SettingError } from "../settings/settings.ts";
import { bindPlace, openFiles } from "../start/open-files.ts";

/** Moves all files, except damaged ones. The server must be stopped. A killed command can be repeated. */
export async function moveFiles(database: Database, location: DataLocation, to: FilesPlace) {
  if (!location.s3) throw new SettingError("INNKEEP_S3_URL must be set to the S3 store.");
  const lock =
    location.databaseUrl === undefined ? await lockFolder(location.data, { patienceMs: 0 }) : undefined;
  try {
    return await move(database, location, to);
  } finally {
    await lock?.release();
  }
}

async function move(database: Database, location: DataLocation, to: FilesPlace) {
  const folder: DataLocation = { ...location, s3: undefined };
  const [source, target] = to === "s3" ? [folder, location] : [location, folder];
  for (const place of [source, target]) await bindPlace(database, place);
  const [from, into] = [openFiles(source), openFiles(target)];
  const first = await copyAll(database, from, into);
  await database.write((tx) => filesPlace.replace(tx, to), "long");
  // On PostgreSQL, a running server may have stored more files after the first copy.
  const rest = location.databaseUrl === undefined ? first : await copyAll(database, from, into);
  const missing = new Set(rest.missing);
  await eachStored(database, async ({ sha256 }) => {
    if (!missing.has(sha256)) await from.remove(sha256);
  });
  const moved = rest === first ? first.moved : first.moved + rest.moved;
  return { to, moved, present: first.present, missing: rest.missing };
}

async function copyAll(database: Database, from: Files, into: Files) {
  const missing: string[] = [];
  let moved = 0;
  let present = 0;
  await eachStored(database, async (file) => {
    if ((await into.size(file.sha256)) === file.size) present += 1;
    else if ((await from.size(file.sha256)) === file.size && (await copy(file, from, into))) moved += 1;
    else missing.push(file.sha256);
  });
  return { moved, present, missing };
}

/** Copies a file. Returns false if the content of the file does not have the hash `sha256`. */
async function copy({ sha256, size }: StoredFile, from: Files, into: Files): Promise<boolean> {
  const draft = into.createTemporary(size);
  try {
    for await (const chunk of await from.open(sha256)) draft.write(chunk);
    const written = await draft.finishUnchanged();
    if (written.sha256 !== sha256) return false;
    await into.keep(receivedFile({ ...written, declaredType: null, name: null, fault: null }));
    return true;
  } finally {
    draft.drop();
  }
}

/** The number of files that are processed at the same time. */
const atOnce = 8;

async function eachStored(database: Database, work: (file: StoredFile) => Promise<void>): Promise<void> {
  let batch: StoredFile[] = [];
  const flush = async () => {
    await Promise.all(batch.map(work));
    batch = [];
  };
  for await (const file of storedFiles(database)) {
    batch.push(file);
    if (batch.length === atOnce) await flush();
  }
  await flush();
}
