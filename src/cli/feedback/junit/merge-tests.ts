import { createHash } from "node:crypto";
import { plainText } from "./plain-failure.ts";
import type { Outcome, TestResult } from "./test-result.ts";

/** What a test is called. */
export type TestName = Pick<TestResult, "suite" | "className" | "name">;

const weight: Readonly<Record<Outcome, number>> = { skipped: 0, passed: 1, flaky: 2, failed: 3 };

/**
 * Each test once. A test that occurs several times failed if one of them failed, and counts as skipped only if none of
 * them ran. In the order of the reports. (rule F26)
 */
export function mergeTests(tests: readonly TestResult[], folder: string): Map<string, TestResult> {
  const merged = new Map<string, TestResult>();
  for (const test of tests) {
    const key = testHash(test, folder);
    const before = merged.get(key);
    merged.set(key, before ? joined(before, test) : test);
  }
  return merged;
}

function joined(one: TestResult, other: TestResult): TestResult {
  const [worse, better] = weight[other.outcome] > weight[one.outcome] ? [other, one] : [one, other];
  const isSame = worse.outcome === better.outcome;
  return {
    ...worse,
    failures: isSame ? [...worse.failures, ...better.failures].slice(0, mostFailures) : worse.failures,
    attachments: [...new Set([...worse.attachments, ...better.attachments])],
    ...((one.inDoubt || other.inDoubt) && { inDoubt: true }),
  };
}

const mostFailures = 10;

/** The part of a dedupe key that names a test. The folder of the checkout and the kind of slash change nothing. */
export const testHash = ({ suite, className, name }: TestName, folder: string): string =>
  hashOf([inFolder(suite, folder), inFolder(className, folder), plainText(name)]);

export const hashOf = (parts: readonly string[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);

/** Suites and classes are often paths of files. */
function inFolder(text: string, folder: string): string {
  const slashed = plainText(text).replaceAll("\\", "/");
  const root = `${folder.replaceAll("\\", "/").replace(/\/+$/, "")}/`;
  return slashed.startsWith(root) ? slashed.slice(root.length) : slashed;
}
