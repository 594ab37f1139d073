import { type Command, Help, type Option } from "commander";
import { exitCodes } from "../../src/cli/core/cli-error.ts";
import { examplesOf, wordsOf } from "../../src/cli/core/command.ts";
import { variables } from "../../src/cli/help.ts";

/** The manual pages by the names of their files: one of the program, and one for each noun. */
export function manPages(program: Command): ReadonlyMap<string, string> {
  const pages = program.commands.map((noun): [string, string] => [
    `innkeep-${noun.name()}.1`,
    nounPage(noun),
  ]);
  return new Map([["innkeep.1", programPage(program)], ...pages]);
}

const programPage = (program: Command): string =>
  page("innkeep", program.description(), [
    section("SYNOPSIS", [".B innkeep", ".I command", "[flags]"]),
    section("DESCRIPTION", [
      escaped(program.description()),
      ".PP",
      escaped(
        "Standard output carries data, everything else goes to standard error. --json gives one JSON object.",
      ),
    ]),
    section(
      "COMMANDS",
      program.commands.flatMap((noun) => item(`innkeep-${noun.name()}(1)`, noun.description())),
    ),
    section("OPTIONS OF EVERY COMMAND", program.options.flatMap(flag)),
    section(
      "EXIT STATUS",
      Object.values(exitCodes).flatMap(({ code, meaning }) => item(String(code), meaning)),
    ),
    section(
      "ENVIRONMENT",
      variables.flatMap(({ name, meaning }) => item(name, meaning)),
    ),
    section("FILES", [
      ...item("~/.config/innkeep", "Stored credentials and profiles. Only their owner can read them."),
      ...item(
        "~/.local/state/innkeep",
        "Reports and proofs that no server has yet, and what a command remembers.",
      ),
      ...item("innkeep.json", "The server and the app of a project."),
    ]),
  ]);

function nounPage(noun: Command): string {
  const verbs = leavesOf(noun);
  return page(`innkeep-${noun.name()}`, noun.description(), [
    section(
      "SYNOPSIS",
      verbs.flatMap((verb, at) => [...(at > 0 ? [".br"] : []), `.B ${escaped(usageOf(verb))}`]),
    ),
    section("COMMANDS", verbs.flatMap(commandParts)),
    section("EXIT STATUS", ["See", ".BR innkeep (1)."]),
    section("SEE ALSO", [".BR innkeep (1)"]),
  ]);
}

const commandParts = (command: Command): string[] => {
  const lines = examplesOf(command);
  return [
    `.SS ${escaped(usageOf(command))}`,
    escaped(`${command.description()}.`),
    ...command.options.filter(({ hidden }) => !hidden).flatMap(flag),
    ...(lines.length === 0 ? [] : [".PP", ".nf", ...lines.map(escaped), ".fi"]),
  ];
};

const page = (name: string, summary: string, sections: readonly string[]): string =>
  [
    '.\\" Written by `npm run docs` from the commands. Do not edit it.',
    `.TH ${name.toUpperCase().replaceAll("-", "\\-")} 1 "" "innkeep" "Innkeep"`,
    section("NAME", [`${escaped(name)} \\- ${escaped(summary)}`]),
    ...sections,
    "",
  ].join("\n");

const section = (title: string, lines: readonly string[]): string => [`.SH ${title}`, ...lines].join("\n");

const item = (name: string, meaning: string): string[] => [".TP", `.B ${escaped(name)}`, escaped(meaning)];

const flag = (option: Option): string[] =>
  item(option.flags, `${new Help().optionDescription(option)}${option.mandatory ? " (required)" : ""}`);

const usageOf = (command: Command): string =>
  `innkeep ${wordsOf(command)} ${command.usage()}`.replace(/ +/g, " ").trim();

const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0
    ? [command]
    : [...(command.registeredArguments.length > 0 ? [command] : []), ...command.commands.flatMap(leavesOf)];

/** A line of text that roff prints without changes. */
const escaped = (text: string): string =>
  text
    .replace(/\s*\n\s*/g, " ")
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/, "\\&")
    .replace(
      /[^\x20-\x7e]/g,
      (character) => `\\[u${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}]`,
    );
