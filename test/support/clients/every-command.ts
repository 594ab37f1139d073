import type { Command } from "commander";
import { examplesOf, wordsOf } from "../../../src/cli/core/command.ts";
import { createProgram } from "../../../src/cli/core/program.ts";
import { nouns } from "../../../src/cli/nouns.ts";
import { emptyWorld } from "./command-line.ts";

/** Every command that is not only a group, by its words. */
export async function everyCommand(): Promise<[string, Command][]> {
  const program = await wholeProgram();
  return program.commands.flatMap((command) => leavesOf(command, ""));
}

/** The examples of every command that has examples, by its words. */
export async function everyExample(): Promise<[string, readonly string[]][]> {
  const commands = everyOneOf(await wholeProgram());
  return commands
    .map((command): [string, readonly string[]] => [wordsOf(command), examplesOf(command)])
    .filter(([, lines]) => lines.length > 0);
}

function wholeProgram(): Promise<Command> {
  const argv = ["--help", ...nouns.map(({ name }) => name)];
  return createProgram(argv, { context: emptyWorld(), outcome: { exit: "ok" } });
}

const everyOneOf = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(everyOneOf),
];

function leavesOf(command: Command, before: string): [string, Command][] {
  const words = `${before} ${command.name()}`.trim();
  return command.commands.length === 0
    ? [[words, command]]
    : command.commands.flatMap((one) => leavesOf(one, words));
}

/** Values for arguments and flags, by their names. A text that is not here is `other`. */
export type Samples = Readonly<Record<string, string>>;

/** A value for each required argument and flag of the command. */
export function sampleFor(command: Command, samples: Samples = {}, other = "7"): string[] {
  const sampleOf = (name: string) => samples[name] ?? other;
  const values = command.registeredArguments
    .filter((argument) => argument.required)
    .map((argument) => (argument.name() === "kind" ? "api-key" : sampleOf(argument.name())));
  const flags = command.options
    .filter((option) => option.mandatory)
    .flatMap(({ long, argChoices }) => [
      long ?? "",
      argChoices?.[0] ?? sampleOf((long ?? "").replace(/^--/, "")),
    ]);
  return [...values, ...flags];
}
