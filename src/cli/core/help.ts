import { type Command, Help, type Option } from "commander";
import { isOfEveryChange } from "./flags.ts";

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
