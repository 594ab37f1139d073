import { sessions } from "../../../src/contract/test-sessions.ts";
import type { Deps } from "../../deps.ts";
import { scopeOfField } from "../../http/idempotency.ts";
import { idempotency } from "../../http/idempotency-store.ts";
import { forget } from "../../http/rate-limits/store.ts";
import { testSessions } from "./store.ts";

/** A test key that no slot of an app has. */
export interface UnknownKey {
  readonly appId: string;
  readonly keyHash: string;
}

const atOnce = 100;

/**
 * Limits what unknown test keys leave in the database: rate limits and stored answers. Gives a function to call after
 * each use of such a key. If deleting old traces fails, the request still succeeds.
 */
export function createForgetUnknown({
  database,
  settings,
  log,
}: Pick<Deps, "database" | "settings" | "log">): (key: UnknownKey) => Promise<void> {
  const note = createUnknownKeys(settings.budgets.unknownTestKeys);
  return async (key) => {
    const old = note(key);
    if (old.length === 0) return;
    const scopes = old.map(({ appId, keyHash }) => scopeOfField(appId, keyHash, sessions.report));
    await database
      .write(async (tx) => {
        // What is unknown to one app may be the key of another app's slot, whose uses still count.
        const held = await testSessions.heldKeys(tx, old);
        const unheld = old.filter(({ keyHash }) => !held.has(keyHash));
        await forget(
          tx,
          unheld.map(({ keyHash }) => `sdkSession:${keyHash}`),
        );
        await idempotency.forget(tx, scopes);
      })
      .catch((error) => log.warn({ err: error }, "old uses of unknown test keys not forgotten"));
  };
}

/**
 * Keeps the unknown test keys that left traces in the database, the least recently used first. Gives the keys whose
 * traces must be deleted: when there are more than `most`, the app with the most keys loses its oldest, a hundred at a
 * time.
 */
function createUnknownKeys(most: number): (key: UnknownKey) => readonly UnknownKey[] {
  const byApp = new Map<string, Set<string>>();
  let count = 0;

  const use = ({ appId, keyHash }: UnknownKey) => {
    const keys = byApp.get(appId) ?? new Set();
    byApp.set(appId, keys);
    if (!keys.delete(keyHash)) count += 1;
    keys.add(keyHash);
  };
  const dropOldest = (): UnknownKey[] => {
    let appId = "";
    let largest = new Set<string>();
    for (const [id, keys] of byApp) {
      if (keys.size <= largest.size) continue;
      appId = id;
      largest = keys;
    }
    const dropped: UnknownKey[] = [];
    for (const keyHash of largest) {
      if (dropped.length === atOnce) break;
      dropped.push({ appId, keyHash });
    }
    for (const { keyHash } of dropped) largest.delete(keyHash);
    if (largest.size === 0) byApp.delete(appId);
    count -= dropped.length;
    return dropped;
  };

  return (key) => {
    use(key);
    return count < most + atOnce ? [] : dropOldest();
  };
}
