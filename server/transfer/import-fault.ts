import { ApiError } from "../../src/contract/errors.ts";
import { limits } from "../../src/contract/limits.ts";

/** The refusal of a file, with what is wrong with it. */
export const refusedFile = (faults: readonly string[]): ApiError =>
  new ApiError("bad_request", {
    message: `The file cannot be imported: ${faults[0] ?? "it is malformed."} Nothing was changed.`,
    issues: faults.slice(0, limits.namedFaults).map((message) => ({ path: "file", message })),
  });

/** What is wrong with a line, with its number. */
export const atLine = (number: number, fault: string): string => `line ${number}: ${fault}`;
