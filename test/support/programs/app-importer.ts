import { importOwned } from "../../../server/admin/import.ts";
import { openDatabase } from "../../../server/database/open.ts";

/** Imports a file until it kills itself, after the number of transactions in IMPORTER. Prints how many there were. */
async function run(): Promise<void> {
  const { address, data, file, owner, killAfter } = JSON.parse(process.env.IMPORTER ?? "{}");
  const database = await openDatabase(address);
  let writes = 0;
  const write: typeof database.write = async (work, pace) => {
    const result = await database.write(work, pace);
    writes++;
    if (writes === killAfter) process.kill(process.pid, "SIGKILL");
    return result;
  };
  await importOwned({ ...database, write }, { data, databaseUrl: address.url }, { file, owner });
  process.stdout.write(`${writes}\n`);
  await database.close();
}

run().catch((error: unknown) => {
  process.stderr.write(`${error}\n`);
  process.exitCode = 1;
});
