import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** How the folders of a command look. */
export interface OwnFolders {
  /** What their names begin with. `mkdtemp` adds six characters. */
  readonly prefix: string;
  /** What the names of the files in them begin with. */
  readonly contents: readonly string[];
}

/**
 * The folders in `parent` that killed commands may have left. A person may have folders with similar names: what holds another
 * file, or is a link, is not ours.
 */
export async function leftoversIn(parent: string, { prefix, contents }: OwnFolders): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(parent, { withFileTypes: true })) {
    const random = entry.name.startsWith(prefix) ? entry.name.slice(prefix.length) : "";
    if (!entry.isDirectory() || !/^[a-zA-Z0-9]{6}$/.test(random)) continue;
    const folder = join(parent, entry.name);
    const names = await readdir(folder).catch(() => ["unreadable"]);
    if (names.every((name) => contents.some((beginning) => name.startsWith(beginning)))) found.push(folder);
  }
  return found;
}
