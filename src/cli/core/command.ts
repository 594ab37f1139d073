import { type Command, Help, type Option } from "commander";
import { type CredentialKind, credentialKinds } from "../../client/credential-kinds.ts";
import { clientOf, type Sender } from "../../client/send.ts";
import { stateFolder } from "../../credentials/folders.ts";
import type { Exit } from "./cli-error.ts";
import { connect } from "./connection.ts";
import type { Context, FoundCredential, GlobalFlags, Invocation } from "./context.ts";
import { assertCredentialKind, findCredential, isOfOtherServer, notSent, serverOf } from "./credentials.ts";
import { isOfEveryChange } from "./flags.ts";
import { note } from "./output.ts";

/** The result of a command: an exit of this program, or the exit code of another program that the command ran. */
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
 * Sets the action of a command. `flags` contains the command's own flags and the global flags. `argument` is the first
 * positional argument; a variadic argument is an array. The exit is `ok` unless the action returns another exit or
 * throws.
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
 * Returns the credential that a command sends to its server. Undefined if there is none. Throws a CliError if
 * the credential is of another kind, or if `findCredential` refuses the server. Prints a note if it ignores the
 * variable and uses the stored credential.
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

/**
 * The style of the help of a command. It hides aliases. It also hides the flags of `mutates`, because many commands
 * have them.
 */
export const helpStyle = {
  subcommandTerm: (command: Command): string => `${command.name()} ${argumentsOf(command)}`.trim(),
  commandUsage: (command: Command): string =>
    `innkeep ${wordsOf(command)} ${command.usage()}`.replace(/ +/g, " "),
  visibleOptions: (command: Command): Option[] =>
    new Help().visibleOptions(command).filter((option) => !isOfEveryChange(option)),
  optionDescription: (option: Option): string =>
    `${new Help().optionDescription(option)}${option.mandatory ? " (required)" : ""}`,
};

/**
 * The style of the help of the whole program. It also hides the global options, because `innkeep help options` shows
 * them.
 */
export const programHelpStyle = {
  ...helpStyle,
  formatHelp: (command: Command, help: Help): string =>
    new Help().formatHelp(command, Object.assign(help, { visibleOptions: () => [] })),
};

const examples = new WeakMap<Command, readonly string[]>();

/**
 * Sets the examples of a command. Each example is a whole command line. The help of the command, `docs/cli.md` and the
 * manual page show the examples.
 */
export function addExamples(command: Command, ...lines: readonly string[]): void {
  examples.set(command, lines);
}

/** Returns the examples of a command. Empty if the command only has subcommands. */
export const examplesOf = (command: Command): readonly string[] => examples.get(command) ?? [];

/**
 * Adds a text to the end of the help of each subcommand: its examples, and the command that shows the global options.
 */
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

/** Returns the words that call a command, without the name of the program. */
export function wordsOf(command: Command): string {
  const words = [];
  for (let at = command; at.parent; at = at.parent) words.unshift(at.name());
  return words.join(" ");
}

const argumentsOf = (command: Command): string =>
  command.registeredArguments
    .map((argument) => (argument.required ? `<${argument.name()}>` : `[${argument.name()}]`))
    .join(" ");
