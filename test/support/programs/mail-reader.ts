import pino from "pino";
import { systemClock } from "../../../server/clock.ts";
import { openDatabase } from "../../../server/database/open.ts";
import { createMailHandler } from "../../../server/mail/incoming/handle.ts";
import { startMailReceiver } from "../../../server/mail/incoming/receiver.ts";
import { readSettings } from "../../../server/settings/read-settings.ts";
import { createDeps } from "../../../server/start/open-deps.ts";

/** Reads a mailbox until it is killed: by its test, or by itself at the step that READER names. */
async function read(): Promise<void> {
  const { address, data, environment, secret, killAt, ahead = 0 } = JSON.parse(process.env.READER ?? "{}");
  let left: number = killAt?.count ?? 0;
  const passed = (step: string) => {
    if (step !== killAt?.step) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
  };
  const database = await openDatabase(address);
  const deps = createDeps(readSettings({ port: 0, data }, environment), database, {
    clock: { ...systemClock, now: () => new Date(systemClock.now().getTime() + ahead) },
    log: pino({ level: "silent" }),
    secret,
    stopping: new AbortController().signal,
  });
  const handle = createMailHandler(deps);
  startMailReceiver(deps, async (mail) => {
    passed("fetched");
    const outcome = await handle({
      ...mail,
      async begin() {
        const attempt = await mail.begin();
        passed("begun");
        return attempt;
      },
      async claim(tx) {
        const claimed = await mail.claim(tx);
        passed("claimed");
        return claimed;
      },
    });
    passed("stored");
    return outcome;
  });
}

read().catch((error: unknown) => {
  process.stderr.write(`${error}\n`);
  process.exitCode = 1;
});
