import type { Command } from "commander";

/** The command that a command line calls. */
export const calledBy = (argv: readonly string[], program: Command): Command =>
  argv.reduce(
    (at, word) => at.commands.find((one) => one.name() === word || one.aliases().includes(word)) ?? at,
    program,
  );
