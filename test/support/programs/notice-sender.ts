import { setTimeout } from "node:timers/promises";
import pino from "pino";
import { createTimeWatch, systemClock } from "../../../server/clock.ts";
import { openDatabase } from "../../../server/database/open.ts";
import { startMail } from "../../../server/mail/outgoing/worker.ts";
import { startPushes } from "../../../server/notices/browsers/worker.ts";
import { startNotices } from "../../../server/notices/mails/worker.ts";
import { createNewId, createSealer } from "../../../server/secrets/secrets.ts";
import { readSettings } from "../../../server/settings/read-settings.ts";
import { recordEvent } from "../../../server/webhooks/events/record.ts";

/**
 * Records requests of testers for slots until it is killed, and sends the notices to members. Its clock is fast: 15
 * minutes pass in a moment. Prints the number of each request after its commit.
 */
async function run(): Promise<void> {
  const { address, environment, secret, apps, start, speed, from, until } = JSON.parse(
    process.env.SENDER ?? "{}",
  );
  const database = await openDatabase(address);
  const newId = createNewId();
  const settings = readSettings({ port: 0 }, environment);
  const clock = { ...systemClock, now: () => new Date(start + (Date.now() - start) * speed) };
  const time = createTimeWatch(systemClock, () => undefined);
  const deps = {
    database,
    clock,
    time,
    settings,
    newId,
    sealer: createSealer(secret),
    log: pino({ level: "silent" }),
  };
  startNotices(deps);
  startPushes(deps);
  await startMail(deps);
  // Nothing else signals that time has passed on the fast clock.
  setInterval(() => void database.write(async (tx) => tx.signal("*")).catch(() => undefined), 50);
  for (let number: number = from; number < until; number += 1) {
    await database.write((tx) =>
      recordEvent({ newId }, tx, {
        ...{ appId: apps[number % apps.length], type: "seat.requested", subjectId: `slot-${number}` },
        facts: { cycleId: `cycle-${number}-${newId()}`, seat: 1 },
        at: clock.now().toISOString(),
      }),
    );
    process.stdout.write(`${number}\n`);
    await setTimeout(30);
  }
  process.stdout.write("done\n");
}

run().catch((error: unknown) => {
  process.stderr.write(`${error}\n`);
  process.exitCode = 1;
});
