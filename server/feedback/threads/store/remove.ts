import type { Transaction } from "../../../database/database.ts";
import type { Deps } from "../../../deps.ts";
import { removeOldestThreads } from "./removal.ts";

const atOnce = 200;

type RemovalDeps = Pick<Deps, "database" | "keptFiles" | "log">;

/**
 * Deletes the threads of an app and their files. It uses small transactions, so that other writes wait only briefly.
 */
export async function removeThreads(deps: RemovalDeps, appId: string): Promise<void> {
  for (;;) {
    const { count, hashes } = await deps.database.write((tx) => removeOldestThreads(tx, appId, atOnce));
    removeFiles(deps, hashes);
    if (count < atOnce) return;
  }
}

/**
 * Deletes, in one transaction, the threads that arrived while `removeThreads` ran. Returns the hashes of their files.
 */
export async function removeLastThreads(tx: Transaction, appId: string): Promise<string[]> {
  const gone: string[] = [];
  for (;;) {
    const { count, hashes } = await removeOldestThreads(tx, appId, atOnce);
    gone.push(...hashes);
    if (count < atOnce) return gone;
  }
}

/**
 * Deletes files without references, in the background. Their thread or app is already deleted, so a failure is only
 * logged.
 */
export function removeFiles({ keptFiles, log }: RemovalDeps, hashes: readonly string[]): void {
  keptFiles.removeLater(hashes, (error) => log.warn({ err: error }, "unused files could not be deleted"));
}
