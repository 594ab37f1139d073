import { createArchive, manifestName, openArchive } from "../../../server/backup/archive.ts";

/** The new text of an entry. Undefined omits the entry. */
type Change = (name: string, text: string) => string | undefined;

/** Writes a backup with changed entries and a matching manifest, as anybody with the file can do. */
export async function forgeBackup(from: string, to: string, change: Change): Promise<void> {
  const archive = await openArchive(from);
  const forged = await createArchive(to);
  for (const entry of archive.entries) {
    if (entry.name === manifestName) continue;
    const isText = !entry.name.startsWith("files/");
    const text = change(entry.name, isText ? await archive.readText(entry) : "");
    if (text === undefined) continue;
    if (isText) await forged.addText(entry.name, text);
    else await forged.add(entry.name, { size: entry.size, chunks: archive.read(entry) });
  }
  await forged.finish();
  await archive.close();
}
