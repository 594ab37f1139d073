import { Command, CommanderError, Option } from "commander";
import { type Noun, nounGroups, nouns } from "../nouns.ts";
import { bestEffortVerb } from "./ci.ts";
import { CliError, exitCodes } from "./cli-error.ts";
import { addHelpEndings, type Ending, helpStyle, programHelpStyle, type Setup } from "./command.ts";
import { DryRun } from "./connection.ts";
import type { Context, GlobalFlags, Io } from "./context.ts";
import {
  calledBy,
  collectValueFaults,
  explainParserError,
  faultsError,
  nameAllMissingFlags,
  printFailure,
} from "./failures.ts";
import { canAsk } from "./input.ts";

/**
 * Runs one command line, without the program's name, and returns the exit code. Only data goes to standard output.
 * (rule L1)
 */
export async function runCli(argv: readonly string[], context: Context): Promise<number> {
  const outcome: Setup["outcome"] = { exit: "ok" };
  const program = await createProgram(argv, { context, outcome });
  const wrong = collectValueFaults(program);
  program.hook("preAction", () => {
    if (wrong.length > 0) throw faultsError(wrong);
  });
  try {
    await program.parseAsync(argv.length > 0 ? argv : ["--help"], { from: "user" });
    return codeOf(outcome.exit);
  } catch (error) {
    // The parser may have stopped before it read `--json`.
    const flags: GlobalFlags = { json: argv.includes("--json"), ...program.opts<GlobalFlags>() };
    const complete =
      wrong.length === 0 &&
      (await completed(nameAllMissingFlags(error, program, argv), { argv, program, context, flags }));
    if (complete) return runCli(complete, context);
    const fault = explainParserError(error, { argv, program, wrong });
    const verb = bestEffortVerb(argv);
    if (verb && isFailure(fault, context)) {
      const { warnUnreadAndContinue } = await import("../delivery/ci-job-output.ts");
      return exitCodes[await warnUnreadAndContinue(context, flags, { fault, verb })].code;
    }
    return exitCodes[printFailure(fault, flags, { context, command: calledBy(argv, program) })].code;
  }
}

/**
 * Asks the person for missing values, and returns the complete command line. Undefined without an answer. (rule
 * L52)
 */
async function completed(
  fault: unknown,
  ended: {
    readonly argv: readonly string[];
    readonly program: Command;
    readonly context: Context;
    readonly flags: GlobalFlags;
  },
): Promise<readonly string[] | undefined> {
  const { argv, flags } = ended;
  const isUsage = fault instanceof CliError || fault instanceof CommanderError;
  if (!isUsage || flags.json || bestEffortVerb(argv) || !canAsk(ended)) return undefined;
  try {
    const { askMissing } = await import("./ask-missing.ts");
    return await askMissing(fault, { ...ended, run: runCli });
  } catch (error) {
    if (ended.context.signal.aborted) return undefined;
    throw error;
  }
}

const codeOf = (ending: Ending): number =>
  typeof ending === "object" ? ending.code : exitCodes[ending].code;

/** Whether a command ended early because of a fault. Help, `--dry-run` and an interruption are not faults. */
const isFailure = (error: unknown, { signal }: Context): boolean =>
  !signal.aborted && !(error instanceof DryRun) && !(error instanceof CommanderError && error.exitCode === 0);

/** Builds the tree of commands. Only the noun in `argv`, such as `faq`, gets its commands. */
export async function createProgram(argv: readonly string[], setup: Setup): Promise<Command> {
  const program = withGlobalFlags(new Command("innkeep"))
    .description("Hear an app's users, answer them, tell them what changed, and test with them.")
    .usage("<command> [flags]")
    .exitOverride()
    .helpCommand(false)
    .addHelpText("after", topics)
    .configureHelp(programHelpStyle)
    .configureOutput(outputOf(setup.context.io, argv.includes("--json")));
  for (const noun of wanted(argv)) {
    const command = program
      .command(noun.name, { hidden: noun.isShort ?? false })
      .aliases(noun.aliases ?? [])
      .helpGroup(`${noun.group}:`);
    command.description(noun.summary).helpCommand(false).configureHelp(helpStyle);
    if (isWhole(argv) || wordsOf(noun).some((word) => argv.includes(word)))
      (await noun.load())(command, setup);
  }
  addHelpEndings(program);
  return program;
}

/** Returns the noun at the start of the command line. Returns all nouns for `help` or an unknown word. */
const wanted = ([first = ""]: readonly string[]): readonly Noun[] => {
  const named = nouns.filter((noun) => noun.name !== "help" && wordsOf(noun).includes(first));
  return named.length > 0 && !isWhole([first]) ? named : byGroup;
};

const byGroup = nounGroups.flatMap((group) => nouns.filter((noun) => noun.group === group));

/** Whether all commands must be loaded with all their flags. Only the command `completion` needs them. */
const isWhole = ([first]: readonly string[]): boolean => first === "completion";

const wordsOf = ({ name, aliases = [] }: Noun): readonly string[] => [name, ...aliases];

const topics = `
innkeep --version          the version
innkeep help options       the options that all commands have
innkeep help exit-codes    what the exit codes mean
innkeep help environment   the environment variables that innkeep reads`;

const withGlobalFlags = (program: Command): Command =>
  program
    .option("--json", "write one JSON object to standard output")
    .option("--fields <names>", "print only these fields, comma separated")
    .option("--base-url <url>", "address of the server (INNKEEP_BASE_URL)")
    .option("--profile <name>", "use the server, app and credentials of this profile (INNKEEP_PROFILE)")
    .option("--api-key-file <file>", "read the app key from a file; `-` is standard input")
    .option("--agent-token-file <file>", "read the agent token from a file; `-` is standard input")
    .option("--token-file <file>", "read the maintainer token from a file; `-` is standard input")
    .option("--no-input", "never ask anything")
    .addOption(new Option("--color <when>", "use colours").choices(["auto", "always", "never"]))
    .option("--no-color", "use no colours")
    .option("--debug", "write requests and answers to standard error, without secrets");

const outputOf = ({ stdout, stderr }: Io, isJson: boolean) => ({
  writeOut: (text: string) => stdout.write(text),
  // Without a command, the parser writes help to standard error. With `--json`, standard error must contain only JSON.
  writeErr: (text: string) => isJson || stderr.write(text),
  // The parser must not print errors, because `runCli` prints them as text or as JSON.
  outputError: () => {},
  getOutHelpWidth: () => stdout.columns,
  getErrHelpWidth: () => stderr.columns,
  getOutHasColors: () => false,
  getErrHasColors: () => false,
});
