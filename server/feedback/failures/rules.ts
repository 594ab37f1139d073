import type { Passed } from "../../../src/contract/feedback.ts";

interface NamedFailure {
  readonly dedupeKey: string;
  readonly isSummary?: boolean;
}

/** The open failures that a successful test run may resolve. */
export interface PassedFailures<Failure> {
  /** The failures that the test run lists by key or by key prefix. Sorted by key. */
  readonly passed: Failure[];
  /** Summaries of many failing tests. Some of their tests may have passed. Sorted by key. */
  readonly summaries: Failure[];
}

/**
 * Selects the failures that a successful test run may resolve. A key prefix in `passed` never selects a
 * summary as passed. (rule F24)
 */
export function passedFailures<Failure extends NamedFailure>(
  failing: readonly Failure[],
  passed: readonly Passed[],
): PassedFailures<Failure> {
  const keys = new Set(passed.filter((one) => typeof one === "string"));
  const hasPassed = prefixTest(prefixesOf(passed));
  const byKey = [...failing].sort((one, other) => (one.dedupeKey < other.dedupeKey ? -1 : 1));
  const isSum = ({ dedupeKey, isSummary }: Failure) => isSummary || dedupeKey.startsWith("junit-more:");
  return {
    passed: byKey.filter(
      (failure) => keys.has(failure.dedupeKey) || (!isSum(failure) && hasPassed(failure.dedupeKey)),
    ),
    summaries: byKey.filter((failure) => failure.isSummary && !keys.has(failure.dedupeKey)),
  };
}

/** Returns a function that checks whether `passed` contains a certain key prefix. */
export function partTest(passed: readonly Passed[]): (part: string) => boolean {
  const named = new Set(prefixesOf(passed));
  return (part) => named.has(part);
}

const prefixesOf = (passed: readonly Passed[]): string[] =>
  passed.flatMap((one) => (typeof one === "string" ? [] : [one.prefix]));

/**
 * Returns a function that checks whether a text begins with a prefix. The function is fast with thousands of
 * `prefixes`.
 */
function prefixTest(prefixes: readonly string[]): (text: string) => boolean {
  const known = new Set(prefixes);
  const lengths = [...new Set(prefixes.map(({ length }) => length))];
  return (text) => {
    const least = testPart.exec(text)?.[0].length ?? 1;
    return lengths.some((length) => length >= least && known.has(text.slice(0, length)));
  };
}

/** The part of a key before the test name. Shorter prefixes match too many tests and are ignored. */
const testPart = /^junit(?:-\w+)?:[^:]*:/;

/** Returns the text of the internal note on a thread that a successful run has resolved. */
export const passedNote = ({
  scope,
  run,
  runUrl,
}: {
  readonly scope: string;
  readonly run: string;
  readonly runUrl?: string | undefined;
}): string =>
  [
    `Resolved: this failure passed in every scope that reported it, last in run ${run}${scope === "" ? "" : ` of ${scope}`}.`,
    ...(runUrl === undefined ? [] : [runUrl]),
  ].join("\n");
