import { join } from "node:path";
import pino from "pino";
import { systemClock } from "../../../server/clock.ts";
import { openDatabase } from "../../../server/database/open.ts";
import { createEraser } from "../../../server/erasure/eraser.ts";
import { createKeptFiles } from "../../../server/files/kept-files.ts";
import { createLocalFiles } from "../../../server/files/local-files.ts";
import { uploads } from "../../../server/files/store.ts";
import { createNewId, createSealer } from "../../../server/secrets/secrets.ts";
import { readSettings } from "../../../server/settings/read-settings.ts";

/** Erases the people of a database until it is killed. Prints a line before each step. */
async function erase(): Promise<void> {
  const { address, data, secret } = JSON.parse(process.env.ERASER ?? "{}");
  const database = await openDatabase(address);
  const deps = {
    database,
    clock: systemClock,
    newId: createNewId(),
    keptFiles: createKeptFiles(createLocalFiles(join(data, "files")), (decide) =>
      uploads.withFileLocks(database, decide),
    ),
    sealer: createSealer(secret),
    settings: readSettings({ port: 0, data }, {}),
    log: pino({ level: "silent" }),
    stopping: new AbortController().signal,
  };
  const eraser = createEraser(deps);
  do process.stdout.write("step\n");
  while ((await eraser.next()) > 0);
  await database.close();
}

erase().catch((error: unknown) => {
  process.stderr.write(`${error}\n`);
  process.exitCode = 1;
});
