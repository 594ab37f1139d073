import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { removeOldestThreads } from "./store.ts";

const atOnce = 200;

type Removing = Pick<Deps, "database" | "keptFiles" | "log">;

/** Deletes the threads of an app and their files in small batches, so that other writes get a turn in between. */
export async function removeThreads(deps: Removing, appId: string): Promise<void> {
  for (;;) {
    const { count, hashes } = await deps.database.write((tx) => removeOldestThreads(tx, appId, atOnce));
    removeFiles(deps, hashes);
    if (count < atOnce) return;
  }
}

/** Deletes within one transaction the threads that arrived meanwhile. Returns the hashes of their files. */
export async function removeLastThreads(tx: Transaction, appId: string): Promise<string[]> {
  const gone: string[] = [];
  for (;;) {
    const { count, hashes } = await removeOldestThreads(tx, appId, atOnce);
    gone.push(...hashes);
    if (count < atOnce) return gone;
  }
}

/** Deletes files without references in the background. Their owner is deleted already, so a failure is only logged. */
export function removeFiles({ keptFiles, log }: Removing, hashes: readonly string[]): void {
  keptFiles.removeLater(hashes, (error) => log.warn({ err: error }, "files without owner left"));
}
