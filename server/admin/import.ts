import { v7 } from "uuid";
import { systemClock } from "../clock.ts";
import type { Database } from "../database/database.ts";
import { type DataLocation, SettingError } from "../settings/settings.ts";
import { bindFiles, openFiles, openKeptFiles } from "../start/open-files.ts";
import { importApp } from "../transfer/import.ts";
import { accountOf, record } from "./accounts.ts";
import { exists } from "./data-location.ts";

/** Imports an exported app while the server may run. Throws a SettingError, `not_found` and `bad_request`. */
export async function importOwned(
  database: Database,
  location: DataLocation,
  {
    file,
    owner,
    name,
    baseUrl,
  }: {
    readonly file: string;
    /** The address of the account that becomes the owner. */
    readonly owner: string;
    readonly name?: string | undefined;
    /** The base address of the server, if it is known. */
    readonly baseUrl?: string | undefined;
  },
) {
  if (!(await exists(file))) throw new SettingError(`${file} cannot be read.`);
  const { id: ownerId } = await accountOf(database, owner);
  await bindFiles(database, location);
  const files = openFiles(location);
  const deps = {
    database,
    files,
    keptFiles: openKeptFiles(database, files, location),
    clock: systemClock,
    newId: () => v7(),
    // The limit for the files of an app does not apply to an import by the operator.
    settings: { baseUrl, storedBytesPerApp: Number.POSITIVE_INFINITY },
    log: { warn: () => undefined },
  };
  const wanted = { path: file, ownerId, name, signal: new AbortController().signal };
  return importApp(deps, wanted, (imported, finish) =>
    database.write(async (tx) => {
      await finish(tx);
      await record(tx, ownerId, { action: "app.import", appId: imported.appId, target: imported.appId });
      return { ...imported };
    }),
  );
}
