import type { Passed } from "../../../src/contract/console/failures.ts";

/** The failures that a run names as passed: by their key, or by the beginning of it. In the order of their keys. (rule F24) */
export function passedFailures<Failure extends { readonly dedupeKey: string }>(
  failing: readonly Failure[],
  passed: readonly Passed[],
): Failure[] {
  const keys = new Set(passed.filter((one) => typeof one === "string"));
  const isBegun = prefixTest(passed.flatMap((one) => (typeof one === "string" ? [] : [one.prefix])));
  return failing
    .filter(({ dedupeKey }) => keys.has(dedupeKey) || isBegun(dedupeKey))
    .sort((one, other) => (one.dedupeKey < other.dedupeKey ? -1 : 1));
}

/** Tests whether a text begins with one of the prefixes. One look for each length: there may be thousands of prefixes. */
function prefixTest(prefixes: readonly string[]): (text: string) => boolean {
  const known = new Set(prefixes);
  const lengths = [...new Set(prefixes.map(({ length }) => length))];
  return (text) => lengths.some((length) => known.has(text.slice(0, length)));
}

/** The text of the note that closes the thread of a failure. */
export const passedNote = ({ scope, run, runUrl }: GreenRunName): string =>
  [
    `Resolved: this failure passed in every scope that reported it. The last one was run ${run}${scope === "" ? "" : ` of ${scope}`}.`,
    ...(runUrl === undefined ? [] : [runUrl]),
  ].join("\n");

interface GreenRunName {
  readonly scope: string;
  readonly run: string;
  readonly runUrl?: string | undefined;
}
