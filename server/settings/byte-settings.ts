import { SettingError } from "./setting-error.ts";

const units: Readonly<Record<string, number>> = {
  "": 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};
/** What the largest report has: under it none of that size could ever be sent. */
const least = 64 * 2 ** 20;

/** A number of bytes from text such as `20GiB` or `off`, which is no limit. Throws a SettingError for anything else. */
export function bytesOf(name: string, given: string): number {
  if (given === "off") return Number.POSITIVE_INFINITY;
  const [, digits, unit = ""] = /^(\d{1,12}) ?(KiB|MiB|GiB|TiB)?$/.exec(given) ?? [];
  const bytes = Number(digits) * (units[unit] ?? Number.NaN);
  if (bytes >= least) return bytes;
  throw new SettingError(`${name} must be at least 64MiB, such as 20GiB, or \`off\`, not \`${given}\`.`);
}
