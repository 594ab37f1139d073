/** How much text of failures is still kept, of all reports together. */
export interface TextBudget {
  left: number;
}

/** The attributes of an element. */
export type Attributes = Readonly<Record<string, string>>;

/** How a test ended. `flaky`: it failed, was repeated, and passed. */
export type Outcome = "passed" | "failed" | "flaky" | "skipped";

export interface TestFailure {
  readonly type: string;
  readonly message: string;
  readonly text: string;
}

/** One test of a JUnit report. A suite that failed as a whole is a test without a name. */
export interface TestResult {
  readonly suite: string;
  readonly className: string;
  readonly name: string;
  readonly outcome: Outcome;
  /** Why it failed; empty for a test that passed or was skipped. */
  readonly failures: readonly TestFailure[];
  /** How often it failed again when it was repeated. */
  readonly failedReruns: number;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly seconds: number | undefined;
  /** The paths of its files, as the report names them. */
  readonly attachments: readonly string[];
  /** The path of the report that names it. */
  readonly report: string;
  /** Whether its suite contradicts itself, so that a pass is not believed. */
  readonly inDoubt?: boolean;
  /** It stands for a report that cannot be read. */
  readonly isReport?: boolean;
}

/** The sign for an escape character, which XML does not allow: the codes of colours in a log begin with one. */
export const escapeSign = "\u241b";
