import type { FileEntry } from "./entry.ts";
import type { FileFields } from "./front-matter.ts";

/** What becomes of files: an entry is added, some of its fields change, or it is removed. `file` is as in FileEntry. */
export type FileChange =
  | { readonly kind: "add"; readonly fields: FileFields }
  | { readonly kind: "set"; readonly file: string; readonly fields: Partial<FileFields> }
  | { readonly kind: "remove"; readonly file: string };

/** The entries of a folder or of a list file, and how to change them. */
export interface Source {
  readonly entries: readonly FileEntry[];
  /** Ends of sentences that begin with the name of a file. */
  readonly faults: readonly FileFault[];
  readonly isThere: boolean;
  /** Writes all changes. Gives the names of the files that it added, in the order of the changes. */
  change(changes: readonly FileChange[]): Promise<readonly string[]>;
}

export interface FileFault {
  readonly file: string;
  readonly message: string;
}
