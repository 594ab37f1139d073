import { open, readFile } from "node:fs/promises";
import { jsonIn } from "../../src/contract/json.ts";

/** The default name of the file. */
export const journalName = "erasures.ndjson";

/** An entry of the journal. It contains what a restored database needs to erase the person again, but no address. */
export interface JournalEntry {
  readonly id: string;
  readonly of: "owner" | "account" | "everywhere";
  /** The account in whose apps the person was erased; null for the whole deployment. */
  readonly ownerId: string | null;
  readonly personHash: string;
  /** The mark of the secret that made the hash. */
  readonly secret: string;
  readonly createdAt: string;
}

/**
 * Returns the entries of a journal, each once; an empty list if there is no such file. Ignores a line that is not an
 * entry, because a crash may have cut off the last one.
 */
export async function readJournal(file: string): Promise<JournalEntry[]> {
  const text = await readFile(file, "utf8").catch((error) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  return entriesIn(text);
}

/** Returns the entries in the text of a journal, each once. */
function entriesIn(text: string): JournalEntry[] {
  const entries = new Map<string, JournalEntry>();
  for (const line of text.split("\n")) {
    const entry = entryOf(line);
    if (entry) entries.set(entry.id, entry);
  }
  return [...entries.values()];
}

/**
 * Adds the entries to a journal that it does not contain yet. They are on the disk when this resolves. Returns how
 * many were added.
 */
export async function addToJournal(file: string, entries: readonly JournalEntry[]): Promise<number> {
  const present = new Set((await readJournal(file)).map(({ id }) => id));
  const missing = entries.filter(({ id }) => !present.has(id));
  if (missing.length === 0) return 0;
  const journal = await open(file, "a", 0o600);
  try {
    // The first line break ends a line that a crash may have cut off.
    await journal.write(`\n${missing.map((entry) => JSON.stringify(entry)).join("\n")}\n`);
    await journal.sync();
  } finally {
    await journal.close();
  }
  return missing.length;
}

function entryOf(line: string): JournalEntry | undefined {
  const { id, of, ownerId, personHash, secret, createdAt } = Object(jsonIn(line));
  const texts = [id, personHash, secret, createdAt].every((value) => typeof value === "string");
  const known = of === "owner" ? typeof ownerId === "string" : of === "account" || of === "everywhere";
  return texts && known ? { id, of, ownerId: ownerId ?? null, personHash, secret, createdAt } : undefined;
}
