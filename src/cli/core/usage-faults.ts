import { type Command, CommanderError } from "commander";
import type { Issue } from "../../contract/issues.ts";
import { type CliError, usageError } from "./cli-error.ts";
import { closest } from "./closest.ts";
import { calledBy } from "./flag-names.ts";
import { goneCommands } from "./gone.ts";
import { wordsOf } from "./help.ts";
import { missingArguments, missingMandatory } from "./missing-flags.ts";

/** What is wrong with one flag or word of a command line: the first words of a sentence, and the others. */
export interface ParserFault {
  readonly path: string;
  readonly message: string;
  /** What was probably meant. */
  readonly meant?: string | undefined;
  /** What the reader does next. */
  readonly next?: string | undefined;
}

interface Parsed {
  readonly argv: readonly string[];
  readonly program: Command;
  /** The values that were wrong. */
  readonly wrong: readonly ParserFault[];
}

/** An error of the parser as one that names all faults of the command line. Returns any other error unchanged. */
export function inOurWords(error: unknown, { argv, program, wrong }: Parsed): unknown {
  const isOurs = !(error instanceof CommanderError);
  if (isOurs || error.exitCode === 0 || error.code === "commander.help") return error;
  const command = calledBy(argv, program);
  if (/^commander\.missing/.test(error.code)) return missingError(command, wrong);
  return faultsError([...wrong, faultOf(error, command)]);
}

/** One sentence for one fault, else a list. */
export function faultsError(faults: readonly ParserFault[]): CliError {
  const [only, ...others] = faults;
  if (!only || others.length > 0)
    return usageError(`${faults.length} things are wrong:`, undefined, { issues: faults.map(issueOf) });
  const meant = only.meant === undefined ? "" : `\n(Did you mean ${only.meant}?)`;
  return usageError(`${only.path} ${only.message}.${meant}`, only.next);
}

const issueOf = ({ path, message, meant }: ParserFault): Issue => ({
  path,
  message: meant === undefined ? message : `${message}: did you mean ${meant}?`,
});

function missingError(command: Command, wrong: readonly ParserFault[]): CliError {
  const missing = [...missingArguments(command), ...missingMandatory(command)].map((path) => ({
    path,
    message: "is missing",
  }));
  if (wrong.length > 0) return faultsError([...wrong, ...missing]);
  const hasFlagsOnly = missing.every(({ path }) => path.startsWith("-"));
  const what = hasFlagsOnly ? "flag" : "value";
  const count = missing.length === 1 ? `one ${what}` : `${missing.length} ${what}s`;
  return usageError(`The command needs ${count} more:`, undefined, { issues: missing });
}

function faultOf({ code, message }: CommanderError, command: Command): ParserFault {
  const [first = "", second = ""] = [...message.matchAll(/'([^']*)'/g)].map(([, word = ""]) => word);
  switch (code) {
    case "commander.unknownOption":
      return { path: first, message: `is no flag of ${named(command)}`, ...likeFlag(first, command) };
    case "commander.unknownCommand":
      return {
        path: `\`${first}\``,
        message: `is no command of ${named(command)}`,
        ...likeCommand(first, command),
      };
    case "commander.optionMissingArgument":
      return { path: flagIn(first), message: "needs a value" };
    case "commander.conflictingOption":
      return { path: flagIn(first), message: `cannot be used together with ${flagIn(second)}` };
    case "commander.excessArguments":
      return tooMany(command);
    default:
      return { path: named(command), message: `cannot be read: ${message.replace(/^error: |\.$/g, "")}` };
  }
}

const named = (command: Command): string => `\`${`innkeep ${wordsOf(command)}`.trim()}\``;

/** The long form in the parser's words for a flag, such as `-f, --field <name=text>`. */
const flagIn = (words: string): string => /--[\w-]+/.exec(words)?.[0] ?? words;

function likeFlag(given: string, command: Command): Pick<ParserFault, "meant" | "next"> {
  const all = [command, ...ancestorsOf(command)].flatMap(({ options }) => options);
  const names = all.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []));
  const meant = closest(given.replace(/=.*$/s, ""), [...names, "--help", "--version"]);
  return meant === undefined
    ? { next: `\`${`innkeep ${wordsOf(command)}`.trim()} --help\` lists them.` }
    : { meant };
}

function likeCommand(given: string, command: Command): Pick<ParserFault, "meant" | "next"> {
  const instead = goneCommands[given];
  if (command.name() === "admin" && instead !== undefined) return { next: instead };
  const isFlag = !command.parent && ["version", "help"].includes(given.toLowerCase());
  const meant = isFlag
    ? `--${given.toLowerCase()}`
    : closest(
        given,
        command.commands.map((one) => one.name()),
      );
  return meant === undefined
    ? { next: `\`${`innkeep help ${wordsOf(command)}`.trim()}\` lists them.` }
    : { meant };
}

function ancestorsOf({ parent }: Command): readonly Command[] {
  return parent ? [parent, ...ancestorsOf(parent)] : [];
}

function tooMany(command: Command): ParserFault {
  const { args, registeredArguments } = command;
  const takes = registeredArguments.map((one) => `<${one.name()}>`).join(" ") || "no argument";
  const more = args.slice(registeredArguments.length).join(" ");
  const [method = "", path = ""] = args;
  const isCall = command.name() === "api" && /^[A-Z]+$/.test(method);
  return {
    path: named(command),
    message: `takes ${takes}, and \`${more}\` is too much`,
    next: isCall ? `The method is a flag: \`innkeep api ${path} --method ${method}\`.` : undefined,
  };
}
