import type { Attributes } from "./test-result.ts";

/** What the attributes of a test say about its end. `unclear`: a word that no known tool writes. */
export type Said = "failed" | "flaky" | "skipped" | "unclear" | "passed" | undefined;

const failing = [
  ...["failed", "failure", "failures", "failing", "fail", "fails", "unsuccessful", "notok", "nok", "ko"],
  ...["error", "errors", "errored", "fatal", "broken", "crash", "crashed", "panic", "panicked"],
  ...["timeout", "timedout", "aborted", "killed", "interrupted", "terminated", "unexpected"],
  ...["exception", "ng", "unstable", "invalid"],
];
const skipping = [
  ...["skipped", "skip", "notrun", "notexecuted", "disabled", "suppressed", "ignored", "pending", "todo"],
  ...["untested", "filtered", "excluded"],
];
const passing = [
  ...["passed", "pass", "passing", "success", "successful", "succeeded", "ok", "okay", "expected"],
  ...["run", "ran", "completed", "complete", "executed", "done"],
];

const words = new Map<string, Said>([
  ...failing.map((word) => [word, "failed"] as const),
  ...skipping.map((word) => [word, "skipped"] as const),
  ...passing.map((word) => [word, "passed"] as const),
  ["flaky", "flaky"],
]);

/** The attributes that hold a word, and those that are true or false. */
const worded = new Set(["status", "result", "outcome", "state", "verdict"]);
const stated = new Map<string, Readonly<Record<string, Said>>>([
  ...["success", "passed", "ok"].map((name) => [name, { true: "passed", false: "failed" }] as const),
  ...["failed", "failure", "error"].map((name) => [name, { true: "failed" }] as const),
  ["executed", { false: "skipped" }],
  ["disabled", { true: "skipped" }],
  ["skipped", { true: "skipped" }],
]);

const order: readonly Said[] = ["failed", "flaky", "skipped", "unclear", "passed"];

/** What a report says of a test by a word, in any spelling: `status="FAILED"`, `success="False"`. The worst word counts. */
export function saidOf(attributes: Attributes): Said {
  const said = Object.entries(attributes).map(([name, value]) => saidBy(name, value));
  return order.find((one) => said.includes(one));
}

/** What one attribute or property says. */
export function saidBy(given: string, value: string): Said {
  const name = given.toLowerCase();
  const word = value.toLowerCase().replace(/[^\p{L}]/gu, "");
  const statement = stated.get(name);
  if (statement) return Object.hasOwn(statement, word) ? statement[word] : undefined;
  if (!worded.has(name) || value.trim() === "") return undefined;
  return words.get(word) ?? "unclear";
}

/** Whether the name of an element says that a test failed. */
export const isFailingWord = (name: string): boolean => words.get(name) === "failed";
