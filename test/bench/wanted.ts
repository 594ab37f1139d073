import { parseArgs } from "node:util";

const { values: given } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string", default: "" }, seconds: { type: "string", default: "60" } },
});

/** How long the mixed load lasts. */
export const seconds = Number(given.seconds);

/**
 * Whether the run includes the measurement with this name: all, or only those whose name contains the text after
 * `--only`.
 */
export const isWanted = (name: string): boolean => name.includes(given.only);
