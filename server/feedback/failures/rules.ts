import type { Passed } from "../../../src/contract/failures.ts";

interface NamedFailure {
  readonly dedupeKey: string;
  readonly isSummary?: boolean;
}

/** The failures that concern a run. */
export interface PassedFailures<Failure> {
  /** The failures that the run names as passed, by their keys or by the beginnings of these. Sorted by key. */
  readonly passed: Failure[];
  /** The failures that summarize many tests, some of which may have passed. Sorted by key. */
  readonly summaries: Failure[];
}

/** Returns the failures that concern a run. The beginning of a key names one test, and never a summary. (rule F24) */
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

/** Returns a function that tells whether a run names a beginning of keys, as a summary lists it. */
export function partTest(passed: readonly Passed[]): (part: string) => boolean {
  const named = new Set(prefixesOf(passed));
  return (part) => named.has(part);
}

const prefixesOf = (passed: readonly Passed[]): string[] =>
  passed.flatMap((one) => (typeof one === "string" ? [] : [one.prefix]));

/**
 * Returns a function that tells whether a text begins with one of the prefixes. It compares once for each length,
 * because there may be thousands of prefixes.
 */
function prefixTest(prefixes: readonly string[]): (text: string) => boolean {
  const known = new Set(prefixes);
  const lengths = [...new Set(prefixes.map(({ length }) => length))];
  return (text) => {
    const least = testPart.exec(text)?.[0].length ?? 1;
    return lengths.some((length) => length >= least && known.has(text.slice(0, length)));
  };
}

/** The part of a key that names a test. A shorter beginning would name others, too. */
const testPart = /^junit(?:-\w+)?:[^:]*:/;

/** The text of the note that closes the thread of a failure. */
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
    `Resolved: this failure passed in every scope that reported it. The last one was run ${run}${scope === "" ? "" : ` of ${scope}`}.`,
    ...(runUrl === undefined ? [] : [runUrl]),
  ].join("\n");
