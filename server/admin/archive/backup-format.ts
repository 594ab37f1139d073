import * as z from "zod/mini";
import type { Archive, ArchiveEntry } from "./archive-reader.ts";

export const formatVersion = 1;
export const headerName = "backup.json";
export const secretName = "secret";

const Header = z.object({
  format: z.literal(formatVersion),
  migrations: z.array(z.object({ number: z.int(), name: z.string() })),
  /** In the order in which a restore fills them. */
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
});
export type BackupHeader = z.output<typeof Header>;

/** The header of a backup. Throws an Error with a message if this program cannot read the backup. */
export async function readHeader(archive: Archive): Promise<BackupHeader> {
  const [first] = archive.entries;
  if (first?.name !== headerName) throw new Error("The file is not a backup of Innkeep.");
  const result = Header.safeParse(JSON.parse(await archive.readText(first)));
  if (result.success) return result.data;
  throw new Error(newerBackup);
}

export const newerBackup =
  "This backup was made by a newer version of Innkeep. Restore it with that version.";

/** The entries that contain the rows of a table, in their order. */
export const rowEntries = ({ entries }: Archive, table: string): ArchiveEntry[] =>
  entries.filter(({ name }) => name.startsWith(`database/${table}/`));

/** The entries that are files, by the SHA-256 of their bytes. */
export const fileEntries = ({ entries }: Archive): [sha256: string, entry: ArchiveEntry][] =>
  entries.flatMap((entry) => {
    const sha256 = /^files\/([\da-f]{64})$/.exec(entry.name)?.[1];
    return sha256 === undefined ? [] : [[sha256, entry]];
  });
