import { passedPrefix } from "./junit/failure-key.ts";
import { testHash } from "./junit/merge-tests.ts";
import type { TestResult } from "./junit/test-result.ts";

/** A key that passed, or the beginning of the keys of all failures of a test. */
export type Passed = string | { readonly prefix: string };

/**
 * The beginnings of the keys of all tests that passed. With a test passed the suite and the class that it belongs to,
 * which tools report when a test cannot even start. (rule F28)
 */
export function passedTests(tests: readonly TestResult[], folder: string): Passed[] {
  const passed = new Set<string>();
  const failed = new Set<string>();
  for (const test of tests) {
    if (test.outcome === "passed" && !test.inDoubt)
      for (const hash of hashesOf(test, folder)) passed.add(hash);
    if (isFailing(test)) failed.add(testHash(test, folder));
  }
  return [...passed].filter((hash) => !failed.has(hash)).map((hash) => ({ prefix: passedPrefix(hash) }));
}

const isFailing = ({ outcome }: TestResult): boolean => outcome === "failed" || outcome === "flaky";

/** What tools call a test that stands for a class that could not start. */
const namesOfClass = ["", "initializationError", "executionError", "classMethod"];

/** The test, its class, its suite, and a suite or a file that is named as its class. */
const hashesOf = ({ suite, className, name }: TestResult, folder: string): string[] =>
  [
    { suite, className, name },
    ...[...namesOfClass, className].map((other) => ({ suite, className, name: other })),
    { suite, className: "", name: "" },
    { suite, className: "", name: className },
  ].map((one) => testHash(one, folder));
