import { type Argument, type Command, InvalidArgumentError, type Option } from "commander";
import { closest } from "./closest.ts";
import type { ParserFault } from "./usage-faults.ts";

/**
 * Lets the parser go on after a wrong value of a flag or an argument, so that all faults are named at once. Returns the
 * list that it fills; no action may run with a fault in it.
 */
export function collectValueFaults(program: Command): readonly ParserFault[] {
  const faults: ParserFault[] = [];
  for (const command of withAll(program)) {
    for (const option of command.options) collectFrom(option, option.long ?? option.flags, faults);
    for (const argument of command.registeredArguments) collectFrom(argument, `<${argument.name()}>`, faults);
  }
  return faults;
}

const withAll = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(withAll)];

function collectFrom(value: Option | Argument, path: string, faults: ParserFault[]): void {
  const { parseArg } = value;
  if (!parseArg) return;
  value.parseArg = (given, before) => {
    try {
      return parseArg(given, before);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      faults.push({ path, ...faultOf(error.message, given) });
      return before;
    }
  };
}

/** The parser's own sentence, or one of ours: "Allowed choices are a, b." or "It must be …." */
function faultOf(sentence: string, given: string): Pick<ParserFault, "message" | "meant"> {
  const [, list] = /^(?:Allowed choices are|It is one of) (.+)\.$/.exec(sentence) ?? [];
  if (list !== undefined)
    return { message: `must be one of ${list}, not \`${given}\``, meant: closest(given, list.split(", ")) };
  const said = sentence.replace(/^It |\.$/g, "");
  return { message: `${said.charAt(0).toLowerCase()}${said.slice(1)}, not \`${given}\`` };
}
