import { saidOf } from "./status-words.ts";
import type { Attributes, TestResult } from "./test-result.ts";

/** A suite that is being read, and what it says about itself. */
export interface CountedSuite {
  readonly name: string;
  /** Where its tests begin in the list of all. */
  readonly from: number;
  /** How many failures had been read before it. */
  readonly failuresBefore: number;
  readonly declared: Declared | undefined;
  /** The failing tests of its own, without those of suites in it. */
  failing: number;
  /** What the suites in it declare together. */
  declaredInside: number;
}

interface Declared {
  readonly count: number;
  /** Whether every kind of failure is counted. */
  readonly isWhole: boolean;
}

const counters = ["failures", "errors", "failed", "errored", "broken"];

/** How many failures the attributes of a suite count; undefined if they do not count them. */
export function declaredBy(attributes: Attributes): Declared | undefined {
  const named = new Map(Object.entries(attributes).map(([name, value]) => [name.toLowerCase(), value]));
  const counted = counters.map((name) => countIn(named.get(name)));
  const [failures, errors = 0, ...others] = counted;
  const words = Object.entries(attributes).filter(([name]) => !counters.includes(name.toLowerCase()));
  const says = saidOf(Object.fromEntries(words)) === "failed" ? 1 : 0;
  if (counted.every((count) => count === undefined) && says === 0) return undefined;
  const count = Math.max((failures ?? 0) + errors, says, ...others.map((other) => other ?? 0));
  return { count, isWhole: failures !== undefined && counted[1] !== undefined };
}

function countIn(text: string | undefined): number | undefined {
  const digits = (text ?? "").trim();
  return /^\d{1,9}$/.test(digits) ? Number(digits) : undefined;
}

/**
 * How a suite contradicts itself: it counts more failures than it has, or fewer. Undefined if it does not. Tools count
 * failures, failing tests or failing suites, so everything in between is possible.
 */
export function contradictionOf(suite: CountedSuite, failures: number): string | undefined {
  const { declared, failing, declaredInside, name } = suite;
  if (!declared) return undefined;
  const has = failures - suite.failuresBefore;
  const most = Math.max(has, declaredInside);
  const least = declared.isWhole ? failing : 0;
  if (declared.count >= least && declared.count <= most) return undefined;
  const who = name === "" ? "the report" : `the suite “${name.slice(0, 200)}”`;
  const inside = has === 0 ? "none is" : has === 1 ? "one is" : `${has} are`;
  return `${who} counts ${failuresOf(declared.count)}, but ${inside} in it`;
}

const failuresOf = (count: number): string =>
  count === 0 ? "no failures" : count === 1 ? "one failure" : `${count} failures`;

/** Marks the tests from a place on: what the report says of them cannot be believed. */
export function putInDoubt(tests: TestResult[], from: number): void {
  for (let at = from; at < tests.length; at += 1) {
    const test = tests[at];
    if (test) tests[at] = { ...test, inDoubt: true };
  }
}
