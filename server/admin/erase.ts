import { ApiError } from "../../src/contract/errors.ts";
import { accountRefusal } from "../domain/people/account-refusal.ts";
import { findAddress } from "../domain/people/address-in-text.ts";
import { createKeptFiles } from "../files/kept-files.ts";
import { createLocalFiles } from "../files/local-files.ts";
import { normaliseEmail } from "../secrets/passwords.ts";
import type { DataLocation } from "../settings/settings.ts";
import { users } from "../store/access/users.ts";
import { FolderInUse, lockFolder } from "../store/deployment/folder-lock.ts";
import type { Database } from "../store/engine/database.ts";
import { forgetDeletedWords } from "../store/feedback/search/feedback-search-merge.ts";
import { erasedAccounts } from "../store/people/erase-account.ts";
import { seats } from "../store/people/erase-seats.ts";
import { type Erasing, eraseAt, findAt, firstPlace, type Place } from "../store/people/passes.ts";
import { type Effect, type ErasureCounts, erasureCounts, type Person } from "../store/people/person.ts";
import { uploads } from "../store/requests/uploads.ts";
import { filesFolder } from "./data-location.ts";

/**
 * Erases a person everywhere in the deployment, and the account with the address if there is one. A killed command is run
 * again. Throws `last_owner` and `wrong_state` with the names of the apps that stand in the way.
 */
export async function eraseUser(
  database: Database,
  location: DataLocation,
  { email: given }: { readonly email: string },
) {
  const email = normaliseEmail(given);
  const account = await users.findByEmail(database, email);
  if (account) await assertDeletable(database, account.id);
  const person = { finder: findAddress(email), accountId: account?.id ?? null };
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
  return { account: account ? "deleted" : "none", erased: sum(effects), files };
}

async function assertDeletable(database: Database, userId: string): Promise<void> {
  const obstacles = await erasedAccounts.obstacles(database, userId);
  const message = accountRefusal(obstacles);
  if (message)
    throw new ApiError(obstacles.onlyOwnerOf.length > 0 ? "last_owner" : "wrong_state", { message });
}

async function eraseEverywhere(database: Database, person: Person): Promise<Effect[]> {
  const erasing: Erasing = { person, scope: "everywhere" };
  const effects: Effect[] = [];
  for (let place: Place = firstPlace; ; ) {
    const at = place;
    const found = await findAt(database, erasing, at);
    if (!found) break;
    if (found.keys.length > 0)
      effects.push(...(await database.write((tx) => eraseAt(tx, erasing, { place: at, keys: found.keys }))));
    place = found.next;
  }
  for (;;) {
    const ended = await seats.ended(database, person, "everywhere");
    if (ended.length === 0) return effects;
    for (const id of ended) effects.push(await database.write((tx) => seats.erase(tx, person, id)));
  }
}

/** On SQLite a running server may be adding the same files, so it deletes them itself. */
async function deleteFiles(database: Database, location: DataLocation, hashes: readonly string[]) {
  const files = createLocalFiles(filesFolder(location));
  const remove = () =>
    createKeptFiles(files, (decide) => uploads.withFileLocks(database, decide)).removeUnreferenced(hashes);
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
