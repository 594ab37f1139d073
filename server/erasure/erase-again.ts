import { join } from "node:path";
import { users } from "../access/accounts/store.ts";
import { members } from "../access/members/store.ts";
import type { Database, Reader, Transaction } from "../database/database.ts";
import type { Deps } from "../deps.ts";
import { isSecretMark, personHashes, sealAddress, secretMark } from "../secrets/addresses.ts";
import type { Sealer } from "../secrets/secrets.ts";
import { findAddress } from "./addresses.ts";
import { addToJournal, type JournalEntry, journalName, readJournal } from "./journal.ts";
import { erasedAccounts, seats } from "./store/accounts.ts";
import { addressesPresent } from "./store/addresses.ts";
import { firstPlace, firstPlaceOfAccount } from "./store/erase.ts";
import { type ErasureRow, erasures, kindOf } from "./store/erasures.ts";

/** The file in which a server notes erasures, outside of its database. */
export const journalOf = ({ data, erasuresFile }: Pick<Deps["settings"], "data" | "erasuresFile">): string =>
  erasuresFile ?? join(data, journalName);

type Noted = Pick<ErasureRow, "id" | "ownerId" | "personHash" | "place" | "createdAt">;

/** The entry of the journal for an erasure. */
const entryOf = (sealer: Sealer, row: Noted): JournalEntry => ({
  ...{ id: row.id, of: kindOf(row), ownerId: row.ownerId, personHash: row.personHash },
  ...{ secret: secretMark(sealer), createdAt: row.createdAt },
});

/** Notes erasures in the journal, before anything is deleted. */
export const noteErasures = (file: string, sealer: Sealer, rows: readonly Noted[]): Promise<number> =>
  addToJournal(
    file,
    rows.map((row) => entryOf(sealer, row)),
  );

/** The results of the erasures that the database did not know. */
export interface ErasedAgain {
  /** People who are in the data and are erased again. */
  readonly found: number;
  /** People who are not in the data. */
  readonly gone: number;
  /** People with a seat in use, members, and only owners of an app: their owner decides. */
  readonly stopped: number;
  /** Erasures whose hash was made with another secret. */
  readonly otherSecret: number;
}

type EraseAgainDeps = Pick<Deps, "clock" | "sealer"> & { readonly database: Database };

/**
 * Begins again the erasures of the journal that the database does not know, because an older backup was
 * restored. People are found by comparing the hash with those of all addresses in the data. (rule P11)
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
  const count = { found: 0, gone: 0, stopped: 0 };
  for (const entry of ours) count[await beginAgain(deps, entry, emails.get(entry.personHash))] += 1;
  return { ...count, otherSecret: missing.length - ours.length };
}

/** The addresses in the data that have one of the hashes. */
async function emailsOf({ database, sealer }: EraseAgainDeps, hashes: ReadonlySet<string>) {
  const found = new Map<string, string>();
  if (hashes.size === 0) return found;
  for await (const addresses of addressesPresent(database))
    for (const email of addresses)
      for (const hash of personHashes(sealer, email)) if (hashes.has(hash)) found.set(hash, email);
  return found;
}

type Fate = keyof Omit<ErasedAgain, "otherSecret">;

/** An erasure of which nothing is found is noted as done: what the person sends later is new. */
function beginAgain(deps: EraseAgainDeps, entry: JournalEntry, email: string | undefined): Promise<Fate> {
  const at = deps.clock.now().toISOString();
  return deps.database.write(async (tx) => {
    await tx.lock("innkeep erases again");
    if (await erasures.findAny(tx, entry.id)) return email === undefined ? "gone" : "found";
    if (await isRunning(tx, entry)) {
      await erasures.insertEnded(tx, { ...entry, status: "done", at });
      return "gone";
    }
    if (email !== undefined && !(await isInTheWay(tx, entry, email))) {
      await insertAgain(tx, deps.sealer, entry, email);
      return "found";
    }
    const status = email === undefined ? "done" : "stopped";
    await erasures.insertEnded(tx, { ...entry, status, at });
    return email === undefined ? "gone" : "stopped";
  }, "long");
}

/** An owner may have erased the same person several times since the backup. */
const isRunning = async (tx: Transaction, { ownerId, personHash }: JournalEntry): Promise<boolean> =>
  ownerId !== null && (await erasures.findRunning(tx, ownerId, personHash)) !== undefined;

/** The restored state may have what an erasure refuses: the person had to leave first. */
async function isInTheWay(reader: Reader, { of, ownerId }: JournalEntry, email: string): Promise<boolean> {
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

/** Compares the journal with the database, at the start of a server: each gets the erasures that it lacks. */
export async function compareWithJournal(
  deps: EraseAgainDeps &
    Pick<Deps, "log"> & { readonly settings: Pick<Deps["settings"], "data" | "erasuresFile" | "dev"> },
): Promise<void> {
  if (deps.settings.dev) return;
  const file = journalOf(deps.settings);
  const again = await eraseAgain(deps, await readJournal(file));
  await noteErasures(file, deps.sealer, await erasures.receipts(deps.database));
  if (again.found + again.stopped + again.otherSecret > 0)
    deps.log.warn(again, "the database is older than erasures of people: they are done again");
}
