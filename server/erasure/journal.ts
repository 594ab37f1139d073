import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { jsonIn } from "../../src/contract/json.ts";
import { users } from "../access/accounts/store.ts";
import { members } from "../access/members/store.ts";
import type { Database, Reader, Transaction } from "../database/database.ts";
import type { Deps } from "../deps.ts";
import { isSecretMark, personHashes, type Sealer, sealAddress, secretMark } from "../secrets/secrets.ts";
import { findAddress } from "./rules.ts";
import { erasedAccounts, seats } from "./store/accounts.ts";
import { addressesPresent, firstPlace, firstPlaceOfAccount } from "./store/erase.ts";
import { type ErasedKind, type ErasureRow, erasures, placeOf } from "./store/erasures.ts";

/**
 * Returns the path of the journal. This is a file in which a server records erasures outside of its database.
 */
export const journalOf = ({ data, erasuresFile }: Pick<Deps["settings"], "data" | "erasuresFile">): string =>
  erasuresFile ?? join(data, journalName);

type RecordedErasure = Pick<ErasureRow, "id" | "ownerId" | "personHash" | "place" | "createdAt">;

/** Creates the entry in the journal for an erasure. */
const entryOfRow = (sealer: Sealer, row: RecordedErasure): JournalEntry => ({
  ...{ id: row.id, of: kindOf(row), ownerId: row.ownerId, personHash: row.personHash },
  ...{ secret: secretMark(sealer), createdAt: row.createdAt },
});

/**
 * Adds erasures to the journal. Call this function before any data is deleted. Returns the number of added
 * entries.
 */
export const recordErasures = (
  file: string,
  sealer: Sealer,
  rows: readonly RecordedErasure[],
): Promise<number> =>
  addToJournal(
    file,
    rows.map((row) => entryOfRow(sealer, row)),
  );

/** The results for the erasures that are in the journal but not in the restored database. */
export interface ErasedAgain {
  /** The number of people who are in the restored data and whose erasure has begun again. */
  readonly found: number;
  /** The number of people who are not in the restored data. */
  readonly gone: number;
  /** The number of people whose erasure needs a decision, for example because they are members again. */
  readonly stopped: number;
  /** The number of erasures whose person cannot be found, because the hash was computed with another secret. */
  readonly otherSecret: number;
}

type EraseAgainDeps = Pick<Deps, "clock" | "sealer"> & { readonly database: Database };

/**
 * Begins each erasure again that only the journal contains. Returns the number of people for each result.
 * (rule P11)
 */
export async function eraseAgain(
  deps: EraseAgainDeps,
  entries: readonly JournalEntry[],
): Promise<ErasedAgain> {
  const { database, sealer } = deps;
  const known = new Set((await erasures.receipts(database)).map(({ id }) => id));
  const missing = entries.filter(({ id }) => !known.has(id));
  const ours = missing.filter(({ secret }) => isSecretMark(sealer, secret));
  const emails = await emailsOf(deps, new Set(ours.map(({ personHash }) => personHash)));
  const people: Record<Result, Set<string>> = { found: new Set(), gone: new Set(), stopped: new Set() };
  for (const entry of ours) {
    const email = emails.get(entry.personHash);
    people[await beginAgain(deps, entry, email)].add(email ?? entry.personHash);
  }
  return {
    ...{ found: people.found.size, gone: people.gone.size, stopped: people.stopped.size },
    otherSecret: missing.length - ours.length,
  };
}

/** Returns the addresses in the database whose hash is in `hashes`. The keys of the result are hashes. */
async function emailsOf({ database, sealer }: EraseAgainDeps, hashes: ReadonlySet<string>) {
  const found = new Map<string, string>();
  if (hashes.size === 0) return found;
  for await (const addresses of addressesPresent(database))
    for (const email of addresses)
      for (const hash of personHashes(sealer, email)) if (hashes.has(hash)) found.set(hash, email);
  return found;
}

type Result = keyof Omit<ErasedAgain, "otherSecret">;

/** Begins again an erasure that the database lacks, or only stores the erasure as `done` or `stopped`. */
function beginAgain(deps: EraseAgainDeps, entry: JournalEntry, email: string | undefined): Promise<Result> {
  const at = deps.clock.now().toISOString();
  return deps.database.write(async (tx) => {
    await tx.lock("innkeep erases again");
    const found = email === undefined ? "gone" : "found";
    if (await erasures.findAny(tx, entry.id)) return found;
    // The erasure is stored as `done`, so that it never begins again and later data of the person stays.
    if (email === undefined || (await isRunning(tx, entry))) {
      await erasures.insertEnded(tx, { ...entry, status: "done", at });
      return found;
    }
    if (await isPrevented(tx, entry, email)) {
      await erasures.insertEnded(tx, { ...entry, status: "stopped", at });
      return "stopped";
    }
    await insertAgain(tx, deps.sealer, entry, email);
    return "found";
  }, "long");
}

/**
 * Whether another erasure for this owner and this person is running. The journal may contain several such
 * entries.
 */
const isRunning = async (tx: Transaction, { ownerId, personHash }: JournalEntry): Promise<boolean> =>
  ownerId !== null && (await erasures.findRunning(tx, ownerId, personHash)) !== undefined;

/**
 * Whether the restored data prevents the erasure, because the person is a member, the only owner or a tester again.
 */
async function isPrevented(reader: Reader, { of, ownerId }: JournalEntry, email: string): Promise<boolean> {
  const account = await users.findByEmail(reader, email);
  if (!account) return false;
  if (of === "owner" && ownerId !== null) {
    const shared = await members.appsOfBoth(reader, ownerId, account.id);
    return shared.length > 0 || (await seats.inUse(reader, account.id, { ownerId })).length > 0;
  }
  const { onlyOwnerOf, testerOf } = await erasedAccounts.obstacles(reader, account.id);
  return onlyOwnerOf.length > 0 || testerOf.length > 0;
}

async function insertAgain(
  tx: Transaction,
  sealer: Sealer,
  entry: JournalEntry,
  email: string,
): Promise<void> {
  const account = entry.of === "owner" ? undefined : await users.findByEmail(tx, email);
  const effects = account
    ? await erasedAccounts.remove(
        tx,
        { id: account.id, email },
        { finder: findAddress(email), accountId: account.id },
      )
    : [];
  await erasures.insert(tx, {
    ...entry,
    emailSealed: sealAddress(sealer, account ? `${email} ${account.id}` : email),
  });
  const row = await erasures.findAny(tx, entry.id);
  const place = entry.of === "account" ? firstPlaceOfAccount : firstPlace;
  if (row) await erasures.advance(tx, row, { place, effects });
}

/**
 * Compares the journal with the database. Begins erasures again that the database lacks, and adds entries that
 * the journal lacks.
 */
export async function compareWithJournal(
  deps: EraseAgainDeps &
    Pick<Deps, "log"> & { readonly settings: Pick<Deps["settings"], "data" | "erasuresFile" | "dev"> },
): Promise<void> {
  if (deps.settings.dev) return;
  const file = journalOf(deps.settings);
  const again = await eraseAgain(deps, await readJournal(file));
  await recordErasures(file, deps.sealer, await erasures.receipts(deps.database));
  if (again.found + again.stopped + again.otherSecret > 0)
    deps.log.warn(
      again,
      "the database is older than some erasures of people. Found erasures begin again; stopped and otherSecret ones do not",
    );
}

/** The default file name of the journal. */
export const journalName = "erasures.ndjson";

/** An entry of the journal, with which a server can erase the person again. It does not contain the address. */
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

/** Returns the entries of the journal without duplicates; none if the file does not exist. */
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
    const entry = entryOfLine(line);
    // A crash can leave an incomplete line, which is not an entry.
    if (entry) entries.set(entry.id, entry);
  }
  return [...entries.values()];
}

/** Adds the entries that the journal lacks, and saves them on the disk. Returns the number of added entries. */
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

function entryOfLine(line: string): JournalEntry | undefined {
  const { id, of, ownerId, personHash, secret, createdAt } = Object(jsonIn(line));
  const texts = [id, personHash, secret, createdAt].every((value) => typeof value === "string");
  const known = of === "owner" ? typeof ownerId === "string" : of === "account" || of === "everywhere";
  return texts && known ? { id, of, ownerId: ownerId ?? null, personHash, secret, createdAt } : undefined;
}

/** Returns what kind of data an erasure deletes. */
const kindOf = (row: Pick<ErasureRow, "ownerId" | "place">): ErasedKind => {
  if (row.ownerId !== null) return "owner";
  return placeOf(row).of ?? "everywhere";
};
