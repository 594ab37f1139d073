import { type Command, InvalidArgumentError, Option } from "commander";
import { duration } from "./duration.ts";

/** The flag of a command that shows one thing. */
export const views = (command: Command): Command =>
  command.option("--raw <field>", "print this field alone, exactly as it is stored");

const ofChanges = new WeakSet<Option>();

/** Whether a flag is one of those that every command which changes something takes. Help shows them once, apart. */
export const isOfEveryChange = (option: Option): boolean => ofChanges.has(option);

/** The flags of a command that changes something. `dryRun` says what `--dry-run` does. */
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

/** Timers of Node end at once after 24 days. */
function atMostADay(given: string): number {
  const seconds = duration(given);
  if (seconds < 1 || seconds > 86_400)
    throw new InvalidArgumentError("It must be a length of time from 1s to 1d.");
  return seconds;
}

/** The flags of a command that destroys something. */
export const destroys = (command: Command, dryRun?: string): Command =>
  mutates(command, dryRun).option("-y, --yes", "do not ask");

/** The flags of a command that destroys something on this machine alone. */
export const destroysHere = (command: Command): Command =>
  command
    .option("--dry-run", "say what would be dropped instead of dropping it")
    .option("-y, --yes", "do not ask");

/** The flag that says which app is meant. */
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
