import type { Command } from "commander";
import type { Issue } from "../../contract/issues.ts";
import type { Failure } from "./cli-error.ts";

/**
 * A failure with the names of flags and arguments instead of the request's fields. A field without a flag keeps its
 * name.
 */
export function withFlagNames(failure: Failure, command: Command): Failure {
  const { issues = [], code } = failure;
  if (issues.length === 0) return failure;
  const own = issues.map((issue) => ({ ...issue, path: wordFor(issue, command) }));
  if (code !== "bad_request") return { ...failure, issues: own };
  const count = own.length === 1 ? "One value is wrong" : `${own.length} values are wrong`;
  return { ...failure, message: `${count}:`, issues: own };
}

function wordFor({ path }: Issue, command: Command): string {
  const [field = ""] = path.split(".");
  const names = [field, field.replace(/s$/, ""), field.replace(/Id$/, "")];
  const option = command.options.find((one) => names.includes(one.attributeName()));
  if (option?.long) return option.long;
  const [argument, ...others] = command.registeredArguments;
  const isOnly = argument !== undefined && others.length === 0;
  return isOnly && (field === argument.name() || /^id$|Id$/.test(field)) ? `<${argument.name()}>` : path;
}

/** The command that a command line calls. */
export const calledBy = (argv: readonly string[], program: Command): Command =>
  argv.reduce(
    (at, word) => at.commands.find((one) => one.name() === word || one.aliases().includes(word)) ?? at,
    program,
  );
