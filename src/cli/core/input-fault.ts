import { type CliError, usageError } from "./cli-error.ts";
import { onOneLine } from "./plain-text.ts";

/** A fault in the input: the flag, and what it needs. */
export interface InputFault {
  readonly flag: string;
  readonly message: string;
}

/** Either the result, or all faults that prevent it. */
export interface Checked<Value> {
  readonly value: Value;
  readonly faults: readonly InputFault[];
}

/** The flag of a field of the request: `--dedupe-key` for `dedupeKey`. */
export const flagOf = (field: string): string =>
  `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** One usage error that names every fault. */
export function inputFaultsError(faults: readonly InputFault[]): CliError {
  const count = faults.length === 1 ? "one thing is wrong" : `${faults.length} things are wrong`;
  const issues = faults.map(({ flag, message }) => ({ path: onOneLine(flag), message }));
  return usageError(`Nothing was sent, ${count}:`, undefined, { issues });
}
