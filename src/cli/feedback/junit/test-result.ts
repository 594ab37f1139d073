/** How many more characters of failure texts are kept in memory. The number is for all reports together. */
export interface TextBudget {
  left: number;
}

/** The attributes of an XML element. */
export type Attributes = Readonly<Record<string, string>>;

/** The result of a test. `flaky` means that the test failed first and passed when it was repeated. */
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
  /** Why the test failed. Empty for a test that passed or was skipped. */
  readonly failures: readonly TestFailure[];
  /** How often the test failed again when it was repeated. */
  readonly failedReruns: number;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly seconds: number | undefined;
  /** The paths of files that the report contains for this test, exactly as in the report. */
  readonly attachments: readonly string[];
  /** The path of the report that contains the test. */
  readonly report: string;
  /** True if the suite's failure count is wrong. Then the test does not count as passed. */
  readonly inDoubt?: boolean;
  /** True if this object represents a report that cannot be read, and not a test. */
  readonly isReport?: boolean;
}

/**
 * Replaces the escape character, which XML does not allow. Colour codes in logs begin with the escape
 * character.
 */
export const escapeSign = "\u241b";
