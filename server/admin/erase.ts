import { v7 } from "uuid";
import { ApiError } from "../../src/contract/errors.ts";
import { users } from "../access/accounts/store.ts";
import { systemClock } from "../clock.ts";
import type { Database } from "../database/database.ts";
import { FolderInUse, lockFolder } from "../database/folder-lock.ts";
import { journalOf, recordErasures } from "../erasure/journal.ts";
import { accountRefusal, findAddress } from "../erasure/rules.ts";
import { erasedAccounts, seats } from "../erasure/store/accounts.ts";
import { eraseAt, findAt, firstPlace, type Place } from "../erasure/store/erase.ts";
import { type EndedErasure, erasures } from "../erasure/store/erasures.ts";
import { type Effect, type ErasureCounts, erasureCounts, type Person } from "../erasure/store/find.ts";
import { forgetDeletedWords } from "../feedback/search/store/indexing.ts";
import { normaliseEmail } from "../secrets/passwords.ts";
import { createSealer, personHash } from "../secrets/secrets.ts";
import type { DataLocation } from "../settings/settings.ts";
import { assertPlace, openFiles, openKeptFiles } from "../start/open-files.ts";
import { type GivenSecrets, secretsFor } from "./data-location.ts";

/**
 * Erases a person and the person's account. Can be repeated after an interruption. Throws `last_owner` or
 * `wrong_state`.
 */
export async function eraseUser(
  database: Database,
  location: DataLocation,
  {
    email: wanted,
    erasuresFile,
    ...given
  }: GivenSecrets & { readonly email: string; readonly erasuresFile?: string | undefined },
) {
  await assertPlace(database, location);
  const email = normaliseEmail(wanted);
  const secrets = await secretsFor(given, location, database);
  const sealer = secrets && createSealer(secrets.secret, secrets.old);
  const account = await users.findByEmail(database, email);
  if (account) await assertDeletable(database, account.id);
  const person = { finder: findAddress(email), accountId: account?.id ?? null };
  const at = systemClock.now().toISOString();
  const receipt = sealer && { id: v7(), ownerId: null, personHash: personHash(sealer, email), at };
  if (receipt) {
    const row = { ...receipt, place: JSON.stringify(firstPlace), createdAt: at };
    await recordErasures(journalOf({ data: location.data, erasuresFile }), sealer, [row]);
  }
  const effects = await eraseEverywhere(database, person);
  if (account)
    effects.push(
      ...(await database.write((tx) => erasedAccounts.remove(tx, { id: account.id, email }, person), "long")),
    );
  const files = await deleteFiles(database, location, [
    ...new Set(effects.flatMap((effect) => effect.files)),
  ]);
  await forgetDeletedWords(database, new AbortController().signal);
  await database.emptyLog();
  const erased = sum(effects);
  if (receipt) await database.write((tx) => erasures.insertEnded(tx, ended(receipt, erased)));
  return { account: account ? "deleted" : "none", erased, files, receipt: receipt?.id ?? withoutSecret };
}

const ended = (
  receipt: Pick<EndedErasure, "id" | "ownerId" | "personHash" | "at">,
  counts: Partial<ErasureCounts>,
): EndedErasure => ({
  ...receipt,
  ...{ of: "everywhere", status: "done", counts },
});

const withoutSecret =
  "none: INNKEEP_SECRET is not set. After a restore of an older backup, erase the person again.";

async function assertDeletable(database: Database, userId: string): Promise<void> {
  const obstacles = await erasedAccounts.obstacles(database, userId);
  const message = accountRefusal(obstacles);
  if (message)
    throw new ApiError(obstacles.onlyOwnerOf.length > 0 ? "last_owner" : "wrong_state", { message });
}

async function eraseEverywhere(database: Database, person: Person): Promise<Effect[]> {
  const erasing = { person, scope: "everywhere", newId: () => v7() } as const;
  const effects: Effect[] = [];
  for (let place: Place = firstPlace; ; ) {
    const at = place;
    const found = await findAt(database, erasing, at);
    if (!found) break;
    if (found.keys.length > 0)
      effects.push(
        ...(await database.write((tx) =>
          eraseAt(tx, { ...erasing, now: systemClock.now() }, { place: at, keys: found.keys }),
        )),
      );
    place = found.next;
  }
  for (;;) {
    const ended = await seats.ended(database, person, "everywhere");
    if (ended.length === 0) return effects;
    for (const id of ended) effects.push(await database.write((tx) => seats.erase(tx, person, id)));
  }
}

/**
 * Deletes the files without references. Returns a text about the result. On SQLite, a running server deletes
 * the files later.
 */
async function deleteFiles(database: Database, location: DataLocation, hashes: readonly string[]) {
  const files = openFiles(location);
  const remove = () => openKeptFiles(database, files, location).removeUnreferenced(hashes);
  if (hashes.length === 0) return "none";
  try {
    if (location.databaseUrl !== undefined) await remove();
    else {
      const lock = await lockFolder(location.data, { patienceMs: 0 });
      await remove().finally(lock.release);
    }
    return "deleted";
  } catch (error) {
    if (error instanceof FolderInUse) return "The running server deletes them within a day.";
    throw error;
  }
}

function sum(effects: readonly Effect[]): Partial<ErasureCounts> {
  const total = (name: keyof ErasureCounts) =>
    effects.reduce(
      (count, { counts, files }) => count + (name === "files" ? files.length : (counts[name] ?? 0)),
      0,
    );
  return Object.fromEntries(erasureCounts.map((name) => [name, total(name)]));
}
