import type { Outcome, TestFailure, TestResult } from "./test-result.ts";

export type Attributes = Readonly<Record<string, string>>;

/** Takes the elements of a JUnit report as they come, and collects its tests. */
export interface TestCollector {
  readonly tests: readonly TestResult[];
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text(text: string): void;
}

interface Suite {
  readonly name: string;
  readonly file: string | undefined;
}

interface OpenTest {
  readonly suite: Suite;
  readonly attributes: Attributes;
  readonly failures: TestFailure[];
  readonly flaky: TestFailure[];
  readonly attachments: string[];
  failedReruns: number;
  isSkipped: boolean;
  /** It is known to fail: Node names its failure all the same. */
  isTodo: boolean;
}

type FailureList = "failures" | "flaky" | "reruns";

interface OpenFailure {
  readonly list: FailureList;
  readonly attributes: Attributes;
  readonly texts: string[];
  /** The test of this failure. A suite that fails as a whole has a test of its own. */
  readonly test: OpenTest;
}

const failureLists = new Map<string, FailureList>([
  ["failure", "failures"],
  ["error", "failures"],
  ["flakyFailure", "flaky"],
  ["flakyError", "flaky"],
  ["rerunFailure", "reruns"],
  ["rerunError", "reruns"],
]);

const skips = new Set(["skipped", "disabled", "ignored"]);
const skippedStatuses = new Set(["skipped", "notrun", "disabled", "suppressed", "ignored", "pending"]);
const outputs = new Set(["system-out", "system-err"]);

/** How much text of failures is still kept, of all reports together. */
export interface TextBudget {
  left: number;
}

export function collectTests(report: string, budget: TextBudget): TestCollector {
  const tests: TestResult[] = [];
  const suites: Suite[] = [];
  let test: OpenTest | undefined;
  let failure: OpenFailure | undefined;
  let output: string[] | undefined;

  const suite = (): Suite => suites.at(-1) ?? { name: "", file: undefined };
  const finish = (one: OpenTest) => void tests.push(resultOf(one, report));
  const openFailure = (name: string, attributes: Attributes) => {
    const list = failureLists.get(name);
    if (list) failure = { list, attributes, texts: [], test: test ?? newTest(suite(), {}) };
  };
  const closeFailure = ({ list, attributes, texts, test: failed }: OpenFailure) => {
    const text = kept(texts.join(""), budget.left > 0 ? longestText : longestTextBeyond);
    const message = kept(attributes.message ?? "", longestTextBeyond);
    budget.left -= text.length;
    addFailure(failed, list, { type: own(attributes.type?.slice(0, longestType)), message, text });
    failure = undefined;
    if (!test) finish(failed);
  };

  return {
    tests,
    open(name, attributes) {
      if (name === "testsuite") suites.push(suiteOf(attributes, suite()));
      else if (name === "testcase") test = newTest(suite(), attributes);
      else if (outputs.has(name)) output = [];
      else if (!failure) openFailure(name, attributes);
      if (test && skips.has(name)) test.isSkipped = true;
      if (test && skips.has(name) && attributes.type === "todo") test.isTodo = true;
      if (name === "property") test?.attachments.push(...attachmentsOfProperty(attributes));
    },
    close(name) {
      if (outputs.has(name)) {
        test?.attachments.push(...markedAttachments((output ?? []).join("")));
        output = undefined;
      } else if (failure && failureLists.has(name)) closeFailure(failure);
      else if (name === "testcase" && test) {
        finish(test);
        test = undefined;
      } else if (name === "testsuite") suites.pop();
    },
    text(text) {
      (output ?? failure?.texts)?.push(text);
    },
  };
}

const suiteOf = (attributes: Attributes, above: Suite): Suite => ({
  name: own(attributes.name) || above.name,
  file: own(attributes.file || attributes.filepath) || above.file,
});

const newTest = (suite: Suite, attributes: Attributes): OpenTest => ({
  suite,
  attributes,
  failures: [],
  flaky: [],
  attachments: [],
  failedReruns: 0,
  isSkipped: isSkippedBy(attributes),
  isTodo: false,
});

const isSkippedBy = ({ status = "", result = "", disabled }: Attributes): boolean =>
  disabled === "true" || [status, result].some((word) => skippedStatuses.has(word.toLowerCase()));

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

function outcomeOf({ failures, flaky, isSkipped, isTodo }: OpenTest): Outcome {
  if (isTodo) return "skipped";
  if (failures.length > 0) return "failed";
  if (flaky.length > 0) return "flaky";
  return isSkipped ? "skipped" : "passed";
}

/** Some tools write `1,234.5`. */
function numberIn(text = ""): number | undefined {
  const number = Number(text.replaceAll(",", ""));
  return text.trim() !== "" && Number.isFinite(number) && number >= 0 ? number : undefined;
}

const marker = /\[\[ATTACHMENT\|([^\]\r\n]{1,1000})\]\]/g;

const markedAttachments = (text: string): string[] =>
  [...text.matchAll(marker)].map(([, path]) => own(path).trim()).filter((path) => path !== "");

function attachmentsOfProperty({ name = "", value = "" }: Attributes): string[] {
  const marked = markedAttachments(value);
  if (marked.length > 0 || !/^attachments?$|^(?:test)?attachment[._-]/i.test(name)) return marked;
  return value.trim() === "" ? [] : [own(value).trim()];
}

const longestText = 60_000;
const longestTextBeyond = 4_000;
const longestType = 1_000;

/** The text of a failure; of a very long one its beginning and its end. */
function kept(text: string, most: number): string {
  if (text.length <= most) return own(text);
  const half = Math.floor(most / 2);
  return own(`${text.slice(0, half)}\n[…]\n${text.slice(-half)}`);
}

/** A copy: a part of a text keeps the whole text of the report in memory. */
const own = (text = ""): string => Buffer.from(text, "utf8").toString("utf8");
