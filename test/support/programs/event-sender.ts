import pino from "pino";
import { createTimeWatch, systemClock } from "../../../server/clock.ts";
import { openDatabase } from "../../../server/database/open.ts";
import { createNewId, createSealer } from "../../../server/secrets/secrets.ts";
import { readSettings } from "../../../server/settings/read-settings.ts";
import { startWebhooks } from "../../../server/webhooks/endpoints/worker.ts";
import { recordEvent } from "../../../server/webhooks/events/record.ts";

/**
 * Changes an app repeatedly until it is killed, each time with the event of the change, and sends the events. Prints
 * the number of each change after its commit.
 */
async function run(): Promise<void> {
  const { address, data, secret, appId, from, until } = JSON.parse(process.env.SENDER ?? "{}");
  const database = await openDatabase(address);
  const newId = createNewId();
  const settings = { ...readSettings({ port: 0, data }, {}), privateWebhooks: true };
  const log = pino({ level: "silent" });
  startWebhooks({
    ...{ database, settings, log, clock: systemClock, time: createTimeWatch(systemClock, () => undefined) },
    sealer: createSealer(secret),
  });
  const change = async (number: number) => {
    await database.write(async (tx) => {
      await tx.run("UPDATE apps SET faqs_version = faqs_version + 1 WHERE id = ?", appId);
      const at = systemClock.now().toISOString();
      await recordEvent({ newId }, tx, {
        ...{ appId, type: "faq.changed", subjectId: appId, at },
        facts: { number },
      });
    });
    process.stdout.write(`${number}\n`);
  };
  for (let number: number = from; number < until; number += 20)
    await Promise.all(Array.from({ length: 20 }, (_, more) => change(number + more)));
  process.stdout.write("done\n");
  // The timers of the worker alone do not keep the process running.
  setInterval(() => undefined, 60_000);
}

run().catch((error: unknown) => {
  process.stderr.write(`${error}\n`);
  process.exitCode = 1;
});
