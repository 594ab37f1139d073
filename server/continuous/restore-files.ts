import { receivedFile } from "../../src/contract/files/received-file.ts";
import type { Files } from "../files/files.ts";
import type { Identity } from "../secrets/age/age-keys.ts";
import type { Database } from "../store/engine/database.ts";
import { type StoredFile, storedFiles } from "../store/requests/uploads.ts";
import { copyName } from "./file-copies.ts";
import { DamagedCopy, hashOf, unseal } from "./link.ts";
import { MissingCopy, type Place } from "./places/place.ts";

interface Source {
  readonly place: Place;
  readonly identities: readonly Identity[];
  /** The folder of the copies. */
  readonly folder: string;
}

/** Keeps the copies of all files that a restored database names. Gives their number, and those without a whole copy. */
export async function restoreFiles(database: Database, files: Files, source: Source) {
  const missing: string[] = [];
  let restored = 0;
  for await (const file of storedFiles(database)) {
    if ((await files.size(file.sha256)) === file.size || (await restoreFile(file, files, source)))
      restored += 1;
    else missing.push(file.sha256);
  }
  return { files: restored, missing };
}

async function restoreFile({ sha256, size }: StoredFile, files: Files, source: Source): Promise<boolean> {
  const bytes = await copyOf(sha256, source);
  if (!bytes || (await hashOf(bytes)) !== sha256) return false;
  const draft = files.createTemporary(size);
  draft.write(bytes);
  const written = await draft.finishUnchanged();
  await files.keep(receivedFile({ ...written, declaredType: null, name: null, fault: null }));
  return true;
}

/** The content of a copy; undefined if it is missing or damaged. */
async function copyOf(sha256: string, { place, identities, folder }: Source): Promise<Buffer | undefined> {
  const name = copyName(folder, sha256);
  try {
    return await unseal(name, await place.get(name), identities);
  } catch (error) {
    if (error instanceof MissingCopy || error instanceof DamagedCopy) return undefined;
    throw error;
  }
}
