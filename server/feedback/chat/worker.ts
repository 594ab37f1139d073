import { outboxTopic } from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import { postSafely } from "../../http/post-safely.ts";
import { longestSleep, pauseInDoubt, startTargetQueues } from "../../jobs/runner.ts";
import { openAddress } from "../../secrets/secrets.ts";
import { noteOngoing } from "../../webhooks/events/record.ts";
import { isForChat } from "./post.ts";
import { failingAttempts } from "./rules.ts";
import { chatChanged, type Delivery, outbox } from "./store.ts";

const atOnce = 10;

/** The time in milliseconds for which a delivery is reserved for this server. Every delivery takes less time. */
const holdMilliseconds = 60_000;

interface OutboxWorker {
  /** Starts no further deliveries, and waits until the running deliveries have ended. */
  stop(): Promise<void>;
}

type WorkerDeps = Pick<Deps, "database" | "clock" | "time" | "settings" | "sealer" | "log">;

/** Sends the messages of the outbox. Each app has its own queue, so a slow chat does not delay others. (rule A8) */
export function startOutbox(deps: WorkerDeps): OutboxWorker {
  const stop = startTargetQueues(deps, {
    topic: outboxTopic,
    dueTargets: (busy, most) => dueApps(deps, busy, most),
    serve: (appId) => deliverDue(deps, appId),
    pause: (busy) => pause(deps, busy),
    failure: "sending from the outbox failed",
  });
  return { stop };
}

async function pause({ database, clock, time }: WorkerDeps, busy: readonly string[]): Promise<number> {
  if (time.isDoubtful()) return pauseInDoubt;
  const next = await outbox.nextDue(database, busy);
  if (!next) return longestSleep;
  return Math.min(longestSleep, Math.max(0, Date.parse(next.dueAt) - clock.now().getTime()));
}

async function dueApps(deps: WorkerDeps, busy: readonly string[], most: number): Promise<string[]> {
  // If the clock is wrong, a delivery could be cancelled too early, or be postponed for years.
  if (deps.time.isDoubtful()) return [];
  const now = deps.clock.now().toISOString();
  if (deps.settings.dev) {
    await deps.database.write((tx) => outbox.capture(tx, now));
    return [];
  }
  return (await outbox.dueApps(deps.database, now, busy, most)).map(({ appId }) => appId);
}

async function deliverDue(deps: WorkerDeps, appId: string): Promise<void> {
  const now = deps.clock.now();
  const claim = {
    now: now.toISOString(),
    until: new Date(now.getTime() + holdMilliseconds).toISOString(),
    most: atOnce,
  };
  const due = await deps.database.write((tx) => outbox.claimDue(tx, appId, claim));
  await Promise.all(due.map((delivery) => deliver(deps, delivery)));
}

async function deliver(deps: WorkerDeps, delivery: Delivery): Promise<void> {
  const { database, clock, log } = deps;
  const chat = await outbox.chatOf(database, delivery.appId);
  // An owner may have changed or removed the chat since the message was queued. (rule N9)
  if (!isForChat(deps, delivery.target, chat))
    return void (await database.write((tx) => outbox.giveUp(tx, delivery.id, chatChanged)));
  const failure = await post(deps, delivery).then(
    () => undefined,
    (error: Error) => error.message,
  );
  const now = clock.now();
  await database.write(async (tx) => {
    if (failure === undefined) return outbox.markSent(tx, delivery.id, now.toISOString());
    log.warn({ delivery: delivery.id, attempts: delivery.attempts, reason: failure }, "not delivered");
    if (delivery.attempts === failingAttempts)
      await noteOngoing(tx, {
        ...{ appId: delivery.appId, kind: "delivery", subjectId: delivery.appId, at: now.toISOString() },
      });
    const again = nextAttempt(new Date(delivery.createdAt), delivery.attempts, now);
    if (!again) return outbox.giveUp(tx, delivery.id, failure);
    return outbox.postpone(tx, delivery.id, { dueAt: again.toISOString(), error: failure });
  });
}

async function post(
  { settings, sealer }: Pick<Deps, "settings" | "sealer">,
  { target, payload }: Delivery,
): Promise<void> {
  const url = openAddress(sealer, target);
  await postToChat({ url, payload, privateAllowed: settings.privateWebhooks });
}

const timeLimitMs = 10_000;

/** Posts a message to a chat. Throws an Error if the status is not 2xx. (rule A8) */
export async function postToChat({
  url,
  payload,
  privateAllowed,
}: {
  readonly url: string;
  /** The message as JSON. */
  readonly payload: string;
  /** Whether the address may be in a private or loopback network. */
  readonly privateAllowed: boolean;
}): Promise<void> {
  const reach = privateAllowed ? "all" : "public";
  const { status } = await postSafely({ url, receiver: "chat", body: payload, reach, timeLimitMs });
  // The error does not contain the address, because the address is a secret.
  if (status < 200 || status >= 300) throw new Error(`The chat answered ${status}`);
}

const firstPause = 5_000;

const longestPause = 3_600_000;

const patience = 24 * 3_600_000;

/**
 * Returns the time of the next attempt; undefined if it would be more than 24 hours after `createdAt`.
 * (rule A8)
 */
export function nextAttempt(createdAt: Date, attempts: number, now: Date): Date | undefined {
  const pause = Math.min(longestPause, firstPause * 2 ** (attempts - 1));
  const next = new Date(now.getTime() + pause);
  return next.getTime() - createdAt.getTime() > patience ? undefined : next;
}
