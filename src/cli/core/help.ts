import { type Command, Help, type Option } from "commander";
import { examples } from "./examples.ts";
import { isOfEveryChange } from "./flags.ts";

/** The form of help: without aliases, and without what is the same for every command. */
export const helpStyle = {
  subcommandTerm: (command: Command): string => `${command.name()} ${argumentsOf(command)}`.trim(),
  commandUsage: (command: Command): string =>
    `innkeep ${wordsOf(command)} ${command.usage()}`.replace(/ +/g, " "),
  visibleOptions: (command: Command): Option[] =>
    new Help().visibleOptions(command).filter((option) => !isOfEveryChange(option)),
  optionDescription: (option: Option): string =>
    `${new Help().optionDescription(option)}${option.mandatory ? " (required)" : ""}`,
};

/** The same for the whole program: its options stand on a page of their own. */
export const programHelpStyle = {
  ...helpStyle,
  formatHelp: (command: Command, help: Help): string =>
    new Help().formatHelp(command, Object.assign(help, { visibleOptions: () => [] })),
};

/** Adds the end of the help to each command below: examples, and where the global options are. */
export function addHelpEndings(command: Command): void {
  for (const one of command.commands) {
    one.addHelpText("after", () => endingOf(one));
    addHelpEndings(one);
  }
}

function endingOf(command: Command): string {
  const lines = examples[wordsOf(command)] ?? [];
  const shown = lines.length === 0 ? "" : `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}\n`;
  return `${shown}\nGlobal options: innkeep help options`;
}

/** The words that call a command, without the program's own name. */
export function wordsOf(command: Command): string {
  const words = [];
  for (let at = command; at.parent; at = at.parent) words.unshift(at.name());
  return words.join(" ");
}

const argumentsOf = (command: Command): string =>
  command.registeredArguments
    .map((argument) => (argument.required ? `<${argument.name()}>` : `[${argument.name()}]`))
    .join(" ");
