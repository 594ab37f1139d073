import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Idempotency, PreparedRequest } from "../../client/options.ts";
import { isObject } from "../../contract/json.ts";
import { readIfThere, writePrivately } from "../../credentials/folders.ts";
import type { Context } from "./context.ts";

interface PendingKey {
  readonly key: string;
  readonly at: string;
  readonly processId: number;
}

/** How long a key is used. Servers keep keys for 24 hours. A request may take an hour. */
const usableMs = 23 * 3_600_000;

/**
 * Stores each request's key until the server has handled the request. A repeated command sends the same key.
 */
export function idempotencyKeys(context: Context, stateFolder: string): Idempotency {
  const files = new Map<string, string>();
  return {
    async keyFor(request) {
      const file = join(stateFolder, "pending", `${fingerprintOf(request)}.json`);
      const left = parse(readIfThere(file));
      const { key, at } = left && isOurs(context, left) ? left : fresh(context);
      const pending: PendingKey = { key, at, processId: context.processId };
      attempt(() => writePrivately(file, JSON.stringify(pending), context.newId));
      files.set(key, file);
      return key;
    },
    async settled(key) {
      const file = files.get(key);
      if (file) attempt(() => rmSync(file, { force: true }));
    },
  };
}

/** Whether the server still has the key, and no other running process uses it. */
const isOurs = ({ clock, processId, isRunning }: Context, left: PendingKey): boolean =>
  clock.now().getTime() - Date.parse(left.at) < usableMs &&
  (left.processId === processId || !isRunning(left.processId));

// A reused key keeps its time, because the server counts 24 hours from the first request.
const fresh = ({ clock, newId }: Context) => ({ key: newId(), at: clock.now().toISOString() });

/** Ignores errors of the file system. If the folder is not writable, the command continues without a stored key. */
function attempt(change: () => void): void {
  try {
    change();
  } catch {}
}

// Only the hash of the request is stored, because the request may contain secrets.
function fingerprintOf({ method, url, body }: PreparedRequest): string {
  const text = typeof body === "object" ? "" : (body ?? "");
  return createHash("sha256").update(`${method}\n${url.href}\n${text}`).digest("hex");
}

function parse(text: string | undefined): PendingKey | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    if (!isObject(value) || !("key" in value && "at" in value && "processId" in value)) return undefined;
    return { key: String(value.key), at: String(value.at), processId: Number(value.processId) };
  } catch {
    return undefined;
  }
}
