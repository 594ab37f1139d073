import { SettingError } from "./setting-error.ts";
import type { Environment } from "./settings.ts";

const units: Readonly<Record<string, number>> = {
  "": 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};
/** The size of the largest report. With a lower limit such a report could never be sent. */
const least = 64 * 2 ** 20;

/** How much feedback is taken and kept. Throws a SettingError. */
export const byteLimitsOf = (environment: Environment) => ({
  feedbackBytesPerHour: bytesOf(
    "INNKEEP_FEEDBACK_BYTES_PER_HOUR",
    environment.INNKEEP_FEEDBACK_BYTES_PER_HOUR ?? "2GiB",
  ),
  storedBytesPerApp: bytesOf(
    "INNKEEP_STORED_BYTES_PER_APP",
    environment.INNKEEP_STORED_BYTES_PER_APP ?? "20GiB",
  ),
});

/** The number of bytes in a text such as `20GiB`. `off` means no limit. Throws a SettingError for any other text. */
function bytesOf(name: string, given: string): number {
  if (given === "off") return Number.POSITIVE_INFINITY;
  const [, digits, unit = ""] = /^(\d{1,12}) ?(KiB|MiB|GiB|TiB)?$/.exec(given) ?? [];
  const bytes = Number(digits) * (units[unit] ?? Number.NaN);
  if (bytes >= least) return bytes;
  throw new SettingError(`${name} must be at least 64MiB, such as 20GiB, or \`off\`, not \`${given}\`.`);
}
