/** A file in a place of copies. */
export interface Listed {
  /** Its name in its folder. */
  readonly name: string;
  /** When it was last written, in milliseconds. */
  readonly changedAt: number;
}

export interface Listing {
  readonly files: readonly Listed[];
  readonly folders: readonly string[];
}

/** Where copies are kept: a folder, or an S3 store. Names have slashes between folders. */
export interface Place {
  /** Stores a file under its name, whole and durably, or not at all. */
  put(name: string, bytes: Buffer): Promise<void>;
  /** The content of a file. Rejects with MissingCopy if there is none. */
  get(name: string): Promise<Buffer>;
  /** What a folder holds, in the order of the names. */
  list(folder: string): Promise<Listing>;
  /** Deletes files durably, if they are there. Tries all of them, then rejects with the first failure. */
  remove(names: readonly string[]): Promise<void>;
}

/** A file is not in the place of copies. */
export class MissingCopy extends Error {
  constructor(name: string) {
    super(`${name} is missing.`);
    this.name = "MissingCopy";
  }
}
