import { type Command, Help, InvalidArgumentError, Option } from "commander";
import { type CredentialKind, credentialKinds } from "../../client/connection.ts";
import { clientOf, type Sender } from "../../client/send.ts";
import { canonicalLanguage } from "../../contract/content-text.ts";
import { stateFolder } from "../../credentials/folders.ts";
import { type Exit, usageError } from "./cli-error.ts";
import { connect } from "./connection.ts";
import type { Context, FoundCredential, GlobalFlags, Invocation } from "./context.ts";
import { note } from "./output.ts";
import { assertCredentialKind, findCredential, isOfOtherServer, notSent, serverOf } from "./settings.ts";

/** The exit of a command, or the exit code of another program that the command ran. */
export type Ending = Exit | { readonly code: number };

/** What a group of commands needs: the context, and the object in which each command stores its exit. */
export interface Setup {
  readonly context: Context;
  readonly outcome: { exit: Ending };
  /** True for commands of a tester. They use the server of the last sign-in by default. */
  readonly asTester?: boolean;
}

export const forTester = (setup: Setup): Setup => ({ ...setup, asTester: true });

/**
 * Sets the action of a command. `flags` include the global flags. `argument` is the first positional argument.
 */
export function commandAction<Flags extends object, Argument = undefined>(
  command: Command,
  { context, outcome, asTester }: Setup,
  run: (
    invocation: Invocation,
    flags: Flags & GlobalFlags,
    argument: Argument,
  ) => Promise<Ending | undefined>,
): void {
  command.action(async () => {
    const flags = command.optsWithGlobals<Flags & GlobalFlags>();
    const [argument] = command.processedArgs;
    outcome.exit = (await run(startInvocation(context, flags, asTester), flags, argument)) ?? "ok";
  });
}

/** Creates the invocation of a command. Commands of a tester use the server of the last sign-in by default. */
export function startInvocation(context: Context, flags: GlobalFlags, asTester = false): Invocation {
  const found = new Map<CredentialKind, Promise<FoundCredential | undefined>>();
  let sender: Sender | undefined;
  const invocation: Invocation = {
    context,
    flags,
    get stateFolder() {
      return stateFolder(context);
    },
    server: () => serverOf(context, flags, asTester),
    baseUrl: () => invocation.server().address,
    sender() {
      sender ??= connect(invocation);
      return sender;
    },
    client: () => clientOf(invocation.sender()),
    credential(kind) {
      const known = found.get(kind) ?? ownCredential(invocation, kind);
      found.set(kind, known);
      return known;
    },
  };
  return invocation;
}

/**
 * Returns the credential for the server. Throws a CliError if the credential has another kind, or if
 * `findCredential` does not trust the server.
 */
export async function ownCredential(
  invocation: Invocation,
  kind: CredentialKind,
): Promise<FoundCredential | undefined> {
  const { context, flags } = invocation;
  const server = invocation.server();
  const found = await findCredential(context, flags, { server, kind });
  if (!found) return undefined;
  assertCredentialKind(found, kind);
  const { name, variable } = credentialKinds[kind];
  if (!found.isGiven && isOfOtherServer(context, server, variable))
    note(invocation, `${notSent(variable, server)} The stored ${name} is used.`);
  return found;
}

/** The style of the help. Hides aliases, and the flags that `mutates` adds to every command that changes something. */
export const helpStyle = {
  subcommandTerm: (command: Command): string => `${command.name()} ${argumentsOf(command)}`.trim(),
  commandUsage: (command: Command): string =>
    `innkeep ${wordsOf(command)} ${command.usage()}`.replace(/ +/g, " "),
  visibleOptions: (command: Command): Option[] =>
    new Help().visibleOptions(command).filter((option) => !isOfEveryChange(option)),
  optionDescription: (option: Option): string =>
    `${new Help().optionDescription(option)}${option.mandatory ? " (required)" : ""}`,
};

/** The style of the whole program's help. Hides the global options, which `innkeep help options` shows. */
export const programHelpStyle = {
  ...helpStyle,
  formatHelp: (command: Command, help: Help): string =>
    new Help().formatHelp(command, Object.assign(help, { visibleOptions: () => [] })),
};

const examples = new WeakMap<Command, readonly string[]>();

/** Sets the examples of a command, as whole command lines. The help, `docs/cli.md` and the manual page show them. */
export function addExamples(command: Command, ...lines: readonly string[]): void {
  examples.set(command, lines);
}

/** Returns the examples of a command. Empty if the command only has subcommands. */
export const examplesOf = (command: Command): readonly string[] => examples.get(command) ?? [];

/** Adds the examples and the hint about global options to the help of each subcommand. */
export function addHelpEndings(command: Command): void {
  for (const one of command.commands) {
    one.addHelpText("after", () => endingOf(one));
    addHelpEndings(one);
  }
}

function endingOf(command: Command): string {
  const lines = examplesOf(command);
  const shown = lines.length === 0 ? "" : `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}\n`;
  return `${shown}\nGlobal options: innkeep help options`;
}

/** Returns the words that call a command, such as `faq list`. */
export function wordsOf(command: Command): string {
  const words = [];
  for (let at = command; at.parent; at = at.parent) words.unshift(at.name());
  return words.join(" ");
}

const argumentsOf = (command: Command): string =>
  command.registeredArguments
    .map((argument) => (argument.required ? `<${argument.name()}>` : `[${argument.name()}]`))
    .join(" ");

/** Adds the flag `--raw` for commands that show one item. */
export const views = (command: Command): Command =>
  command.option("--raw <field>", "print this field alone, exactly as it is stored");

const ofChanges = new WeakSet<Option>();

/** Whether `mutates` added the flag. The help shows these flags only once, on a separate page. */
const isOfEveryChange = (option: Option): boolean => ofChanges.has(option);

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

/** Returns the seconds of a duration from one second to one day. Throws an InvalidArgumentError otherwise. */
function atMostADay(given: string): number {
  const seconds = duration(given);
  // A timer of more than 24 days would end immediately.
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

/** Returns the time in a flag. A date means its start in UTC. Throws a usage error for other texts. */
export function instantOf(flag: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const text = withTime(given);
  if (/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:?\d\d)$/i.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw usageError(
    `${flag} must be a day such as 2026-11-21, or an instant such as 2026-11-21T09:00:00Z, not "${given}".`,
  );
}

/** Returns the given text. A date without a time gets the start of the day in UTC. */
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
