import { type Command, InvalidArgumentError, Option } from "commander";
import { canonicalLanguage } from "../../contract/content-text.ts";
import { usageError } from "./cli-error.ts";

/** Adds the flag `--raw` for commands that show one item. */
export const views = (command: Command): Command =>
  command.option("--raw <field>", "print this field alone, exactly as it is stored");

const ofChanges = new WeakSet<Option>();

/** Whether `mutates` added the flag. The help shows these flags only once, on a separate page. */
export const isOfEveryChange = (option: Option): boolean => ofChanges.has(option);

/** Adds the flags for commands that change something. `dryRun` is the help text of `--dry-run`. */
export function mutates(command: Command, dryRun = "print the request instead of sending it"): Command {
  const options = [
    new Option("--dry-run", dryRun),
    new Option("--idempotency-key <key>", "use this Idempotency-Key instead of a generated one"),
    new Option(
      "--max-wait <time>",
      "for how long to repeat a failed request; default: 15s on a terminal, 60s in CI and in a pipe",
    ).argParser(duration),
    new Option(
      "--timeout <time>",
      "how long to wait for data in one attempt, at most 1d; default: 30s",
    ).argParser(atMostADay),
  ];
  for (const option of options) {
    ofChanges.add(option);
    command.addOption(option);
  }
  return command;
}

/**
 * Parses a duration of at most one day. With more than 24 days, a timer of Node would end immediately. Throws an
 * InvalidArgumentError for any other text.
 */
function atMostADay(given: string): number {
  const seconds = duration(given);
  if (seconds < 1 || seconds > 86_400)
    throw new InvalidArgumentError("It must be a length of time from 1s to 1d.");
  return seconds;
}

/** Adds the flags for commands that delete something permanently. */
export const destroys = (command: Command, dryRun?: string): Command =>
  mutates(command, dryRun).option("-y, --yes", "do not ask");

/** Adds the flags for commands that delete something only on this machine. */
export const destroysHere = (command: Command): Command =>
  command
    .option("--dry-run", "show what would be deleted instead of deleting it")
    .option("-y, --yes", "do not ask");

export const ofApp = (command: Command): Command =>
  command.option("--app <id>", "id or name of the app (INNKEEP_APP); needs a maintainer token");

export const inLanguage = (command: Command, meaning: string): Command =>
  command.addOption(new Option("--lang <tag>", meaning).argParser(language));

function language(given: string): string {
  const tag = canonicalLanguage(given.replaceAll("_", "-"));
  if (tag !== undefined) return tag;
  throw new InvalidArgumentError("It must be a language tag such as de or pt-BR.");
}

export function wholeNumber(given: string): number {
  if (/^-?\d{1,15}$/.test(given)) return Number(given);
  throw new InvalidArgumentError("It must be a whole number of at most 15 digits.");
}

/** Parses a whole number from 0 to 999,999,999. Throws an InvalidArgumentError for any other text. */
export function count(given: string): number {
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new InvalidArgumentError("It must be a whole number from 0 to 999999999.");
}

/** Collects the values of a flag that may be given several times. */
export const several = (given: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  given,
];

const unitSeconds: Readonly<Record<string, number>> = { d: 86_400, h: 3_600, m: 60, s: 1 };

/**
 * Parses a duration such as `8h`, `90s` or `1h30m`. Returns seconds. Throws an InvalidArgumentError for any other text.
 */
export function duration(given: string): number {
  const parts = [...given.toLowerCase().matchAll(/(\d{1,9})([dhms])/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== given.toLowerCase()) {
    throw new InvalidArgumentError("It must be a length of time such as 8h, 30m or 90s.");
  }
  return parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (unitSeconds[unit] ?? 0), 0);
}

/**
 * Returns the time that a flag contains. Undefined without the flag. A date without a time means the start of that day
 * in UTC. Throws a usage error for any other text.
 */
export function instantOf(flag: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const text = withTime(given);
  if (/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:?\d\d)$/i.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw usageError(
    `${flag} must be a day such as 2026-11-21, or an instant such as 2026-11-21T09:00:00Z, not "${given}".`,
  );
}

/** Returns the given time. Adds the start of the day in UTC to a date without a time. */
export const withTime = (given: string): string =>
  /^\d{4}-\d\d-\d\d$/.test(given) ? `${given}T00:00:00Z` : given;

/** Splits `name=value` at the first `=`. Throws an error if the `=` or the name is missing. */
export function splitPair(given: string): [string, string] {
  const at = given.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("It must be of the form name=value.");
  return [given.slice(0, at).trim(), given.slice(at + 1)];
}

/** Returns the IANA name of this machine's time zone. Undefined if only the offset is known. */
export function systemTimeZone(): string | undefined {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return timeZone && !/^[+-]|Unknown/.test(timeZone) ? timeZone : undefined;
}
