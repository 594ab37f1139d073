import type { Database } from "../../database/database.ts";
import { webhooksTopic } from "../../database/signals.ts";
import { events } from "../events/store.ts";
import { type ClearedWebhook, deliveries, webhooks } from "./store.ts";

/**
 * How many deliveries or events one transaction changes at most. The number is small, so that other writes wait only
 * briefly.
 */
const clearedAtOnce = 1_000;

type Writing = Pick<Database, "get" | "all" | "engine" | "write">;

/**
 * Cancels some of the deliveries that waited when a webhook was switched off, or deletes some deliveries of a deleted
 * webhook. Returns the number of changed rows; 0 if there is nothing to do. (rule O33)
 */
export async function clearNext(database: Writing): Promise<number> {
  const webhook = await webhooks.nextToClear(database);
  return webhook === undefined ? 0 : clearSome(database, webhook);
}

/**
 * Deletes the webhooks, their deliveries and the events of an app that is being deleted. It uses small transactions.
 */
export async function removeReceivers(database: Writing, appId: string, now: string): Promise<void> {
  await database.write((tx) => webhooks.remove(tx, { appId }, now));
  for (;;) {
    const webhook = await webhooks.nextToClear(database, appId);
    if (webhook === undefined) break;
    await clearSome(database, webhook);
  }
  while ((await database.write((tx) => events.removeOfApp(tx, appId, clearedAtOnce))) === clearedAtOnce);
}

/**
 * Cancels some deliveries of a webhook that was switched off, or deletes some of a removed webhook. If none are left,
 * deletes the removed webhook, or lets the webhook send again. Returns the number of changed rows.
 */
const clearSome = (database: Writing, webhook: ClearedWebhook): Promise<number> =>
  database.write(async (tx) => {
    const { id, removedAt } = webhook;
    // Another server may do the same work. Without this lock, a statement that waited for that server would find no
    // rows, as if no work was left.
    await tx.lock(`webhook off ${id}`);
    const count = await (removedAt === null
      ? deliveries.giveUp(tx, webhook, clearedAtOnce)
      : deliveries.remove(tx, id, clearedAtOnce));
    if (count > 0) return count;
    if (removedAt !== null) return webhooks.removeRow(tx, id);
    // Deliveries that were queued after the webhook was switched on again have waited for the end of this work.
    tx.signal(webhooksTopic);
    return webhooks.cleared(tx, webhook);
  });
