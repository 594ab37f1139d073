import { type Command, InvalidArgumentError, Option } from "commander";
import { usageError } from "./cli-error.ts";

/** Adds the flag of commands that show one item. */
export const views = (command: Command): Command =>
  command.option("--raw <field>", "print this field alone, exactly as it is stored");

const ofChanges = new WeakSet<Option>();

/** Whether a flag is one of those that `mutates` adds. Help shows them once, on a page of their own. */
export const isOfEveryChange = (option: Option): boolean => ofChanges.has(option);

/** Adds the flags of commands that change something. `dryRun` is the help of `--dry-run`. */
export function mutates(command: Command, dryRun = "print the request instead of sending it"): Command {
  const options = [
    new Option("--dry-run", dryRun),
    new Option("--idempotency-key <key>", "use this Idempotency-Key instead of a generated one"),
    new Option(
      "--max-wait <time>",
      "try again for so long: 15s on a terminal, 60s in CI and in a pipe",
    ).argParser(duration),
    new Option("--timeout <time>", "how long one try may be silent: 30s, at most 1d").argParser(atMostADay),
  ];
  for (const option of options) {
    ofChanges.add(option);
    command.addOption(option);
  }
  return command;
}

/** A timer of Node with more than 24 days ends at once, so a day is the limit. */
function atMostADay(given: string): number {
  const seconds = duration(given);
  if (seconds < 1 || seconds > 86_400)
    throw new InvalidArgumentError("It must be a length of time from 1s to 1d.");
  return seconds;
}

/** Adds the flags of commands that destroy something. */
export const destroys = (command: Command, dryRun?: string): Command =>
  mutates(command, dryRun).option("-y, --yes", "do not ask");

/** Adds the flags of commands that destroy something on this machine only. */
export const destroysHere = (command: Command): Command =>
  command
    .option("--dry-run", "say what would be dropped instead of dropping it")
    .option("-y, --yes", "do not ask");

/** Adds the flag that selects the app. */
export const ofApp = (command: Command): Command =>
  command.option("--app <id>", "id or name of the app (INNKEEP_APP); needs a maintainer token");

/** Reads a whole number. */
export function wholeNumber(given: string): number {
  if (/^-?\d{1,15}$/.test(given)) return Number(given);
  throw new InvalidArgumentError("It must be a whole number.");
}

/** Reads a whole number that is not negative. */
export function count(given: string): number {
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new InvalidArgumentError("It must be a whole number, 0 or more.");
}

/** Collects the values of a flag that may be given several times. */
export const several = (given: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  given,
];

const unitSeconds: Readonly<Record<string, number>> = { d: 86_400, h: 3_600, m: 60, s: 1 };

/** Reads a length of time such as `8h`, `90s` or `1h30m`, in seconds. */
export function duration(given: string): number {
  const parts = [...given.toLowerCase().matchAll(/(\d{1,9})([dhms])/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== given.toLowerCase()) {
    throw new InvalidArgumentError("It must be a length of time such as 8h, 30m or 90s.");
  }
  return parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (unitSeconds[unit] ?? 0), 0);
}

/**
 * The instant of a flag; undefined without the flag. A day means its first moment in UTC. Throws a usage error for any
 * text that is neither a day nor an instant.
 */
export function instantOf(flag: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const text = /^\d{4}-\d\d-\d\d$/.test(given) ? `${given}T00:00:00Z` : given;
  if (/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:?\d\d)$/i.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw usageError(
    `${flag} must be a day such as 2026-11-21, or an instant such as 2026-11-21T09:00:00Z, not "${given}".`,
  );
}

/** Splits `name=value` at the first `=`. Throws without `=` or without a name. */
export function splitPair(given: string): [string, string] {
  const at = given.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("It must be of the form name=value.");
  return [given.slice(0, at).trim(), given.slice(at + 1)];
}

/** The IANA name of this machine's time zone; undefined if only its offset is known. */
export function systemTimeZone(): string | undefined {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return timeZone && !/^[+-]|Unknown/.test(timeZone) ? timeZone : undefined;
}
