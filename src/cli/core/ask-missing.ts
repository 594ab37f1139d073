import { type Command, CommanderError } from "commander";
import { CliError } from "./cli-error.ts";
import type { Context, GlobalFlags } from "./context.ts";
import { choicesOf, choicesOfArgument } from "./fixed-values.ts";
import { calledBy } from "./flag-names.ts";
import { wordsOf } from "./help.ts";
import { listedChoices, type Run } from "./listed-choices.ts";
import { askChoice, askText, type Choice, Unanswered } from "./questions.ts";

/** A command line that ended because required values are missing. */
export interface Incomplete {
  readonly argv: readonly string[];
  readonly program: Command;
  readonly context: Context;
  readonly flags: GlobalFlags;
  /** Runs another command line, to list what can be chosen. */
  readonly run: Run;
}

/**
 * Asks the person for what the fault says is missing, and gives the completed command line. Undefined if the fault is
 * another one, or if the person gives no answer. Rejects if the person interrupts. (rule L52)
 */
export async function askMissing(
  fault: unknown,
  incomplete: Incomplete,
): Promise<readonly string[] | undefined> {
  const command = calledBy(incomplete.argv, incomplete.program);
  try {
    const flags = missingFlagsIn(fault);
    if (flags.length > 0) return withFlags(incomplete.argv, await askFlags(incomplete, command, flags));
    if (!isMissingArgument(fault)) return undefined;
    const value = await askArgument(incomplete, command);
    return value === undefined ? undefined : withArgument(incomplete.argv, value);
  } catch (error) {
    if (error instanceof Unanswered) return undefined;
    throw error;
  }
}

/** The flags that a usage error names, if it says of each that it is missing, and nothing else. */
function missingFlagsIn(fault: unknown): readonly string[] {
  if (!(fault instanceof CliError) || fault.code !== "usage") return [];
  const { issues = [] } = fault.details;
  const areMissing = issues.every(({ path, message }) => message === "is missing" && /^--[\w-]+$/.test(path));
  return areMissing ? issues.map(({ path }) => path) : [];
}

const isMissingArgument = (fault: unknown): boolean =>
  fault instanceof CommanderError && fault.code === "commander.missingArgument";

async function askFlags({ context }: Incomplete, command: Command, flags: readonly string[]) {
  const answers: string[] = [];
  for (const flag of flags) {
    const option = command.options.find(({ long }) => long === flag);
    const words = option && choicesOf(option);
    const question = { label: labelOf(flag.slice(2)), meaning: option?.description ?? "" };
    const answer = words
      ? await askChoice(context, { ...question, choices: words.map((value) => ({ value })) })
      : await askText(context, question);
    answers.push(`${flag}=${answer}`);
  }
  return answers;
}

/** The value of the first argument that is missing; undefined if nothing says which that is. */
async function askArgument(incomplete: Incomplete, command: Command): Promise<string | undefined> {
  const argument = command.registeredArguments[command.args.length];
  if (!argument) return undefined;
  const fixed = choicesOfArgument(argument);
  const choices = await choicesFor(incomplete, command, fixed);
  // Several words, such as a whole command, are no answer to one question.
  if (argument.variadic && choices.length === 0) return undefined;
  const question = { label: labelOf(argument.name()), meaning: argument.description };
  return choices.length > 0
    ? askChoice(incomplete.context, { ...question, choices, isOpen: !fixed })
    : askText(incomplete.context, question);
}

async function choicesFor(
  incomplete: Incomplete,
  command: Command,
  fixed: readonly string[] | undefined,
): Promise<readonly Choice[]> {
  if (fixed) return fixed.map((value) => ({ value }));
  return command.args.length === 0 ? listedChoices(incomplete, wordsOf(command), command.opts()) : [];
}

/** `sort-order` as `Sort order`. */
const labelOf = (name: string): string =>
  `${name.charAt(0).toUpperCase()}${name.slice(1)}`.replaceAll("-", " ");

/** What follows `--` is no flag. */
function withFlags(argv: readonly string[], flags: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return end < 0 ? [...argv, ...flags] : [...argv.slice(0, end), ...flags, ...argv.slice(end)];
}

const withArgument = (argv: readonly string[], value: string): readonly string[] =>
  argv.includes("--") ? [...argv, value] : [...argv, "--", value];
