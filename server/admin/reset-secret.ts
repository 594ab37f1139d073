import type { Database } from "../database/database.ts";
import { lockFolder } from "../database/folder-lock.ts";
import { credentialsTopic, slotsTopic } from "../database/signals.ts";
import { sealed } from "../secrets/store.ts";
import type { DataLocation } from "../settings/settings.ts";

/**
 * Deletes everything that only the lost secret could open, so that the server can start with a new secret. With SQLite the
 * server must be stopped. Gives how much was deleted.
 */
export async function resetSecret(database: Database, location: DataLocation) {
  const lock =
    location.databaseUrl === undefined ? await lockFolder(location.data, { patienceMs: 0 }) : undefined;
  try {
    return await database.write(async (tx) => {
      tx.signal(slotsTopic);
      tx.signal(credentialsTopic);
      return sealed.forgetAll(tx);
    });
  } finally {
    await lock?.release();
  }
}
