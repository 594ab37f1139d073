import type { Database } from "../database/database.ts";
import type { Files } from "../files/files.ts";
import { createKeptFiles, type KeptFiles } from "../files/kept-files.ts";
import { filesPlace } from "../files/store.ts";
import { uploads } from "../files/uploads-store.ts";
import type { DataLocation } from "../settings/settings.ts";
import { placeIn } from "./bind-files.ts";

/** The keeper of the files in the place that the settings name. */
export const openKeptFiles = (
  database: Database,
  files: Files,
  location: Pick<DataLocation, "s3">,
): KeptFiles =>
  createKeptFiles(
    files,
    (decide) => uploads.withFileLocks(database, decide),
    async (tx) => (await filesPlace.hold(tx)) === placeIn(location),
  );
