import { serverSettings } from "./environment.ts";

const known = ["seed", "now", "settings"];

/**
 * Throws a TypeError that names every fault of the options of a start: a word that nothing reads would be missed only when a
 * test fails.
 */
export function assertOptions(options: unknown): void {
  const faults = isObject(options) ? faultsOf(options) : ["The options must be an object."];
  if (faults.length > 0) throw new TypeError(faults.join("\n"));
}

/** The instant of a text or a Date. Throws a TypeError if it is none. */
export function instantOf(given: string | Date): string {
  if (isInstant(given)) return new Date(given).toISOString();
  throw new TypeError(notInstant(given));
}

function faultsOf({ seed, now, settings = {}, ...others }: Record<string, unknown>): string[] {
  return [
    ...Object.keys(others).map((name) => `There is no option ${name}. The options are ${known.join(", ")}.`),
    ...(seed === undefined || typeof seed === "string" || isObject(seed)
      ? []
      : ["`seed` must be an object or the path of a file."]),
    ...(now === undefined || isInstant(now) ? [] : [notInstant(now)]),
    ...(isObject(settings)
      ? Object.entries(settings).flatMap(settingFaults)
      : ["`settings` must be an object."]),
  ];
}

function settingFaults([name, value]: [string, unknown]): string[] {
  if (!serverSettings.includes(name))
    return [`A server for tests does not take the setting ${name}. It takes ${serverSettings.join(", ")}.`];
  return value === undefined || typeof value === "string" ? [] : [`The setting ${name} must be a string.`];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isInstant = (given: unknown): boolean =>
  (typeof given === "string" || given instanceof Date) && !Number.isNaN(new Date(given).getTime());

const notInstant = (given: unknown): string => `${String(given)} is no instant such as 2031-03-01T09:00:00Z.`;
