import type { Command } from "commander";
import { createProgram } from "../../../src/cli/core/program.ts";
import { nouns } from "../../../src/cli/nouns.ts";
import { emptyWorld } from "./command-line.ts";

/** Every command that does something, by its words. */
export async function everyCommand(): Promise<[string, Command][]> {
  const argv = ["--help", ...nouns.map(({ name }) => name)];
  const program = await createProgram(argv, { context: emptyWorld(), outcome: { exit: "ok" } });
  return program.commands.flatMap((command) => leavesOf(command, ""));
}

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
