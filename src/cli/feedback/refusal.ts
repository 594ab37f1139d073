import { type CliError, usageError } from "../cli-error.ts";
import { onOneLine } from "../plain-text.ts";
import type { Fault } from "./fault.ts";

/** One usage error that names every fault. */
export function refusal(faults: readonly Fault[]): CliError {
  const count = faults.length === 1 ? "one thing is wrong" : `${faults.length} things are wrong`;
  const issues = faults.map(({ flag, message }) => ({ path: onOneLine(flag), message }));
  return usageError(`Nothing was sent, ${count}:`, undefined, { issues });
}
