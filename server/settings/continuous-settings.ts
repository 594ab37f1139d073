import { s3At } from "./s3-settings.ts";
import { SettingError } from "./setting-error.ts";
import type { ContinuousSettings, CopiesPlace, Environment } from "./settings.ts";

const name = "INNKEEP_CONTINUOUS_BACKUP";
const usualSeconds = 10;
const mostSeconds = 60;
/** For how many days copies are kept unless INNKEEP_BACKUPS_KEPT_DAYS says so. */
const usualDays = 7;

interface Beside {
  readonly databaseUrl: string | undefined;
  readonly backupsKeptDays: number | undefined;
}

/** The continuous backup of a server; undefined if there is none. Throws a SettingError. */
export function continuousOf(
  environment: Environment,
  { databaseUrl, backupsKeptDays }: Beside,
): ContinuousSettings | undefined {
  const { INNKEEP_CONTINUOUS_BACKUP: given, INNKEEP_BACKUP_RECIPIENT: recipient } = environment;
  if (!given) return undefined;
  if (databaseUrl !== undefined)
    throw new SettingError(
      `${name} is for SQLite. PostgreSQL archives its own log: docs/operating.md says how. Leave ${name} out.`,
    );
  return {
    place: copiesPlaceOf(name, given, environment),
    recipient: recipient || undefined,
    everyMs: secondsOf(environment.INNKEEP_CONTINUOUS_BACKUP_SECONDS) * 1_000,
    keptDays: backupsKeptDays ?? usualDays,
  };
}

/** Where copies are: a folder, or an address of S3. Throws a SettingError that names the setting. */
export function copiesPlaceOf(setting: string, given: string, environment: Environment): CopiesPlace {
  if (/^https?:\/\//i.test(given)) return { s3: s3At(setting, given, environment) };
  // Otherwise `s3://bucket` would be the name of a folder here.
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(given))
    throw new SettingError(
      `${setting} must be a folder, or the address of an S3 store that begins with https://.`,
    );
  return { folder: given };
}

function secondsOf(given: string | undefined): number {
  const seconds = Number(given || usualSeconds);
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= mostSeconds) return seconds;
  throw new SettingError(
    `INNKEEP_CONTINUOUS_BACKUP_SECONDS must be a number from 1 to ${mostSeconds}, not \`${given}\`.`,
  );
}
