import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Idempotency } from "../client/options.ts";
import type { PreparedRequest } from "../client/prepare.ts";
import { readIfThere, writePrivately } from "../credentials/private-file.ts";
import type { Context } from "./context.ts";

interface PendingKey {
  readonly key: string;
  readonly at: string;
  readonly processId: number;
}

/** Servers remember a key for 24 hours: a younger one still has its answer, and leaves the request time to run. */
const usableMs = 23 * 3_600_000;

/**
 * Gives every mutation a key of its own and keeps it until the server has dealt with the request: the same command run
 * again repeats the request instead of doubling it. A folder that cannot be written costs only that memory.
 */
export function pendingKeys(context: Context, stateFolder: string): Idempotency {
  const files = new Map<string, string>();
  return {
    async keyFor(request) {
      const file = join(stateFolder, "pending", `${fingerprintOf(request)}.json`);
      const left = parse(await readIfThere(file));
      const pending = left && isOurs(context, left) ? left : { key: context.newId() };
      await keep(context, file, pending.key);
      files.set(pending.key, file);
      return pending.key;
    },
    async settled(key) {
      const file = files.get(key);
      if (file) await rm(file, { force: true }).catch(() => {});
    },
  };
}

/** Left behind by a run that is over, and young enough to mean anything to the server. */
const isOurs = ({ clock, processId, isRunning }: Context, left: PendingKey): boolean =>
  clock.now().getTime() - Date.parse(left.at) < usableMs &&
  (left.processId === processId || !isRunning(left.processId));

async function keep({ clock, processId, newId }: Context, file: string, key: string): Promise<void> {
  const pending: PendingKey = { key, at: clock.now().toISOString(), processId };
  await writePrivately(file, JSON.stringify(pending), newId).catch(() => {});
}

// Only the hash is written down: the request may hold what nobody else should read.
function fingerprintOf({ method, url, body }: PreparedRequest): string {
  const text = typeof body === "object" ? "" : (body ?? "");
  return createHash("sha256").update(`${method}\n${url.href}\n${text}`).digest("hex");
}

function parse(text: string | undefined): PendingKey | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    if (typeof value !== "object" || value === null) return undefined;
    if (!("key" in value && "at" in value && "processId" in value)) return undefined;
    return { key: String(value.key), at: String(value.at), processId: Number(value.processId) };
  } catch {
    return undefined;
  }
}
