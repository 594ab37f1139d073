import pino from "pino";
import { systemClock } from "../../../server/clock.ts";
import { openDatabase } from "../../../server/database/open.ts";
import { startMail } from "../../../server/mail/outgoing/worker.ts";
import { createSealer } from "../../../server/secrets/secrets.ts";
import { readSettings } from "../../../server/settings/read-settings.ts";

/** Sends the mails of a database until it is killed. */
async function send(): Promise<void> {
  const { address, environment, secret } = JSON.parse(process.env.SENDER ?? "{}");
  const database = await openDatabase(address);
  const settings = readSettings({ port: 0 }, environment);
  const time = { isDoubtful: () => false, behindMs: () => 0, begin: () => {} };
  const log = pino({ level: "silent" });
  await startMail({ database, clock: systemClock, time, settings, sealer: createSealer(secret), log });
  process.stdout.write("sending\n");
}

send().catch((error: unknown) => {
  process.stderr.write(`${error}\n`);
  process.exitCode = 1;
});
