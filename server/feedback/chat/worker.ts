import { outboxTopic } from "../../database/signals.ts";
import type { Deps } from "../../deps.ts";
import { longestSleep, pauseInDoubt, startDueWork } from "../../jobs/due-work.ts";
import { openAddress } from "../../secrets/addresses.ts";
import { postToChat } from "./chat.ts";
import { nextAttempt } from "./delivery.ts";
import { type Delivery, outbox } from "./store.ts";

const atOnce = 10;
/** How long a delivery to a chat channel is reserved for this server. This is longer than any delivery takes. */
const holdMilliseconds = 60_000;

export interface OutboxWorker {
  /** Stops after the running deliveries have ended. */
  stop(): Promise<void>;
}

type Needed = Pick<Deps, "database" | "clock" | "time" | "settings" | "sealer" | "log">;

/**
 * Sends the due deliveries of the outbox to chat channels. A new delivery is sent at once, a failed one is tried again
 * later.
 */
export function startOutbox(deps: Needed): OutboxWorker {
  const stop = startDueWork(deps, {
    topic: outboxTopic,
    doDue: () => deliverDue(deps),
    pause: () => pause(deps),
    failure: "sending from the outbox failed",
  });
  return { stop };
}

async function pause({ database, clock, time }: Needed): Promise<number> {
  if (time.isDoubtful()) return pauseInDoubt;
  const next = await outbox.nextDue(database);
  if (!next) return longestSleep;
  return Math.min(longestSleep, Math.max(0, Date.parse(next.dueAt) - clock.now().getTime()));
}

async function deliverDue(deps: Needed): Promise<number> {
  // With a wrong time a delivery could be given up, or postponed for years.
  if (deps.time.isDoubtful()) return 0;
  const now = deps.clock.now();
  if (deps.settings.dev) return deps.database.write((tx) => outbox.capture(tx, now.toISOString()));
  const claim = {
    now: now.toISOString(),
    until: new Date(now.getTime() + holdMilliseconds).toISOString(),
    most: atOnce,
  };
  const due = await deps.database.write((tx) => outbox.claimDue(tx, claim));
  await Promise.all(due.map((delivery) => deliver(deps, delivery)));
  return due.length;
}

async function deliver(deps: Needed, delivery: Delivery): Promise<void> {
  const { database, clock, log } = deps;
  const failure = await post(deps, delivery).then(
    () => undefined,
    (error: Error) => error.message,
  );
  const now = clock.now();
  await database.write(async (tx) => {
    if (failure === undefined) return outbox.markSent(tx, delivery.id, now.toISOString());
    log.warn({ delivery: delivery.id, attempts: delivery.attempts, reason: failure }, "not delivered");
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
