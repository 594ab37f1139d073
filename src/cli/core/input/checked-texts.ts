import { CliError } from "../failures/cli-error.ts";
import type { Invocation } from "../program/context.ts";
import type { Checked, InputFault } from "./input-fault.ts";
import { optionalTextOf } from "./text-flag.ts";

type Texts = Readonly<Record<string, string | undefined>>;

type Reading = (
  invocation: Invocation,
  flag: string,
  given: string | undefined,
) => Promise<string | undefined>;

/** The texts of flags that take text, `-` or `@file`, by field name. A text that cannot be read is a fault. */
export async function readTexts(
  invocation: Invocation,
  given: Texts,
  reading: Reading = optionalTextOf,
): Promise<Checked<Texts>> {
  const fromStdin = Object.keys(given).filter((name) => given[name] === "-");
  if (fromStdin.length > 1) {
    const [first, ...others] = fromStdin;
    const message = `standard input can be read once, and --${first} takes it`;
    return { value: given, faults: others.map((name) => ({ flag: `--${name}`, message })) };
  }
  const read = await Promise.all(
    Object.entries(given).map((entry) => readText(entry, (flag, text) => reading(invocation, flag, text))),
  );
  return {
    value: Object.fromEntries(read.map(({ name, text }) => [name, text])),
    faults: read.flatMap(({ fault }) => fault ?? []),
  };
}

async function readText(
  [name, given]: readonly [string, string | undefined],
  read: (flag: string, given: string | undefined) => Promise<string | undefined>,
): Promise<{ readonly name: string; readonly text?: string; readonly fault?: InputFault }> {
  const flag = `--${name}`;
  try {
    return { name, text: await read(flag, given) };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { name, fault: { flag, message: error.message.replace(`${flag}: `, "") } };
  }
}
