import { setTimeout as sleep } from "node:timers/promises";
import { secondFactors } from "../access/sign-in-methods/store.ts";
import { readStoredFiles } from "../admin/check.ts";
import { withDatabase } from "../admin/data-location.ts";
import { type GivenSecrets, secretsFor } from "../admin/secrets.ts";
import type { Database } from "../database/database.ts";
import { type LockOptions, lockFolder } from "../database/folder-lock.ts";
import { indexAllAgain } from "../feedback/search/store/indexing.ts";
import { filesPlace } from "../files/store.ts";
import { SettingError } from "../settings/setting-error.ts";
import type { DataLocation } from "../settings/settings.ts";
import { adoptPlace, openFiles, placeIn } from "../start/open-files.ts";
import { isLocked } from "../start/unlock.ts";
import { eraseRestored, keepJournal, readJournals } from "./erase-restored.ts";
import { erasedAreBack } from "./restore.ts";
import { countOtherConnections, dropWaiting, emptyLeftOut, integrityFaults } from "./store.ts";

export interface AdoptOrder extends GivenSecrets {
  /** The path of a journal of erasures. The erasures in it are repeated. */
  readonly erasures?: string | undefined;
  /** The path of the journal in which the server records erasures, if it is not in the data folder. */
  readonly erasuresFile?: string | undefined;
}

/**
 * Prepares a database that another program, such as Litestream, has restored, so that a server may use it. Checks the
 * database, deletes data that must not exist after a restore, and repeats the erasures of people in the journals.
 * Returns the accounts without recovery codes, the number of repeated erasures, and the SHA-256 of missing and damaged
 * files. Throws a SettingError if a server uses the database, or if the secret is not that of the database. (rule O23)
 */
export async function adopt(location: DataLocation, order: AdoptOrder, waiting: LockOptions = {}) {
  const { erasures, erasuresFile, ...given } = order;
  const entries = await readJournals(location, { backup: undefined, named: erasures ?? erasuresFile });
  const lock = location.databaseUrl === undefined ? await lockFolder(location.data, waiting) : undefined;
  try {
    // This check comes first, because a damaged database must not be migrated.
    await withDatabase(location, "leave", async (database) => {
      await assertUnused(database, waiting);
      await assertSound(database);
    });
    return await withDatabase(location, "update", async (database) => {
      if (!(await secretsFor(given, location, database)) && (await isLocked(database)))
        throw noSecret(location);
      await keepJournal(location, entries);
      const withoutRecoveryCodes = await database.write(async (tx) => {
        await emptyLeftOut(tx);
        await dropWaiting(tx);
        await indexAllAgain(tx);
        await filesPlace.replace(tx, placeIn(location));
        return secondFactors.endRecoveryCodes(tx);
      }, "long");
      const erasedAgain = await eraseRestored({ database, location, given }, entries);
      const { count: files, faults } = await readStoredFiles(database, openFiles(location));
      // This comes last, because a server starts only if the folder has the id of the database.
      await adoptPlace(database, location);
      const missing = faults.map(({ sha256 }) => sha256);
      return { files, missing, withoutRecoveryCodes, erasedAgain, note: noteOf(missing.length) };
    });
  } finally {
    await lock?.release();
  }
}

const pauseMs = 100;
const defaultPatienceMs = 10_000;

/**
 * Waits until servers that were just stopped have closed their connections. Throws a SettingError if connections
 * remain.
 */
async function assertUnused(
  database: Database,
  { patienceMs = defaultPatienceMs, signal }: LockOptions,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (let count = await countOtherConnections(database); count > 0; ) {
    if (performance.now() > deadline)
      throw new SettingError(
        `Other programs have ${count} connections to the database. Stop all servers and other programs that use the database. Then try again.`,
      );
    await sleep(pauseMs, undefined, { signal });
    count = await countOtherConnections(database);
  }
}

async function assertSound(database: Database): Promise<void> {
  const faults = await integrityFaults(database);
  if (faults.length > 0)
    throw new Error(
      `The database has faults. Restore the state of another point in time.\n${faults.map((fault) => `- ${fault}`).join("\n")}`,
    );
}

const noSecret = ({ data, databaseUrl }: DataLocation) =>
  new SettingError(
    databaseUrl === undefined
      ? `The file \`secret\` is missing in ${data}. Put it back, or set INNKEEP_SECRET to its content.`
      : "INNKEEP_SECRET must be set to the secret of this database.",
  );

const noteOf = (missing: number): string =>
  missing === 0
    ? erasedAreBack
    : `${erasedAreBack} Files are missing or damaged. Put them back, or run \`innkeep admin repair\`, which removes the references to them.`;
