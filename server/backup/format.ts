import * as z from "zod/mini";
import type { Archive, ArchiveEntry } from "./archive.ts";

export const formatVersion = 1;
export const headerName = "backup.json";
export const secretName = "secret";
export const contentsName = "contents.json";

const Header = z.object({
  format: z.literal(formatVersion),
  migrations: z.array(z.object({ number: z.int(), name: z.string() })),
  /** The tables in the order in which a restore fills them. */
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
});
export type BackupHeader = z.output<typeof Header>;

/** Returns the header of a backup. Throws an Error with a message if this program cannot read the backup. */
export async function readHeader(archive: Archive): Promise<BackupHeader> {
  const [first] = archive.entries;
  if (first?.name !== headerName) throw new Error("The file is not a backup from Innkeep.");
  const result = Header.safeParse(JSON.parse(await archive.readText(first)));
  if (result.success) return result.data;
  throw new Error(newerBackup);
}

const Contents = z.object({
  /** The number of rows of each table. */
  rows: z.record(z.string(), z.int()),
  files: z.int(),
  /** The SHA-256 of the files that could not be copied. */
  missing: z.array(z.string()),
  /**
   * The SHA-256 of the files that were deleted while the backup was created. Rows of the backup still refer to these
   * files.
   */
  deleted: z.array(z.string()),
});
export type BackupContents = z.output<typeof Contents>;

/** Returns the numbers of rows and files that a backup must contain. Undefined for a backup of an older version. */
export async function readContents(archive: Archive): Promise<BackupContents | undefined> {
  const entry = archive.entries.find(({ name }) => name === contentsName);
  return entry && Contents.parse(JSON.parse(await archive.readText(entry)));
}

/** The error message for a backup that a newer version of this program has created. */
export const newerBackup =
  "This backup was created by a newer version of Innkeep. Restore it with that version.";

/** Returns the entries that contain the rows of a table, in order. */
export const rowEntries = ({ entries }: Archive, table: string): ArchiveEntry[] =>
  entries.filter(({ name }) => name.startsWith(`database/${table}/`));

/** Returns the entries that are files, each with the SHA-256 of its bytes. */
export const fileEntries = ({ entries }: Archive): [sha256: string, entry: ArchiveEntry][] =>
  entries.flatMap((entry) => {
    const sha256 = /^files\/([\da-f]{64})$/.exec(entry.name)?.[1];
    return sha256 === undefined ? [] : [[sha256, entry]];
  });
