import { InvalidArgumentError } from "commander";

const unitSeconds: Readonly<Record<string, number>> = { d: 86_400, h: 3_600, m: 60, s: 1 };

/** Reads a length of time such as `8h`, `90s` or `1h30m`, in seconds. */
export function duration(given: string): number {
  const parts = [...given.toLowerCase().matchAll(/(\d{1,9})([dhms])/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== given.toLowerCase()) {
    throw new InvalidArgumentError("It must be a length of time such as 8h, 30m or 90s.");
  }
  return parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (unitSeconds[unit] ?? 0), 0);
}
