import { setTimeout as sleep } from "node:timers/promises";
import pino from "pino";
import { startContinuousBackup } from "../../../server/continuous/continuous-backup.ts";
import { createFolderPlace } from "../../../server/continuous/places/folder-place.ts";
import { createKeptNames } from "../../../server/files/kept-names.ts";
import { createLocalFiles } from "../../../server/files/local-files.ts";
import { openDatabase } from "../../../server/store/engine/open.ts";

/** Writes endlessly while all changes are copied, and prints the id of each row once its write was acknowledged. */
async function load(): Promise<void> {
  const { file, files, copies, name } = JSON.parse(process.env.LOAD ?? "{}");
  const database = await openDatabase({ file });
  if (!database.log) throw new Error("Only SQLite has a log to copy.");
  startContinuousBackup(
    {
      database,
      files: createLocalFiles(files),
      log: pino({ level: "silent" }),
      newId: () => "the deployment",
      keptNames: createKeptNames(),
    },
    database.log,
    {
      ...{ place: createFolderPlace(copies), recipients: [], everyMs: 5, keptDays: 7 },
      ...{ secretFile: `${files}/secret`, journal: `${files}/erasures.ndjson`, writeBackFrames: 100 },
    },
  );
  for (let count = 0; ; count++) {
    const id = `${name} ${count}`;
    await database.write((tx) =>
      tx.insert("deployment", { name: id, value: "x".repeat((count % 7) * 1_000) }),
    );
    process.stdout.write(`${id} ${Date.now()}\n`);
    await sleep(1);
  }
}

load().catch((error: unknown) => {
  process.stderr.write(`${error}\n`);
  process.exitCode = 1;
});
