import { open, readFile } from "node:fs/promises";
import { jsonIn } from "../../src/contract/json.ts";

/** The default file name of the journal. */
export const journalName = "erasures.ndjson";

/**
 * An entry of the journal. It allows a server to erase the person again after a restore. It does not contain the e-mail
 * address.
 */
export interface JournalEntry {
  readonly id: string;
  readonly of: "owner" | "account" | "everywhere";
  /** The account in whose apps the person was erased. Null means the whole deployment. */
  readonly ownerId: string | null;
  readonly personHash: string;
  /** A text that identifies the secret with which the hash was computed. It does not reveal the secret. */
  readonly secret: string;
  readonly createdAt: string;
}

/**
 * Returns the entries of a journal without duplicates. Returns an empty list if there is no such file. Ignores lines
 * that are not entries, because the last line may be incomplete after a crash.
 */
export async function readJournal(file: string): Promise<JournalEntry[]> {
  const text = await readFile(file, "utf8").catch((error) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  return entriesIn(text);
}

/** Returns the entries in the text of a journal without duplicates. */
function entriesIn(text: string): JournalEntry[] {
  const entries = new Map<string, JournalEntry>();
  for (const line of text.split("\n")) {
    const entry = entryOf(line);
    if (entry) entries.set(entry.id, entry);
  }
  return [...entries.values()];
}

/**
 * Adds the entries that a journal does not contain yet. When the promise resolves, they are stored on the disk. Returns
 * the number of added entries.
 */
export async function addToJournal(file: string, entries: readonly JournalEntry[]): Promise<number> {
  const present = new Set((await readJournal(file)).map(({ id }) => id));
  const missing = entries.filter(({ id }) => !present.has(id));
  if (missing.length === 0) return 0;
  const journal = await open(file, "a", 0o600);
  try {
    // The line break at the beginning ends the last line, which may be incomplete after a crash.
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
