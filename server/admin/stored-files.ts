import type { Reader } from "../database/database.ts";
import { type Files, FilesUnavailable } from "../files/files.ts";
import { hashOfStream } from "../files/hash-of-stream.ts";
import { type StoredFile, storedFiles } from "../files/uploads-store.ts";

export interface FileFault {
  readonly sha256: string;
  readonly kind: "missing" | "damaged";
  /** A message for the operator. */
  readonly text: string;
}

/** Reads every stored file. Gives their number and the faults. */
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
  if (present !== size) return damaged(`The file ${sha256} has ${present} bytes instead of ${size}.`);
  if ((await hashOf(files, sha256)) === sha256) return undefined;
  return damaged(`The file ${sha256} is damaged.`);
}

/** The SHA-256 of a stored file; undefined if the file cannot be read. */
const hashOf = (files: Files, sha256: string): Promise<string | undefined> =>
  files
    .open(sha256)
    .then(hashOfStream)
    .catch((error) => {
      // A store that does not answer says nothing about the file.
      if (error instanceof FilesUnavailable) throw error;
      return undefined;
    });
