import { createHash } from "node:crypto";
import { type Files, FilesUnavailable } from "../files/files.ts";
import type { KeptNames } from "../files/kept-names.ts";
import type { Recipient } from "../secrets/age/age-keys.ts";
import type { Database } from "../store/engine/database.ts";
import { storedFiles, uploads } from "../store/requests/uploads.ts";
import { hashOf, seal } from "./link.ts";
import type { Listed, Place } from "./places/place.ts";

/** Copies the files that the database names, each once. */
export interface FileCopies {
  /** The folder of the copies. Other keys have another folder, so that a copy is never encrypted for former keys only. */
  readonly folder: string;
  /** Copies the files that were kept since the last call. */
  copyKept(): Promise<void>;
  /** Copies every file that the place lacks. Gives the copies of files that the database does not name. */
  copyMissing(): Promise<Listed[]>;
  /**
   * Deletes the copies that are chosen from those that the database does not name. One that is copied again, or named again,
   * meanwhile stays or is copied once more.
   */
  remove(choose: (unnamed: readonly Listed[]) => Promise<readonly string[]>): Promise<void>;
}

interface Needed {
  readonly database: Database;
  readonly files: Files;
  readonly keptNames: KeptNames;
  readonly place: Place;
  readonly recipients: readonly Recipient[];
}

/** The folder of copies for these keys. */
export function filesFolderFor(recipients: readonly Recipient[]): string {
  if (recipients.length === 0) return "files";
  const hash = createHash("sha256");
  for (const { publicKey } of recipients) hash.update(publicKey);
  return `files-${hash.digest("hex").slice(0, 8)}`;
}

/** Where the copy of a file is. */
export const copyName = (folder: string, sha256: string): string =>
  `${folder}/${sha256.slice(0, 2)}/${sha256}`;

export function createFileCopies({ database, files, keptNames, place, recipients }: Needed): FileCopies {
  const folder = filesFolderFor(recipients);
  /** While copies are deleted: the names that were copied since. */
  let copiedSince: Set<string> | undefined;

  async function copy(sha256: string): Promise<void> {
    copiedSince?.add(sha256);
    const bytes = await contentOf(files, sha256);
    // It was deleted since, or is damaged, which `admin check` says.
    if (bytes && (await hashOf(bytes)) === sha256)
      await place.put(copyName(folder, sha256), await seal(bytes, recipients));
  }

  async function copyAll(names: readonly string[]): Promise<void> {
    for (let at = 0; at < names.length; at += atOnce)
      await Promise.all(names.slice(at, at + atOnce).map(copy));
  }

  async function copyMissing(): Promise<Listed[]> {
    const unnamed: Listed[] = [];
    const stored = byPrefix(database);
    let next = await stored.next();
    const present = new Set((await place.list(folder)).folders);
    for (const prefix of prefixes) {
      const listed = present.has(prefix) ? await listOf(place, folder, prefix) : [];
      const copies = new Map(listed.map((each) => [each.name, each]));
      const named = next.value?.prefix === prefix ? next.value.names : [];
      if (next.value?.prefix === prefix) next = await stored.next();
      await copyAll(named.filter((name) => !copies.has(name)));
      for (const name of named) copies.delete(name);
      unnamed.push(...copies.values());
    }
    return unnamed;
  }

  return {
    folder,
    async copyKept() {
      const names = keptNames.take();
      try {
        await copyAll(names);
      } catch (error) {
        for (const name of names) keptNames.note(name);
        throw error;
      }
    },
    copyMissing,
    async remove(choose) {
      const since = new Set<string>();
      copiedSince = since;
      const isNeeded = async (sha256: string) =>
        since.has(sha256) || (await uploads.isReferenced(database, sha256));
      try {
        for (const sha256 of await choose(await copyMissing())) {
          if (await isNeeded(sha256)) continue;
          // A store that fails may have deleted it all the same.
          await place.remove([copyName(folder, sha256)]).finally(async () => {
            if (await isNeeded(sha256)) keptNames.note(sha256);
          });
        }
      } finally {
        copiedSince = undefined;
      }
    },
  };
}

/** How many files are copied at the same time. */
const atOnce = 2;

const prefixes = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, "0"));

const listOf = async (place: Place, folder: string, prefix: string): Promise<readonly Listed[]> =>
  (await place.list(`${folder}/${prefix}`)).files;

/** The stored files, grouped by the first two characters of their names, in order. */
async function* byPrefix(database: Database) {
  let prefix = "";
  let names: string[] = [];
  for await (const { sha256 } of storedFiles(database)) {
    if (sha256.slice(0, 2) !== prefix && names.length > 0) yield { prefix, names };
    if (sha256.slice(0, 2) !== prefix) names = [];
    prefix = sha256.slice(0, 2);
    names.push(sha256);
  }
  if (names.length > 0) yield { prefix, names };
}

async function contentOf(files: Files, sha256: string): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of await files.open(sha256)) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch (error) {
    // A store that does not answer says nothing about the file.
    if (error instanceof FilesUnavailable) throw error;
    return undefined;
  }
}
