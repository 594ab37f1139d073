import { type Command, CommanderError } from "commander";
import { closest } from "../../words/phrases.ts";
import { oneLine } from "../../words/visible.ts";
import { CliError, Unanswered } from "./cli-error.ts";
import { wordsOf } from "./command.ts";
import type { Context, GlobalFlags, Sink } from "./context.ts";
import { calledBy } from "./failures.ts";
import { choicesOf, choicesOfArgument, listedArguments } from "./listed-values.ts";

/** A command line that failed because required values are missing. */
export interface Incomplete {
  readonly argv: readonly string[];
  readonly program: Command;
  readonly context: Context;
  readonly flags: GlobalFlags;
  /** Runs another command line, to list the possible values. */
  readonly run: Run;
}

/**
 * Asks the person for missing values. Undefined for other faults, or without an answer. Rejects after an
 * interruption. (rule L52)
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

/** Returns the flags that are missing according to a usage error. Empty if the error also has other faults. */
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

/**
 * Asks for the first missing argument and returns its value. Undefined if the command line has all arguments.
 */
async function askArgument(incomplete: Incomplete, command: Command): Promise<string | undefined> {
  const argument = command.registeredArguments[command.args.length];
  if (!argument) return undefined;
  const fixed = choicesOfArgument(argument);
  const choices = await choicesFor(incomplete, command, fixed);
  // The person cannot type several words, such as a whole command, as the answer to one question.
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

/** Returns a label for a question: `Sort order` for `sort-order`. */
const labelOf = (name: string): string =>
  `${name.charAt(0).toUpperCase()}${name.slice(1)}`.replaceAll("-", " ");

/** Adds flags to a command line before `--`, because words after `--` are not flags. */
function withFlags(argv: readonly string[], flags: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return end < 0 ? [...argv, ...flags] : [...argv.slice(0, end), ...flags, ...argv.slice(end)];
}

const withArgument = (argv: readonly string[], value: string): readonly string[] =>
  argv.includes("--") ? [...argv, value] : [...argv, "--", value];

/** Runs a command line and returns its exit code. */
type Run = (argv: readonly string[], context: Context) => Promise<number>;

const most = 20;

/** Returns the choices from the list command of an argument. Empty if the command is missing or fails. */
async function listedChoices(
  { context, flags, run }: { readonly context: Context; readonly flags: GlobalFlags; readonly run: Run },
  words: string,
  own: GlobalFlags,
): Promise<readonly Choice[]> {
  const listing = listedArguments[words];
  if (!listing) return [];
  const written: string[] = [];
  const sink = (write: (text: string) => void): Sink => ({ isTerminal: false, columns: 80, write });
  const io = { ...context.io, stdout: sink((text) => written.push(text)), stderr: sink(() => {}) };
  const fields = ["--fields", `${listing.value},${listing.name}`];
  const argv = [...listing.command, ...fields, ...targetFlags({ ...flags, ...own })];
  if ((await run(argv, { ...context, io })) !== 0) return [];
  const lines = written.join("").split("\n");
  return lines
    .filter((line) => line !== "")
    .slice(0, most)
    .map((line) => {
      const [value = "", name] = line.split("\t");
      return { value, ...(name && { name }) };
    });
}

/** Returns the flags that select the server and the app. */
function targetFlags({ app, baseUrl, profile, tokenFile, apiKeyFile }: GlobalFlags): string[] {
  const given = {
    "--app": app,
    "--base-url": baseUrl,
    "--profile": profile,
    "--token-file": tokenFile,
    "--api-key-file": apiKeyFile,
  };
  return Object.entries(given).flatMap(([flag, value]) =>
    value === undefined || value === "-" ? [] : [flag, value],
  );
}

interface Question {
  readonly label: string;
  /** The help text of the flag or the argument. */
  readonly meaning: string;
}

/** A value that the person can choose, and its description. */
interface Choice {
  readonly value: string;
  readonly name?: string;
}

const tries = 3;

/** Asks for a text. Repeats the question after an empty answer. Throws Unanswered after three empty answers. */
async function askText(context: Context, { label, meaning }: Question): Promise<string> {
  if (meaning !== "") context.io.stderr.write(`${label}: ${meaning}\n`);
  for (let left = tries; left > 0; left -= 1) {
    const answer = await typed(context, "> ");
    if (answer !== "") return answer;
  }
  throw new Unanswered();
}

async function askChoice(
  context: Context,
  question: Question & {
    readonly choices: readonly Choice[];
    /** Whether the person may also type a value that is not in the list. */
    readonly isOpen?: boolean;
  },
): Promise<string> {
  const { label, choices, isOpen = false } = question;
  context.io.stderr.write(`${label}:\n${choices.map(lineOf).join("\n")}\n`);
  for (let left = tries; left > 0; left -= 1) {
    const answer = await typed(context, "Number or name: ");
    const chosen = chosenFrom(choices, answer) ?? (isOpen && answer !== "" ? answer : undefined);
    if (chosen !== undefined) return chosen;
  }
  throw new Unanswered();
}

const lineOf = ({ value, name }: Choice, at: number): string =>
  `  ${String(at + 1).padStart(2)}  ${oneLine(value)}${name === undefined ? "" : `  ${oneLine(name)}`}`;

function chosenFrom(choices: readonly Choice[], answer: string): string | undefined {
  const numbered = /^\d{1,3}$/.test(answer) ? choices[Number(answer) - 1] : undefined;
  if (numbered) return numbered.value;
  const values = choices.map(({ value }) => value);
  const starting = answer === "" ? [] : values.filter((value) => value.startsWith(answer.toLowerCase()));
  return starting.length === 1 ? starting[0] : values.find((value) => value === closest(answer, values));
}

async function typed({ io, signal }: Context, question: string): Promise<string> {
  try {
    return (await io.ask(question, { signal })).trim();
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
