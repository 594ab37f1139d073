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
  const missing = missingMandatory(calledBy(argv, program));
  return missing.length === 0 ? error : missingFlags(missing);
}

/** The required flags that a command line lacks. */
export const missingMandatory = (command: Command): readonly string[] =>
  command.options
    .filter((option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined)
    .map(({ long, flags }) => long ?? flags);

/** The required arguments that a command line lacks. */
export const missingArguments = ({ registeredArguments, args }: Command): readonly string[] =>
  registeredArguments
    .slice(args.length)
    .filter(({ required }) => required)
    .map((argument) => `<${argument.name()}>`);
