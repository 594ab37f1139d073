import { limits } from "../../../contract/limits.ts";
import { onOneLine } from "../../core/plain-text.ts";
import { tellingText } from "./failure-key.ts";
import { readable, withoutColours } from "./plain-failure.ts";
import type { Place } from "./test-place.ts";
import type { TestFailure, TestResult } from "./test-result.ts";

/** What is known about a failing test beside its report. */
export interface TestContext {
  readonly place: Place | undefined;
  /** The files that are not sent, and why. */
  readonly left: readonly string[];
  /** Cuts a text to a number of characters. */
  readonly shorten: (text: string, most: number) => string;
}

/** Subject, message and facts of the report about a failing test. */
export interface ReportText {
  readonly subject: string;
  readonly message: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

const longestName = 500;

export function reportText(test: TestResult, { place, left, shorten }: TestContext): ReportText {
  const head = `${sentenceOf(test)}\n\n`;
  const foot = `\n\n${factsBelow(test, place, left).join("\n")}`;
  const room = limits.message - [...head].length - [...foot].length;
  return {
    subject: cut(
      test.isReport ? titleOf(test) : `${subjects[kindOf(test)]}: ${titleOf(test)}`,
      limits.subject,
    ),
    message: `${head}${shorten(bodyOf(test), room)}${foot}`,
    metadata: metadataOf(test, place),
  };
}

/** Which rest of the failing tests a report names. */
export interface Rest {
  readonly tests: readonly TestResult[];
  /** How many tests have a report of their own. */
  readonly reported: number;
  readonly shorten: TestContext["shorten"];
}

/** The report about the failing tests that have no report of their own. */
export function restText({ tests, reported, shorten }: Rest): ReportText {
  const count = tests.length === 1 ? "1 more test" : `${tests.length.toLocaleString("en-US")} more tests`;
  const lines = tests.map((test) => `- ${titleOf(test)}: ${headlineOf(test)}`);
  return {
    subject: `${count} failed`,
    message: shorten(
      `${count} failed. ${reported === 0 ? "No failure has" : `${reported} failures have`} a report of their own.\n\n${lines.join("\n")}`,
      limits.message,
    ),
    metadata: {
      failing: tests.length + reported,
      suites: [...new Set(tests.map(({ suite }) => cut(suite, 100)))].slice(0, 20),
    },
  };
}

/** The name of a test for a person, on one line. */
export function titleOf({ name, className, suite }: TestResult): string {
  const own = cut(onOneLine(withoutColours(name)), longestName);
  // The test runner of Node gives every test the class `test`.
  const group = cut(
    onOneLine(withoutColours(className === "test" ? suite : className || suite)),
    longestName,
  );
  if (own === "") return group || "a suite without a name";
  return group === "" || own.includes(group) ? own : `${own} (${group})`;
}

/** The first line that says what failed. */
export function headlineOf({ name, failures: [failure] }: TestResult): string {
  const lines = failure === undefined ? [] : [...tellingText(name, failure).split("\n"), failure.type];
  return cut(lines.map((line) => onOneLine(readable(line))).find((line) => line !== "") ?? "failed", 200);
}

type Kind = "test" | "suite" | "flaky";

const kindOf = ({ outcome, name }: TestResult): Kind =>
  outcome === "flaky" ? "flaky" : name === "" ? "suite" : "test";

const subjects: Readonly<Record<Kind, string>> = {
  test: "Test failed",
  suite: "Test suite failed",
  flaky: "Flaky test",
};

function sentenceOf(test: TestResult): string {
  if (test.isReport) return "Which tests passed is not known.";
  const title = titleOf(test);
  if (test.outcome === "flaky") return `Flaky: ${title} failed, and passed when it was repeated.`;
  const times = test.failedReruns === 0 ? "" : `, and ${test.failedReruns} times more when it was repeated`;
  return `${title} failed${times}.`;
}

function bodyOf({ failures }: TestResult): string {
  const bodies = failures.map(failureText).filter((text) => text !== "");
  return bodies.length === 0 ? "(The report says nothing more.)" : bodies.join("\n\n---\n\n");
}

function failureText({ type, message, text }: TestFailure): string {
  const [head, body] = [
    readable(message).trim(),
    readable(text)
      .replace(/^\s*\n/, "")
      .trimEnd(),
  ];
  const isSaid = body.replace(/\s+/g, " ").includes(head.replace(/\s+/g, " "));
  const kind = type !== "" && !`${head}\n${body}`.includes(type) ? `${type}: ` : "";
  return isSaid ? `${kind}${body}` : [`${kind}${head}`, body].filter((part) => part !== "").join("\n\n");
}

function factsBelow(test: TestResult, place: Place | undefined, left: readonly string[]): string[] {
  const { suite, className, report, seconds } = test;
  const facts = {
    Where: whereOf(test, place),
    Suite: suite === className ? "" : suite,
    Report: report,
    Took: seconds === undefined ? "" : `${seconds} s`,
    "Files that were not sent": left.slice(0, 20).join(", "),
  };
  return Object.entries(facts).flatMap(([name, fact]) =>
    fact ? [`${name}: ${cut(onOneLine(fact), 1_000)}`] : [],
  );
}

function whereOf({ file, line }: TestResult, place: Place | undefined): string {
  const at = place ?? { file, line };
  return at.file ? `${at.file}${at.line ? `:${at.line}` : ""}` : "";
}

function metadataOf(test: TestResult, place: Place | undefined): Readonly<Record<string, unknown>> {
  const { suite, className, name, file, line, seconds, report } = test;
  const facts = {
    suite,
    class: className,
    test: test.isReport ? undefined : name,
    file: place?.file ?? file,
    line: place?.line ?? line,
    durationSeconds: seconds,
    report,
  };
  return Object.fromEntries(
    Object.entries(facts)
      .filter(([, fact]) => fact !== undefined && fact !== "")
      .map(([key, fact]) => [
        key,
        typeof fact === "string" ? cut(onOneLine(withoutColours(fact)), longestName) : fact,
      ]),
  );
}

/** The text with at most this many characters. */
function cut(text: string, most: number): string {
  const characters = [...text.slice(0, 2 * most + 2).toWellFormed()];
  return characters.length <= most ? characters.join("") : `${characters.slice(0, most - 1).join("")}…`;
}
