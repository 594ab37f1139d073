export type Area = "domain" | "store" | "http" | "cli" | "mcp" | "console";

/** A mistake that a developer could make, and the tests of the first tier that notice it. */
export interface Fault {
  /** The effect on users of the program. */
  readonly name: string;
  readonly file: string;
  /** The exact text that the mistake replaces. It is in the file only once. */
  readonly right: string;
  readonly wrong: string;
  /** The beginnings of the paths of tests of the first tier: these are run. */
  readonly tests: readonly string[];
}
