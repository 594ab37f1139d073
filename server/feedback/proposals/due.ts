import type { Deps } from "../../deps.ts";
import { endDueSnoozes } from "../threads/store/fields.ts";
import { expiredApprovals, proposals } from "./store.ts";

/**
 * Stores ended snoozes and expired approvals. Call this function before you read threads or proposals: filters
 * compare stored states. (rules A23, F42)
 */
export async function storeDueChanges(
  deps: Pick<Deps, "clock" | "database" | "newId" | "time">,
): Promise<void> {
  await Promise.all([endDueSnoozes(deps), storeDueExpiries(deps)]);
}

async function storeDueExpiries(deps: Pick<Deps, "clock" | "database" | "newId" | "time">): Promise<void> {
  if (deps.time.isDoubtful()) return;
  const now = deps.clock.now();
  for (;;) {
    const due = await expiredApprovals.list(deps.database, now, mostAtOnce);
    // An error, for example on a full disk, is ignored, so that people can still read the threads.
    const stored = await storeExpiries(deps, { due, now }).catch(() => 0);
    if (stored < mostAtOnce) return;
  }
}

const mostAtOnce = 200;

/**
 * Stores expired approvals, each in its own transaction, until `stopping` is aborted. Returns the number of
 * stored approvals. (rule A23)
 */
export async function storeExpiries(
  { database, newId }: Pick<Deps, "database" | "newId">,
  { due, now }: { readonly due: readonly { readonly id: string }[]; readonly now: Date },
  stopping?: AbortSignal,
): Promise<number> {
  let stored = 0;
  for (const { id } of due) {
    if (stopping?.aborted) break;
    const isStored = await database.write(async (tx) => {
      const run = await proposals.findOwned(tx, id);
      if (!run) return false;
      await tx.lock(run.feedbackId);
      return expiredApprovals.store(tx, run, { now, newId });
    });
    if (isStored) stored += 1;
  }
  return stored;
}
