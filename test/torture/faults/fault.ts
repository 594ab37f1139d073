export type Area = "domain" | "store" | "http" | "cli" | "mcp" | "console";

/** A mistake that a developer could make, and where the first tier notices it. */
export interface Fault {
  /** What goes wrong for those who use the program. */
  readonly name: string;
  readonly file: string;
  /** The exact text that the mistake replaces. It stands once in the file. */
  readonly right: string;
  readonly wrong: string;
  /** The beginnings of the paths of tests of the first tier: these are run. */
  readonly tests: readonly string[];
}
