import type { DeliveryAttempt } from "../../../src/contract/events.ts";
import { limits } from "../../../src/contract/limits.ts";
import { webhookHeaders } from "../../../src/words/webhook-signature.ts";
import type { Database } from "../../database/database.ts";
import { webhooksOffTopic, webhooksTopic } from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import { postSafely, reachOf } from "../../http/post-safely.ts";
import { longestSleep, pauseInDoubt, startDueWork, startTargetQueues } from "../../jobs/runner.ts";
import { failingTries } from "../../notices/causes/rules.ts";
import { openAddress } from "../../secrets/secrets.ts";
import { noteOngoing } from "../events/record.ts";
import { bodyOf, eventAnswer, factsOf } from "../events/rules.ts";
import { goneStatus, isDelivered, nextTry, withAttempt } from "./rules.ts";
import {
  type ClearedWebhook,
  type DueDelivery,
  deliveries,
  type EventRow,
  events,
  eventTexts,
  type WebhookRow,
  webhooks,
} from "./store.ts";

/** How many events are sent to one webhook at the same time. */
const deliveredAtOnce = 8;

/** How long an attempt may take. (rule O28) */
const timeLimitMs = 15_000;

/** How long a delivery is reserved for this server. This is longer than any attempt takes. */
const holdMilliseconds = 60_000;

type WorkerDeps = Pick<Deps, "database" | "clock" | "time" | "settings" | "sealer" | "log">;

/**
 * Starts the jobs that send events to webhooks and cancel unneeded deliveries. Returns the function that stops
 * both.
 */
export function startWebhooks(deps: WorkerDeps): () => Promise<void> {
  const stopClearing = startDueWork(deps, {
    topic: webhooksOffTopic,
    doDue: () => clearNext(deps.database),
    pause: async () => longestSleep,
    failure: "deliveries of webhooks could not be cancelled",
  });
  const stopSending = startSending(deps);
  return async () => void (await Promise.all([stopSending(), stopClearing()]));
}

const startSending = (deps: WorkerDeps): (() => Promise<void>) =>
  startTargetQueues(deps, {
    topic: webhooksTopic,
    async dueTargets(busy, most) {
      // If the clock is wrong, a delivery could be cancelled, or postponed for years.
      if (deps.time.isDoubtful()) return [];
      const due = await deliveries.dueTargets(deps.database, deps.clock.now().toISOString(), busy, most);
      return due.map(({ id }) => id);
    },
    serve: (target, stopping) => serve(deps, target, stopping),
    async pause(busy) {
      if (deps.time.isDoubtful()) return pauseInDoubt;
      const next = await deliveries.nextDue(deps.database, busy);
      if (!next?.dueAt) return longestSleep;
      return Math.min(longestSleep, Math.max(0, Date.parse(next.dueAt) - deps.clock.now().getTime()));
    },
    failure: "sending to webhooks failed",
  });

/** Sends a batch of the due events of a webhook. */
async function serve(deps: WorkerDeps, id: string, stopping: AbortSignal): Promise<void> {
  const { database, clock } = deps;
  const now = clock.now();
  const claim = {
    now: now.toISOString(),
    until: new Date(now.getTime() + holdMilliseconds).toISOString(),
    most: deliveredAtOnce,
  };
  const webhook = await webhooks.findEnabled(database, id);
  if (!webhook || stopping.aborted) return;
  const due = await database.write((tx) => deliveries.claimDue(tx, id, claim));
  await Promise.all(due.map((delivery) => deliver(deps, { webhook, delivery, stopping })));
}

interface Sending {
  readonly webhook: WebhookRow;
  readonly delivery: DueDelivery;
  readonly stopping: AbortSignal;
}

async function deliver(deps: WorkerDeps, { webhook, delivery, stopping }: Sending): Promise<void> {
  const { database, clock, log } = deps;
  const event = await events.find(database, webhook.appId, delivery.eventId);
  if (!event) return;
  const attempt = await send(deps, { webhook, event, stopping });
  if (attempt === undefined)
    return void (await database.write((tx) =>
      deliveries.release(tx, webhook.id, delivery, clock.now().toISOString()),
    ));
  const delivered = isDelivered(attempt);
  const next = delivered ? undefined : nextTry(delivery.tries, clock.now());
  if (!delivered) {
    const { status, error } = attempt;
    const names = { webhook: webhook.id, event: event.id, tries: delivery.tries };
    log.warn({ ...names, status, reason: error }, "an event was not delivered to a webhook");
  }
  await database.write(async (tx) => {
    // An erasure may have changed the earlier attempts while this attempt ran. (rule P4)
    const known: DeliveryAttempt[] = JSON.parse(
      (await deliveries.attempts(tx, webhook.id, delivery.eventId)) ?? "[]",
    );
    await deliveries.settle(tx, webhook.id, delivery, {
      status: delivered ? "delivered" : next ? "waiting" : "failed",
      dueAt: (next ?? clock.now()).toISOString(),
      attempts: JSON.stringify(withAttempt(known, attempt)),
    });
    const fails = { appId: webhook.appId, kind: "delivery", subjectId: webhook.id } as const;
    const at = clock.now().toISOString();
    if (!delivered && delivery.tries === failingTries) await noteOngoing(tx, { ...fails, at });
    if (attempt.status !== goneStatus) return;
    if (!(await webhooks.switchOffGone(tx, webhook, at))) return;
    tx.signal(webhooksOffTopic);
    await noteOngoing(tx, { ...fails, at });
  });
}

/** Sends an event once. Returns undefined if the server stops before there is an answer. */
async function send(
  deps: WorkerDeps,
  {
    webhook,
    event,
    stopping,
  }: { readonly webhook: WebhookRow; readonly event: EventRow; readonly stopping: AbortSignal },
): Promise<DeliveryAttempt | undefined> {
  const { clock } = deps;
  const now = clock.now();
  const at = now.toISOString();
  const startedMs = clock.steadyMs();
  const milliseconds = () => Math.max(0, Math.round(clock.steadyMs() - startedMs));
  try {
    const { status, text } = await post(deps, { webhook, event, now, stopping });
    return { at, status, error: null, answer: storable(text), milliseconds: milliseconds() };
  } catch (error) {
    if (stopping.aborted) return undefined;
    const reason = error instanceof Error ? error.message : "unknown";
    return { at, status: null, error: reason, answer: null, milliseconds: milliseconds() };
  }
}

async function post(
  { database, sealer, settings }: WorkerDeps,
  {
    webhook,
    event,
    now,
    stopping,
  }: {
    readonly webhook: WebhookRow;
    readonly event: EventRow;
    readonly now: Date;
    readonly stopping: AbortSignal;
  },
) {
  const texts = webhook.texts === 1 ? await textsOf(database, event) : undefined;
  const body = bodyOf(eventAnswer(event, settings.consoleUrl), texts);
  const sealed = [webhook.secret, ...(hasOldSecret(webhook, now) ? [webhook.oldSecret] : [])];
  const secrets = sealed.map((secret) => openAddress(sealer, secret));
  return postSafely({
    url: openAddress(sealer, webhook.url),
    receiver: "webhook",
    body,
    headers: webhookHeaders({ id: event.id, seconds: Math.floor(now.getTime() / 1_000), body }, secrets),
    reach: reachOf(settings),
    timeLimitMs,
    answerBytes: 4 * limits.webhookAnswer,
    signal: stopping,
  });
}

const hasOldSecret = (
  webhook: WebhookRow,
  now: Date,
): webhook is WebhookRow & { readonly oldSecret: string } =>
  webhook.oldSecret !== null && webhook.oldUntil !== null && webhook.oldUntil > now.toISOString();

/** Returns the texts that the object of an event has now; undefined if the object has no texts. */
function textsOf(database: Deps["database"], event: EventRow): Promise<object | undefined> {
  const { messageId } = factsOf(event);
  if (event.type === "changelog.published") return eventTexts.ofReleaseNote(database, event.subjectId);
  if (event.type.startsWith("run.")) return eventTexts.ofProposal(database, event.subjectId);
  if (!event.type.startsWith("feedback.")) return Promise.resolve(undefined);
  return typeof messageId === "string"
    ? eventTexts.ofMessage(database, messageId)
    : eventTexts.ofThread(database, event.subjectId);
}

/** Returns the beginning of an answer without the characters that a database cannot store. */
const storable = (text: string): string =>
  [...text.toWellFormed().replaceAll("\0", "")].slice(0, limits.webhookAnswer).join("");

/**
 * How many deliveries or events one transaction changes at most. A small number lets other writes wait only briefly.
 */
const clearedAtOnce = 1_000;

type Writing = Pick<Database, "get" | "all" | "engine" | "write">;

/**
 * Cancels or deletes some deliveries of a webhook that is off or deleted. Returns the number of changed rows.
 * (rule O33)
 */
async function clearNext(database: Writing): Promise<number> {
  const webhook = await webhooks.nextToClear(database);
  return webhook === undefined ? 0 : clearSome(database, webhook);
}

/** Deletes the webhooks, deliveries and events of an app that is being deleted, in small transactions. */
export async function removeReceivers(database: Writing, appId: string, now: string): Promise<void> {
  await database.write((tx) => webhooks.remove(tx, { appId }, now));
  for (;;) {
    const webhook = await webhooks.nextToClear(database, appId);
    if (webhook === undefined) break;
    await clearSome(database, webhook);
  }
  while ((await database.write((tx) => events.removeOfApp(tx, appId, clearedAtOnce))) === clearedAtOnce);
}

/** Cancels or deletes some deliveries of one webhook. Returns the number of changed rows. */
const clearSome = (database: Writing, webhook: ClearedWebhook): Promise<number> =>
  database.write(async (tx) => {
    const { id, removedAt } = webhook;
    // Without the lock, the slower of two servers would change no rows and assume that no delivery is left.
    await tx.lock(`webhook off ${id}`);
    const count = await (removedAt === null
      ? deliveries.giveUp(tx, webhook, clearedAtOnce)
      : deliveries.remove(tx, id, clearedAtOnce));
    if (count > 0) return count;
    // No delivery is left.
    if (removedAt !== null) return webhooks.removeRow(tx, id);
    // If the webhook was switched on again, its new deliveries have waited for the end of the old deliveries.
    tx.signal(webhooksTopic);
    return webhooks.cleared(tx, webhook);
  });
