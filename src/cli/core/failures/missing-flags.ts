import { type Command, CommanderError } from "commander";
import { type CliError, usageError } from "./cli-error.ts";
import { calledBy } from "./flag-names.ts";

/** The error that names all missing flags of a command. */
export const missingFlags = (flags: readonly string[]): CliError =>
  usageError(
    `The command needs ${flags.length === 1 ? "one flag" : `${flags.length} flags`} more:`,
    undefined,
    {
      issues: flags.map((path) => ({ path, message: "is missing" })),
    },
  );

/** As `missingFlags`, for a parser error about the first missing flag. Gives any other error unchanged. */
export function allMissing(error: unknown, program: Command, argv: readonly string[]): unknown {
  if (!(error instanceof CommanderError) || error.code !== "commander.missingMandatoryOptionValue")
    return error;
  const command = calledBy(argv, program);
  const missing = command.options.filter(
    (option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined,
  );
  return missing.length === 0 ? error : missingFlags(missing.map(({ long, flags }) => long ?? flags));
}
