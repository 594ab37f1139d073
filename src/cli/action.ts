import type { Command, Option } from "commander";
import { systemReason } from "../words/phrases.ts";
import { oneLine } from "../words/visible.ts";
import { type CliError, exitCodes, usageError } from "./core/cli-error.ts";
import { several } from "./core/command.ts";
import type { Context, Sink } from "./core/context.ts";
import { calledBy, cliErrorOf } from "./core/failures.ts";
import { addLines, addToSummary, annotation, markdownBlock, maskLine } from "./core/github-actions.ts";
import type { InputFault } from "./core/input.ts";

import { createProgram, runCli } from "./core/program.ts";

/** Runs one step of GitHub Actions and returns the exit code. Masks the secrets first. (rule L21) */
export async function runAction(given: Context): Promise<number> {
  const inputs = inputsOf(given.env);
  const context = { ...given, env: environmentOf(given.env, inputs) };
  for (const secret of secretLines(context.env)) context.io.stdout.write(maskLine(secret));
  let argv: readonly string[];
  try {
    argv = await commandLineOf(context, inputs, {
      "run-started-at": context.env.STATE_startedAt,
      // A step cannot ask a person for confirmation.
      yes: "true",
    });
  } catch (error) {
    return refuse(context, cliErrorOf(error), inputs.get("best-effort")?.toLowerCase() === "true");
  }
  const recorded = recording(context.io.stdout);
  const code = await runCli(argv, { ...context, io: { ...context.io, stdout: recorded } });
  const name = argv.slice(0, 2).join(" ");
  if (name.startsWith("faq ")) await showPlan(context, name, recorded.text());
  if (code !== 0 && name !== "feedback send") context.io.stderr.write(failed(name, code));
  return code;
}

function refuse({ io }: Context, { message, details, next }: CliError, isBestEffort: boolean): number {
  const issues = (details.issues ?? []).map((issue) => `${issue.path} ${issue.message}`);
  const text = [message, ...issues, ...(next ? [next] : [])].join("\n");
  io.stderr.write(annotation(isBestEffort ? "warning" : "error", "Innkeep", text));
  return isBestEffort ? 0 : exitCodes.usage.code;
}

function failed(name: string, code: number): string {
  const meaning = Object.values(exitCodes).find((one) => one.code === code)?.meaning ?? "";
  return annotation(
    "error",
    `innkeep ${name}`,
    `${meaning} The log of the step has the details. (exit code ${code})`,
  );
}

/** Returns a sink that also records the text that is written to it. */
function recording(sink: Sink): Sink & { text(): string } {
  let text = "";
  return {
    isTerminal: sink.isTerminal,
    columns: sink.columns,
    write(more) {
      text += more;
      sink.write(more);
    },
    text: () => text,
  };
}

/** The maximum length of a plan in characters. A comment on GitHub has at most 65,536 characters. */
const mostPlan = 60_000;

/** Writes the plan as Markdown to the job summary and to the output `plan`. */
async function showPlan({ env, newId, io }: Context, name: string, printed: string): Promise<void> {
  const plan = printed.trimEnd();
  if (plan === "") return;
  const cut = plan.length > mostPlan ? `${plan.slice(0, mostPlan).toWellFormed()}\n[…]` : plan;
  const markdown = `### innkeep ${name}\n\n${markdownBlock(cut)}`;
  try {
    // A later step can post this output as a comment.
    if (env.GITHUB_OUTPUT) {
      await addLines(env.GITHUB_OUTPUT, { name: "plan", value: markdown, delimiter: `innkeep_${newId()}` });
    }
    if (env.GITHUB_STEP_SUMMARY) await addToSummary(env.GITHUB_STEP_SUMMARY, `${markdown}\n`);
  } catch (cause) {
    io.stderr.write(`The plan cannot be written to the files of the runner (${systemReason(cause)}).\n`);
  }
}

export const actionCommands: readonly string[] = [
  "feedback send",
  "feedback resolve",
  "changelog release",
  "faq push",
  "faq diff",
];

/** Whether a flag may be repeated. The input for such a flag has one value on each line. */
export const isRepeatable = (option: Option): boolean =>
  option.parseArg === several || inputOf(option) === "platform-version";

/** The flag for the input `status`, which always has a value. Commands without the flag ignore the input. */
export const statusFlag = "run-status";

/** Further values, by the name of their flag. A command without the flag ignores the value. */
type AddedValues = Readonly<Record<string, string | undefined>>;

/** Converts the inputs to a command line. Throws a usage error that names every invalid or unknown input. */
async function commandLineOf(
  context: Context,
  inputs: ReadonlyMap<string, string>,
  added: AddedValues = {},
): Promise<string[]> {
  const name = (inputs.get("command") ?? "").replace(/\s+/g, " ");
  if (!actionCommands.includes(name))
    throw usageError(`The input \`command\` must be one of: ${actionCommands.join(", ")}.`);
  const words = name.split(" ");
  const command = calledBy(words, await createProgram(words, { context, outcome: { exit: "ok" } }));
  const read = [...withAdded(command, inputs, added)].map(([input, value]) => wordsOf(command, input, value));
  const faults = read.flatMap(({ fault }) => fault ?? []);
  if (faults.length > 0) {
    const issues = faults.map(({ flag, message }) => ({ path: oneLine(flag), message }));
    throw usageError(`\`innkeep ${name}\` was not run:`, undefined, { issues });
  }
  // Arguments come first, because a flag may read all words after it.
  return [
    ...words,
    ...read.flatMap(({ argument = [] }) => argument),
    ...read.flatMap(({ flags = [] }) => flags),
  ];
}

function withAdded(command: Command, inputs: ReadonlyMap<string, string>, added: AddedValues) {
  const names = command.options.map(inputOf);
  const all = { ...added, [statusFlag]: inputs.get("status") };
  const offered = Object.entries(all).filter(([name]) => names.includes(name));
  const given = [...inputs].filter(([input]) => !ownInputs.includes(input));
  const entries = [...offered, ...given].flatMap(([name, value]): [string, string][] =>
    value ? [[name, value]] : [],
  );
  return new Map(entries);
}

interface Words {
  readonly argument?: readonly string[];
  readonly flags?: readonly string[];
  readonly fault?: InputFault;
}

function wordsOf(command: Command, input: string, value: string): Words {
  const option = command.options.find((one) => inputOf(one) === input);
  if (option) return flagWords(option, input, value);
  if (!command.registeredArguments.some((argument) => argument.name() === input)) {
    return { fault: { flag: input, message: "is not an input of this command" } };
  }
  return value.startsWith("-")
    ? { fault: { flag: input, message: "must not begin with `-`" } }
    : { argument: [value] };
}

/** Returns the name of the input for a flag. */
export const inputOf = ({ long }: Option): string => (long ?? "").replace(/^--(no-)?/, "");

function flagWords(option: Option, input: string, value: string): Words {
  const flag = option.long ?? "";
  if (option.isBoolean() || option.negate) return switchWords(option, input, value);
  const lines = value.split("\n").map((line) => line.trim());
  if (isRepeatable(option))
    return { flags: lines.flatMap((line) => (line === "" ? [] : [`${flag}=${line}`])) };
  if (option.variadic)
    return { flags: lines.flatMap((line) => (line === "" ? [] : [flag, ...line.split(/\s+/)])) };
  return { flags: [`${flag}=${value}`] };
}

function switchWords({ long = "", negate }: Option, input: string, value: string): Words {
  if (!/^(true|false)$/i.test(value)) return { fault: { flag: input, message: "must be true or false" } };
  const isOn = value.toLowerCase() === "true";
  return { flags: isOn === negate ? [] : [long] };
}

type Env = Readonly<Record<string, string | undefined>>;

/** Returns the inputs of the step that are not empty, by their names in lower case. */
function inputsOf(env: Env): ReadonlyMap<string, string> {
  const given = Object.entries(env).flatMap(([variable, value = ""]): [string, string][] =>
    variable.startsWith(prefix) && value.trim() !== ""
      ? [[variable.slice(prefix.length).toLowerCase(), value.trim()]]
      : [],
  );
  return new Map(given);
}

const prefix = "INPUT_";

/** The environment variable for each input whose value is not in the command line. */
const variables: Readonly<Record<string, string>> = {
  "base-url": "INNKEEP_BASE_URL",
  "api-key": "INNKEEP_API_KEY",
  token: "INNKEEP_TOKEN",
  matrix: "INNKEEP_MATRIX",
};

/** The environment variables with secrets. A log must not show their values. */
const secrets = ["INNKEEP_API_KEY", "INNKEEP_TOKEN"];

/**
 * The inputs that set no flag of the same name. The input `status` sets `--run-status`, which only some
 * commands have.
 */
export const ownInputs: readonly string[] = ["command", "status", ...Object.keys(variables)];

/**
 * Returns the environment variables for the command: the variables of the step and the inputs in `variables`.
 */
const environmentOf = (env: Env, inputs: ReadonlyMap<string, string>): Env => ({
  ...env,
  ...Object.fromEntries(
    Object.entries(variables).flatMap(([name, variable]) => {
      const value = inputs.get(name);
      return value === undefined ? [] : [[variable, value]];
    }),
  ),
});

/** Returns the lines of all secrets. A runner masks a text only if each line is masked. */
const secretLines = (env: Env): string[] =>
  secrets
    .flatMap((name) => (env[name] ?? "").split(/\r?\n/))
    .map((line) => line.trim())
    .filter((line) => line !== "");
