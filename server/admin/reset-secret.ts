import { lockFolder } from "../store/deployment/folder-lock.ts";
import { sealed } from "../store/deployment/sealed.ts";
import type { Database } from "../store/engine/database.ts";
import { credentialsTopic, slotsTopic } from "../store/engine/topics.ts";
import type { DeploymentPlace } from "./deployment-place.ts";

/**
 * Drops what only the lost secret could open, so that the server starts with a new one. With SQLite the server must be
 * stopped. Gives how much was dropped.
 */
export async function resetSecret(database: Database, place: DeploymentPlace) {
  const lock = place.databaseUrl === undefined ? await lockFolder(place.data, { patienceMs: 0 }) : undefined;
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
