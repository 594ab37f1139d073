import type { Files } from "../files/files.ts";
import { createKeptFiles, type KeptFiles } from "../files/kept-files.ts";
import type { DataLocation } from "../settings/settings.ts";
import { filesPlace } from "../store/deployment/files-place.ts";
import type { Database } from "../store/engine/database.ts";
import { uploads } from "../store/requests/uploads.ts";
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
