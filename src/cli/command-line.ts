import type { Command, Option } from "commander";
import { usageError } from "./core/cli-error.ts";
import type { Context } from "./core/context.ts";
import { calledBy } from "./core/flag-names.ts";
import { several } from "./core/flags.ts";
import type { InputFault } from "./core/input-fault.ts";
import { onOneLine } from "./core/plain-text.ts";
import { createProgram } from "./core/program.ts";
import { ownInputs } from "./inputs.ts";

/** The commands that the action runs. */
export const actionCommands: readonly string[] = [
  "feedback send",
  "feedback resolve",
  "changelog release",
  "faq push",
  "faq diff",
];

/** Whether the input of a flag takes a value a line, because the flag may be repeated. */
export const isRepeatable = (option: Option): boolean =>
  option.parseArg === several || inputOf(option) === "platform-version";

/** The flag for which the input `status` is, which always has a value. */
export const statusFlag = "run-status";

/** What the action knows beside its inputs, by the flag that it is for. Used only if the command has the flag. */
export type Known = Readonly<Record<string, string | undefined>>;

/**
 * The command line that the inputs of a step mean: each input is the flag or the argument of its name. Throws a usage
 * error that names every input that cannot be read, or that the command does not have.
 */
export async function commandLineOf(
  context: Context,
  inputs: ReadonlyMap<string, string>,
  known: Known = {},
): Promise<string[]> {
  const name = (inputs.get("command") ?? "").replace(/\s+/g, " ");
  if (!actionCommands.includes(name))
    throw usageError(`The input \`command\` must be one of: ${actionCommands.join(", ")}.`);
  const words = name.split(" ");
  const command = calledBy(words, await createProgram(words, { context, outcome: { exit: "ok" } }));
  const read = [...withKnown(command, inputs, known)].map(([input, value]) => wordsOf(command, input, value));
  const faults = read.flatMap(({ fault }) => fault ?? []);
  if (faults.length > 0) {
    const issues = faults.map(({ flag, message }) => ({ path: onOneLine(flag), message }));
    throw usageError(`\`innkeep ${name}\` was not run:`, undefined, { issues });
  }
  // An argument goes first: a flag may take all words after it.
  return [
    ...words,
    ...read.flatMap(({ argument = [] }) => argument),
    ...read.flatMap(({ flags = [] }) => flags),
  ];
}

/** The inputs by the name of their flag, and what the action knows for flags that the command has. */
function withKnown(command: Command, inputs: ReadonlyMap<string, string>, known: Known) {
  const names = command.options.map(inputOf);
  const all = { ...known, [statusFlag]: inputs.get("status") };
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
    return { fault: { flag: input, message: "is no input of this command" } };
  }
  return value.startsWith("-")
    ? { fault: { flag: input, message: "must not begin with `-`" } }
    : { argument: [value] };
}

/** The name of the input for a flag. */
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
