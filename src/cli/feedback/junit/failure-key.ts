import { hashOf, testHash } from "./merge-tests.ts";
import { normalised, plainText, withoutColours } from "./plain-failure.ts";
import type { TestFailure, TestResult } from "./test-result.ts";

/** The beginnings of the keys. A flaky failure has its own, so that a green run does not resolve its thread. */
const prefixes = { failed: "junit", flaky: "junit-flaky", more: "junit-more" } as const;

/** Only the beginning of a long failure identifies it. */
const longest = 4_000;
const longestName = 500;
const mostLines = 12;

/** The key of the thread for a failure: the test, and what failed in it. (rule F26) */
export function failureKey(test: TestResult, folder: string): string {
  const prefix = test.outcome === "flaky" ? prefixes.flaky : prefixes.failed;
  const name = test.name.slice(0, longestName);
  // Of several failures the first by its text counts: a report may name them in any order.
  const [what = ""] = test.failures.map((failure) => whatFailed(name, failure)).sort();
  return `${prefix}:${testHash(test, folder)}:${hashOf([what])}`;
}

/** What the keys of all failures of a test begin with, flaky ones aside. */
export const passedPrefix = (hash: string): string => `${prefixes.failed}:${hash}:`;

/** The key of the report that names the failures for which there was no report of their own. */
export const moreKey = (patterns: readonly string[]): string =>
  `${prefixes.more}:${hashOf([...patterns].sort())}`;

const whatFailed = (name: string, failure: TestFailure): string =>
  `${normalised(failure.type)} ${normalised(tellingText(name, failure))}`;

/** What says which failure it is: its message, or without one the lines of its text that are no frames of the stack. */
export function tellingText(name: string, { type, message, text }: TestFailure): string {
  const sentence = normalised(message.slice(0, longest));
  if (isTelling(sentence, { name, kind: normalised(type) })) return message.slice(0, longest);
  const lines = withoutColours(text.slice(0, 4 * longest))
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "");
  const telling = lines.filter((line) => !isFrame(line) && !isTitle(line, name));
  const chosen = (telling.length > 0 ? telling : lines).slice(0, mostLines).join("\n").slice(0, longest);
  return chosen === "" ? message.slice(0, longest) : chosen;
}

const empty = new Set([
  "",
  "failed",
  "failure",
  "error",
  "test failed",
  "test failure",
  "test case failed",
  "test error",
  "collection failure",
]);

/** Some tools give the kind of the failure, or the place and the name of the test, in place of a message. */
const isTelling = (
  sentence: string,
  { name, kind }: { readonly name: string; readonly kind: string },
): boolean =>
  !empty.has(sentence.toLowerCase().replace(/[.!]+$/, "")) &&
  sentence !== kind &&
  !isTitle(sentence, normalised(name));

/** Whether a line is a heading that begins or ends with the name of the test, or quotes it. */
function isTitle(line: string, name: string): boolean {
  const title =
    plainText(name)
      .split(/ [›>] /)
      .at(-1) ?? "";
  const bare = line.replace(/[\s─-]+$/, "").trim();
  return title.length >= 3 && (bare.startsWith(title) || bare.endsWith(title) || bare.includes(`'${title}'`));
}

const isFrame = (line: string): boolean =>
  /^\s*(?:at\s|File "|from\s.+:\d+:in\s|\.{3} \d+ more|#\d+\s|goroutine \d+|❯\s|\d+:\s+0x)/.test(line);
