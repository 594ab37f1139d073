import { type CliError, usageError } from "../failures/cli-error.ts";
import { onOneLine } from "../output/plain-text.ts";
import type { InputFault } from "./input-fault.ts";

/** One usage error that names every fault. */
export function inputFaultsError(faults: readonly InputFault[]): CliError {
  const count = faults.length === 1 ? "one thing is wrong" : `${faults.length} things are wrong`;
  const issues = faults.map(({ flag, message }) => ({ path: onOneLine(flag), message }));
  return usageError(`Nothing was sent, ${count}:`, undefined, { issues });
}
