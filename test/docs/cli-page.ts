import { type Command, Help, type Option } from "commander";
import { exitCodes } from "../../src/cli/core/cli-error.ts";
import { examplesOf } from "../../src/cli/core/command.ts";
import { variables } from "../../src/cli/help.ts";
import { anchorOf, page, table } from "./markdown.ts";

const head = `# The command line

Written by \`npm run docs\` from the commands. Do not edit it: change \`src/cli\`. \`innkeep help COMMAND\` shows the same.

- Standard output carries data, everything else goes to standard error. \`--json\` gives one JSON object, errors included.
- On a terminal lists are tables with short ids; in a pipe they are tab-separated and whole.
- A flag for text takes the text, \`-\` for standard input or \`@file\` for a file, where its description says so.`;

/** \`docs/cli.md\`, from the tree of commands. */
export function cliPage(program: Command): string {
  const common = commonFlags(program);
  return page([
    head,
    table(
      ["Command", "What"],
      shown(program).map((noun) => [`[${noun.name()}](#${anchorOf(noun.name())})`, noun.description()]),
    ),
    ...shown(program).flatMap((noun) => nounParts(noun, common)),
    `## ${changeFlags}`,
    flagTable(common),
    "## Flags of every command",
    flagTable(program.options),
    "## Exit codes",
    table(
      ["Code", "Meaning"],
      Object.values(exitCodes).map(({ code, meaning }) => [String(code), meaning]),
    ),
    "## Environment variables",
    table(
      ["Variable", "Meaning"],
      variables.map(({ name, meaning }) => [namesAsCode(name), meaning]),
    ),
  ]);
}

/** Without aliases. */
const shown = (command: Command): readonly Command[] => new Help().visibleCommands(command);

const changeFlags = "Flags of every change";

/** The flags that every command with `--dry-run` has. The page lists them only once. */
function commonFlags(program: Command): readonly Option[] {
  const changes = leavesOf(program).filter(({ options }) => options.some(({ long }) => long === "--dry-run"));
  const [first] = changes;
  return (first?.options ?? []).filter((option) =>
    changes.every(({ options }) => options.some((other) => isSame(option, other))),
  );
}

const isSame = (one: Option, other: Option): boolean =>
  one.flags === other.flags && one.description === other.description;

/** A noun with all its verbs. Some nouns are also commands. */
function nounParts(noun: Command, common: readonly Option[]): string[] {
  const verbs = leavesOf(noun);
  const [only] = verbs;
  if (only === noun) return [`## ${noun.name()}`, ...commandParts(noun, common)];
  return [
    `## ${noun.name()}`,
    `${noun.description()}.`,
    ...verbs.flatMap((verb) => [`### ${wordsOf(verb)}`, ...commandParts(verb, common)]),
  ];
}

function commandParts(command: Command, common: readonly Option[]): string[] {
  const usage = `innkeep ${wordsOf(command)} ${command.usage()}`.replace(/ +/g, " ").trim();
  const lines = examplesOf(command).join("\n");
  const isCommon = (option: Option) => common.some((one) => isSame(one, option));
  const own = command.options.filter((option) => !isCommon(option));
  return [
    `${command.description()}.`,
    `\`${usage}\``,
    flagTable(own),
    own.length === command.options.length
      ? ""
      : `And the [flags of every change](#${anchorOf(changeFlags)}).`,
    lines === "" ? "" : `\`\`\`sh\n${lines}\n\`\`\``,
  ];
}

const flagTable = (options: readonly Option[]): string =>
  table(
    ["Flag", "Meaning"],
    options
      .filter((option) => !option.hidden)
      .map((option) => [`\`${option.flags}\``, `${new Help().optionDescription(option)}${required(option)}`]),
  );

const required = ({ mandatory }: Option): string => (mandatory ? " (required)" : "");

const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : shown(command).flatMap(leavesOf);

/** The words that call a command, without the program's own name. */
function wordsOf(command: Command): string {
  const words: string[] = [];
  for (let at = command; at.parent; at = at.parent) words.unshift(at.name());
  return words.join(" ");
}

const namesAsCode = (names: string): string =>
  names
    .split(", ")
    .map((name) => `\`${name}\``)
    .join(", ");
