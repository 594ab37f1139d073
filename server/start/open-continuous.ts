import { join } from "node:path";
import { recipientsIn } from "../admin/archive/keys.ts";
import { journalOf } from "../background/erase-again.ts";
import { type ContinuousBackup, startContinuousBackup } from "../continuous/continuous-backup.ts";
import { createFolderPlace } from "../continuous/places/folder-place.ts";
import type { Place } from "../continuous/places/place.ts";
import { createS3Place } from "../continuous/places/s3-place.ts";
import type { Deps } from "../deps.ts";
import type { ContinuousSettings, CopiesPlace } from "../settings/settings.ts";

/** The place of copies that settings name. */
export const openCopies = (place: CopiesPlace): Place =>
  "s3" in place ? createS3Place(place.s3) : createFolderPlace(place.folder);

/** Throws a SettingError if the public keys of a continuous backup are wrong. */
export const assertKeys = (continuous: ContinuousSettings | undefined): void =>
  void recipientsIn(continuous?.recipient);

/** Starts the continuous backup of the settings, if there is one. Throws a SettingError for a wrong public key. */
export function startContinuous(deps: Deps): ContinuousBackup | undefined {
  const { settings, database, keptNames } = deps;
  const { continuous } = settings;
  if (!continuous || !database.log || !keptNames || settings.dev) return undefined;
  return startContinuousBackup({ ...deps, keptNames }, database.log, {
    place: openCopies(continuous.place),
    recipients: recipientsIn(continuous.recipient) ?? [],
    everyMs: continuous.everyMs,
    keptDays: continuous.keptDays,
    secretFile: join(settings.data, "secret"),
    journal: journalOf(settings),
    isTimeDoubtful: () => deps.time.isDoubtful(),
  });
}
