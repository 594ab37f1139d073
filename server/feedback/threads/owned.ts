import { ApiError } from "../../../src/contract/errors.ts";
import type { Viewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { feedbackThreads } from "./store/threads.ts";

/** A thread, and its app. If the thread of the request was merged, this is the thread into which it was merged. */
export interface FoundThread {
  readonly id: string;
  readonly appId: string;
}

/**
 * Returns the thread with an id, or the thread into which it was merged, if the viewer may read it. Throws `not_found`
 * otherwise.
 */
export async function readableThread(reader: Reader, id: string, viewer: Viewer): Promise<FoundThread> {
  const found = await feedbackThreads.findApp(reader, id, viewer);
  if (!found) throw new ApiError("not_found");
  return found;
}

/**
 * Locks and returns the thread that `readableThread` returns for an id. Call this before a change of the thread, so
 * that nobody merges the thread at the same time. Throws `not_found`.
 */
export async function lockedThread(tx: Transaction, id: string, viewer: Viewer): Promise<FoundThread> {
  await tx.lock(id);
  let found = await readableThread(tx, id, viewer);
  for (let locked = id; found.id !== locked; found = await readableThread(tx, id, viewer)) {
    locked = found.id;
    await tx.lock(locked);
  }
  return found;
}

/** Locks and returns a thread as `lockedThread` does. Throws `merged` if it was merged into another one. */
export async function unmergedThread(tx: Transaction, id: string, viewer: Viewer): Promise<FoundThread> {
  const found = await lockedThread(tx, id, viewer);
  if (found.id !== id.toLowerCase()) throw new ApiError("merged");
  return found;
}
