/** How many characters of failure texts may still be kept, for all reports together. */
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
  /** The paths of its files, as the report has them. */
  readonly attachments: readonly string[];
  /** The path of the report that contains it. */
  readonly report: string;
  /** Whether its suite contradicts itself. Then the test does not count as passed. */
  readonly inDoubt?: boolean;
  /** It stands for a report that cannot be read. */
  readonly isReport?: boolean;
}

/** Replaces the escape character, which XML does not allow. Colour codes in a log begin with it. */
export const escapeSign = "\u241b";
