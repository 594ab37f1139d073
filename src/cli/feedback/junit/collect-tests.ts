import { isFailingWord, type Said, saidBy, saidOf } from "./status-words.ts";
import { type CountedSuite, contradictionOf, declaredBy, putInDoubt } from "./suite-counts.ts";
import type { Attributes, Outcome, TestFailure, TestResult } from "./test-result.ts";
import {
  attachmentsOfProperty,
  failureOf,
  markedAttachments,
  numberIn,
  own,
  type TextBudget,
} from "./test-texts.ts";

/** Takes the elements of a JUnit report as they come, and collects its tests. */
export interface TestCollector {
  readonly tests: readonly TestResult[];
  /** How suites contradict themselves. */
  readonly doubts: readonly string[];
  /** The names of elements come in lower case. */
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text(text: string): void;
  /** The report ends here: the test that is open ran when its runner died. */
  cut(): void;
}

interface Suite extends CountedSuite {
  readonly file: string | undefined;
}

interface OpenTest {
  readonly suite: Pick<Suite, "name" | "file">;
  readonly attributes: Attributes;
  readonly failures: TestFailure[];
  readonly flaky: TestFailure[];
  readonly attachments: string[];
  failedReruns: number;
  isSkipped: boolean;
  /** What it says by a word. */
  said: Said;
  /** It is known to fail: Node names its failure all the same. */
  isTodo: boolean;
}

type FailureList = "failures" | "flaky" | "reruns";

interface OpenFailure {
  readonly element: string;
  readonly list: FailureList;
  readonly attributes: Attributes;
  readonly texts: string[];
  /** The test of this failure. A suite that fails as a whole has a test of its own. */
  readonly test: OpenTest;
}

const failureLists = new Map<string, FailureList>([
  ["failure", "failures"],
  ["error", "failures"],
  ["flakyfailure", "flaky"],
  ["flakyerror", "flaky"],
  ["rerunfailure", "reruns"],
  ["rerunerror", "reruns"],
]);

const skips = new Set(["skipped", "disabled", "ignored"]);
const groups = new Set(["testsuites", "testsuite"]);
const outputs = new Set(["system-out", "system-err"]);

interface Reading {
  readonly report: string;
  readonly budget: TextBudget;
  readonly tests: TestResult[];
  readonly suites: Suite[];
  readonly doubts: string[];
  failures: number;
  test: OpenTest | undefined;
  failure: OpenFailure | undefined;
  output: string[] | undefined;
}

export function collectTests(report: string, budget: TextBudget): TestCollector {
  const reading: Reading = {
    ...{ report, budget, tests: [], suites: [], doubts: [], failures: 0 },
    ...{ test: undefined, failure: undefined, output: undefined },
  };
  return {
    tests: reading.tests,
    doubts: reading.doubts,
    cut: () => cut(reading),
    open: (name, attributes) => open(reading, name, attributes),
    close: (name) => close(reading, name),
    text: (text) => void (reading.output ?? reading.failure?.texts)?.push(text),
  };
}

function open(reading: Reading, name: string, attributes: Attributes): void {
  // A test has no tests in it: what stands open was cut.
  if (reading.test && (groups.has(name) || name === "testcase")) cut(reading);
  const above = reading.suites.at(-1);
  if (groups.has(name)) reading.suites.push(suiteOf(name, attributes, { above, reading }));
  else if (name === "testcase") reading.test = newTest(above, attributes);
  else if (outputs.has(name)) reading.output = [];
  else if (!reading.failure) openFailure(reading, name, attributes);
  if (reading.test && !reading.failure) noteElement(reading.test, name, attributes);
}

function close(reading: Reading, name: string): void {
  const { test, failure, output } = reading;
  if (outputs.has(name)) {
    test?.attachments.push(...markedAttachments((output ?? []).join("")));
    reading.output = undefined;
  } else if (failure?.element === name) closeFailure(reading, failure);
  else if (name === "testcase" && test) {
    finish(reading, test);
    reading.test = undefined;
  } else if (groups.has(name)) closeSuite(reading);
}

function cut(reading: Reading): void {
  const { test, failure } = reading;
  if (failure) closeFailure(reading, failure);
  else test?.failures.push({ type: "", message: endsHere, text: "" });
  if (test) finish(reading, test);
  [reading.test, reading.output] = [undefined, undefined];
}

const endsHere = "The report ends in this test: the test runner may have died in it.";

function finish(reading: Reading, one: OpenTest): void {
  const result = resultOf(one, reading.report);
  const suite = reading.suites.at(-1);
  if (suite && result.outcome === "failed") suite.failing += 1;
  // A word alone is a failure, too.
  if (one.failures.length === 0 && one.said === "failed") reading.failures += 1;
  reading.tests.push(result);
}

function openFailure(reading: Reading, element: string, attributes: Attributes): void {
  const { test, suites } = reading;
  const list = failureLists.get(element) ?? (test && isFailingWord(element) ? "failures" : undefined);
  if (!list) return;
  reading.failures += 1;
  reading.failure = { element, list, attributes, texts: [], test: test ?? newTest(suites.at(-1), {}) };
}

function closeFailure(reading: Reading, { list, attributes, texts, test }: OpenFailure): void {
  addFailure(test, list, failureOf(attributes, texts.join(""), reading.budget));
  reading.failure = undefined;
  if (!reading.test) finish(reading, test);
}

function closeSuite(reading: Reading): void {
  const { suites, tests, doubts, failures } = reading;
  const suite = suites.pop();
  if (!suite) return;
  const above = suites.at(-1);
  if (above) above.declaredInside += suite.declared?.count ?? 0;
  const doubt = contradictionOf(suite, failures);
  if (doubt === undefined) return;
  doubts.push(doubt);
  putInDoubt(tests, suite.from);
  if (failures === suite.failuresBefore) addUnnamedFailure(reading, suite);
}

/** What a suite counts as failed and does not name is a failure of the suite. */
function addUnnamedFailure(reading: Reading, suite: Suite): void {
  const failure = { type: "", message: "The report counts a failure here, and names none.", text: "" };
  reading.failures += 1;
  finish(reading, { ...newTest(suite, {}), failures: [failure] });
}

/** What an element in a test says beside failures. */
function noteElement(test: OpenTest, name: string, attributes: Attributes): void {
  if (skips.has(name)) test.isSkipped = true;
  if (skips.has(name) && attributes.type === "todo") test.isTodo = true;
  if (name !== "property") return;
  test.attachments.push(...attachmentsOfProperty(attributes));
  if (saidBy(attributes.name ?? "", attributes.value ?? "") === "failed") test.said = "failed";
}

interface SuitePlace {
  readonly above: Suite | undefined;
  readonly reading: Reading;
}

/** A list of suites is counted as a suite is, but names no test. */
const suiteOf = (element: string, attributes: Attributes, { above, reading }: SuitePlace): Suite => ({
  name: element === "testsuites" ? "" : own(attributes.name) || (above?.name ?? ""),
  file: own(attributes.file || attributes.filepath) || above?.file,
  ...{ from: reading.tests.length, failuresBefore: reading.failures, declared: declaredBy(attributes) },
  ...{ failing: 0, declaredInside: 0 },
});

const newTest = (suite: Suite | undefined, attributes: Attributes): OpenTest => ({
  suite: { name: suite?.name ?? "", file: suite?.file },
  attributes,
  failures: [],
  flaky: [],
  attachments: [],
  failedReruns: 0,
  isSkipped: false,
  said: saidOf(attributes),
  isTodo: false,
});

/** A rerun that failed belongs to a test that failed. Without another failure it is the failure itself. */
function addFailure(test: OpenTest, list: FailureList, failure: TestFailure): void {
  if (list === "flaky") test.flaky.push(failure);
  else if (list === "failures" || test.failures.length === 0) test.failures.push(failure);
  else test.failedReruns += 1;
}

function resultOf(test: OpenTest, report: string): TestResult {
  const { suite, attributes, failures, flaky, attachments, failedReruns } = test;
  return {
    suite: suite.name,
    className: own(attributes.classname || attributes.class),
    name: own(attributes.name),
    outcome: outcomeOf(test),
    failures: failures.length > 0 ? failures : flaky,
    failedReruns,
    file: own(attributes.file || attributes.filepath) || suite.file,
    line: numberIn(attributes.line || attributes.lineno),
    seconds: numberIn(attributes.time),
    attachments: [...new Set(attachments)],
    report,
  };
}

/** What a report calls failed, by an element or by a word, has failed. A word that nobody knows is no pass. */
function outcomeOf({ failures, flaky, isSkipped, isTodo, said }: OpenTest): Outcome {
  if (isTodo) return "skipped";
  if (failures.length > 0 || said === "failed") return "failed";
  if (flaky.length > 0 || said === "flaky") return "flaky";
  return isSkipped || said === "skipped" || said === "unclear" ? "skipped" : "passed";
}
