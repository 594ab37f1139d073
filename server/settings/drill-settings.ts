import { SettingError } from "./setting-error.ts";
import type { DrillSettings, Environment } from "./settings.ts";

const usualKept = 7;
const mostKept = 1_000;

/** The nightly backups of a server; undefined if it makes none. Throws a SettingError. */
export function drillOf(environment: Environment): DrillSettings | undefined {
  const { INNKEEP_BACKUP_DRILL: when, INNKEEP_BACKUP_DIR: folder } = environment;
  if (!when || when === "off") return undefined;
  if (!folder) throw new SettingError("INNKEEP_BACKUP_DIR must name the folder of the nightly backups.");
  return {
    at: timeOf(when),
    folder,
    kept: keptOf(environment.INNKEEP_BACKUP_KEEP),
    recipient: environment.INNKEEP_BACKUP_RECIPIENT || undefined,
  };
}

function timeOf(given: string): number {
  const time = given === "daily" ? "03:00" : given;
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? [];
  if (hours !== undefined && minutes !== undefined) return Number(hours) * 60 + Number(minutes);
  throw new SettingError(
    `INNKEEP_BACKUP_DRILL must be \`daily\`, a time of day in UTC such as \`03:30\`, or \`off\`, not \`${given}\`.`,
  );
}

function keptOf(given: string | undefined): number {
  const kept = Number(given || usualKept);
  if (Number.isInteger(kept) && kept >= 1 && kept <= mostKept) return kept;
  throw new SettingError(`INNKEEP_BACKUP_KEEP must be a number from 1 to ${mostKept}, not \`${given}\`.`);
}
