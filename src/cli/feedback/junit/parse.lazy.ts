import { SaxesParser } from "saxes";
import {
  type Attributes,
  escapeSign,
  type Outcome,
  type TestFailure,
  type TestResult,
  type TextBudget,
} from "./test-result.ts";

/** The line at which the parser stops reading a report, and the reason. */
export interface XmlFault {
  readonly line: number;
  readonly message: string;
}

export interface ParsedReport {
  /** The tests that could be read. */
  readonly tests: readonly TestResult[];
  readonly fault?: XmlFault;
  /** One sentence for each suite whose failure count does not match its tests. */
  readonly doubts?: readonly string[];
  /** The name of the root element if the file is not a JUnit report. */
  readonly foreignRoot?: string;
}

export interface ParseOptions {
  /** The value of `TestResult.report`. */
  readonly report: string;
  readonly mostTests: number;
  readonly budget: TextBudget;
}

/** The highest number of levels of nested elements. No real test report has more. */
const deepest = 50;

const roots = new Set(["testsuites", "testsuite"]);

/** An error that ends the parser early. */
class Stop extends Error {
  readonly found: Omit<ParsedReport, "tests">;

  constructor(found: Omit<ParsedReport, "tests">) {
    super("The report is not read further.");
    this.name = "Stop";
    this.found = found;
  }
}

/** Reads the tests of a JUnit file. Continues after a syntax error, because later parts are often correct. */
export function parseJunit(bytes: Uint8Array, { report, mostTests, budget }: ParseOptions): ParsedReport {
  const collected = collectTests(report, budget);
  // The parser never expands the document's own entities.
  // Because of `fragment`, the file may have several root elements.
  const parser = new SaxesParser({ fragment: true, xmlns: false });
  const found: { fault?: XmlFault; outside?: XmlFault } = {};
  const stop = (message: string): never => {
    throw new Stop({ fault: { line: parser.line, message } });
  };
  let depth = 0;
  let isReport = false;
  parser.on("error", ({ message }) => {
    const what = `it is not well-formed XML: ${message.replace(/^\d+:\d+: /, "").replace(/(?<!\.)\.+$/, "")}`;
    const fault = { line: parser.line, message: what };
    // Tools print text around reports. A fault there counts only if it concerns entities or no report exists.
    if (depth === 0 && !message.includes("entity")) found.outside ??= fault;
    else found.fault ??= fault;
  });
  parser.on("opentag", ({ name, attributes }) => {
    const local = localName(name);
    if (depth === 0 && !isReport && !roots.has(local)) throw new Stop({ foreignRoot: name });
    isReport = true;
    depth += 1;
    if (depth > deepest) stop(`its elements are nested deeper than ${deepest} levels`);
    collected.open(local, localAttributes(attributes));
    if (collected.tests.length > mostTests) stop(`there are more than ${mostTests} tests`);
  });
  parser.on("closetag", ({ name }) => {
    depth -= 1;
    collected.close(localName(name));
  });
  parser.on("text", collected.text);
  parser.on("cdata", collected.text);
  const { tests } = collected;
  try {
    const text = withoutBanner(withRawSigns(readableXml(bytes)));
    parser.write(text).close();
    openCutTest(collected, text);
    collected.cut();
    const fault = found.fault ?? (isReport ? undefined : (found.outside ?? noReport));
    return { tests, ...doubtsOf(collected), ...(fault && { fault }) };
  } catch (error) {
    if (error instanceof Stop) return { tests, ...doubtsOf(collected), ...error.found };
    throw error;
  }
}

const doubtsOf = ({ doubts }: TestCollector): Pick<ParsedReport, "doubts"> =>
  doubts.length > 0 ? { doubts } : {};

const noReport: XmlFault = { line: 1, message: "it is not well-formed XML: there is no element in it" };

/** If the report ends inside the tag of a test, opens that test. The test runner stopped during that test. */
function openCutTest({ open }: TestCollector, text: string): void {
  const tag = /^<(?:[\w.-]+:)?testcase\s([^<>]*)$/.exec(text.slice(text.lastIndexOf("<")));
  const given = [
    ...(tag?.[1] ?? "").slice(0, longestTag).matchAll(/([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g),
  ];
  const attributes = Object.fromEntries(given.map(([, name = "", one, other]) => [name, one ?? other ?? ""]));
  if (attributes.name !== undefined) open("testcase", attributes);
}

const longestTag = 10_000;

const localName = (name: string): string => name.slice(name.indexOf(":") + 1).toLowerCase();

const localAttributes = (attributes: Attributes): Attributes =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name.slice(name.indexOf(":") + 1), value]),
  );

/** Collects the tests of a JUnit report from its elements. */
interface TestCollector {
  readonly tests: readonly TestResult[];
  /** One sentence for each suite whose failure count does not match its tests. */
  readonly doubts: readonly string[];
  /** Starts an element. `name` is in lower case. */
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text(text: string): void;
  /** Finishes the test that is still open at the end of the report. The test runner may have stopped there. */
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
  /** The outcome that an attribute or a property of the test contains. */
  stated: StatedOutcome;
  /** Whether the test is marked `todo`. Node reports a failure of such a test, but the test run passes. */
  isTodo: boolean;
}

type FailureList = "failures" | "flaky" | "reruns";

interface OpenFailure {
  readonly element: string;
  readonly list: FailureList;
  readonly attributes: Attributes;
  readonly texts: string[];
  /** The test that failed. If a suite fails as a whole, a test without a name is added for it. */
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

interface ParserState {
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

function collectTests(report: string, budget: TextBudget): TestCollector {
  const state: ParserState = {
    ...{ report, budget, tests: [], suites: [], doubts: [], failures: 0 },
    ...{ test: undefined, failure: undefined, output: undefined },
  };
  return {
    tests: state.tests,
    doubts: state.doubts,
    cut: () => cut(state),
    open: (name, attributes) => open(state, name, attributes),
    close: (name) => close(state, name),
    text: (text) => void (state.output ?? state.failure?.texts)?.push(text),
  };
}

function open(state: ParserState, name: string, attributes: Attributes): void {
  // Tests are not nested. If a test is still open here, its end is missing in the report.
  if (state.test && (groups.has(name) || name === "testcase")) cut(state);
  const above = state.suites.at(-1);
  if (groups.has(name)) state.suites.push(suiteOf(name, attributes, above, state));
  else if (name === "testcase") state.test = newTest(above, attributes);
  else if (outputs.has(name)) state.output = [];
  else if (!state.failure) openFailure(state, name, attributes);
  if (state.test && !state.failure) noteElement(state.test, name, attributes);
}

function close(state: ParserState, name: string): void {
  const { test, failure, output } = state;
  if (outputs.has(name)) {
    test?.attachments.push(...markedAttachments((output ?? []).join("")));
    state.output = undefined;
  } else if (failure?.element === name) closeFailure(state, failure);
  else if (name === "testcase" && test) {
    finish(state, test);
    state.test = undefined;
  } else if (groups.has(name)) closeSuite(state);
}

function cut(state: ParserState): void {
  const { test, failure } = state;
  if (failure) closeFailure(state, failure);
  else test?.failures.push({ type: "", message: endsHere, text: "" });
  if (test) finish(state, test);
  [state.test, state.output] = [undefined, undefined];
}

const endsHere = "The report ends in this test. The test runner may have stopped during this test.";

function finish(state: ParserState, one: OpenTest): void {
  const result = resultOf(one, state.report);
  const suite = state.suites.at(-1);
  if (suite && result.outcome === "failed") suite.failing += 1;
  // The outcome is `failed`, but there is no failure element. This counts as one failure.
  if (one.failures.length === 0 && one.stated === "failed") state.failures += 1;
  state.tests.push(result);
}

function openFailure(state: ParserState, element: string, attributes: Attributes): void {
  const { test, suites } = state;
  const list = failureLists.get(element) ?? (test && isFailingWord(element) ? "failures" : undefined);
  if (!list) return;
  state.failures += 1;
  state.failure = { element, list, attributes, texts: [], test: test ?? newTest(suites.at(-1), {}) };
}

function closeFailure(state: ParserState, { list, attributes, texts, test }: OpenFailure): void {
  addFailure(test, list, failureOf(attributes, texts.join(""), state.budget));
  state.failure = undefined;
  if (!state.test) finish(state, test);
}

function closeSuite(state: ParserState): void {
  const { suites, tests, doubts, failures } = state;
  const suite = suites.pop();
  if (!suite) return;
  const above = suites.at(-1);
  if (above) above.declaredInside += suite.declared?.count ?? 0;
  const doubt = contradictionOf(suite, failures);
  if (doubt === undefined) return;
  doubts.push(doubt);
  putInDoubt(tests, suite.from);
  if (failures === suite.failuresBefore) addUnnamedFailure(state, suite);
}

/** Adds a failure to the suite. Used if the suite counts a failure, but none of its tests has failed. */
function addUnnamedFailure(state: ParserState, suite: Suite): void {
  const failure = {
    type: "",
    message: "The report counts a failure in this suite, but does not say which test failed.",
    text: "",
  };
  state.failures += 1;
  finish(state, { ...newTest(suite, {}), failures: [failure] });
}

/** Stores what an element says about `test`: that the test was skipped, its files, or its outcome. */
function noteElement(test: OpenTest, name: string, attributes: Attributes): void {
  if (skips.has(name)) test.isSkipped = true;
  if (skips.has(name) && attributes.type === "todo") test.isTodo = true;
  if (name !== "property") return;
  test.attachments.push(...attachmentsOfProperty(attributes));
  if (statedBy(attributes.name ?? "", attributes.value ?? "") === "failed") test.stated = "failed";
}

/** Creates a suite from an element. The element `testsuites` is also a suite, but its name is not used. */
const suiteOf = (
  element: string,
  attributes: Attributes,
  above: Suite | undefined,
  state: ParserState,
): Suite => ({
  name: element === "testsuites" ? "" : copyOf(attributes.name) || (above?.name ?? ""),
  file: copyOf(attributes.file || attributes.filepath) || above?.file,
  ...{ from: state.tests.length, failuresBefore: state.failures, declared: declaredBy(attributes) },
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
  stated: statedIn(attributes),
  isTodo: false,
});

/** Adds a failure to a test. A failed rerun is only counted, unless the test has no failure yet. */
function addFailure(test: OpenTest, list: FailureList, failure: TestFailure): void {
  if (list === "flaky") test.flaky.push(failure);
  else if (list === "failures" || test.failures.length === 0) test.failures.push(failure);
  else test.failedReruns += 1;
}

function resultOf(test: OpenTest, report: string): TestResult {
  const { suite, attributes, failures, flaky, attachments, failedReruns } = test;
  return {
    suite: suite.name,
    className: copyOf(attributes.classname || attributes.class),
    name: copyOf(attributes.name),
    outcome: outcomeOf(test),
    failures: failures.length > 0 ? failures : flaky,
    failedReruns,
    file: copyOf(attributes.file || attributes.filepath) || suite.file,
    line: numberIn(attributes.line || attributes.lineno),
    seconds: numberIn(attributes.time),
    attachments: [...new Set(attachments)],
    report,
  };
}

/** Returns the outcome of a test. An unknown outcome counts as skipped. */
function outcomeOf({ failures, flaky, isSkipped, isTodo, stated }: OpenTest): Outcome {
  if (isTodo) return "skipped";
  if (failures.length > 0 || stated === "failed") return "failed";
  if (flaky.length > 0 || stated === "flaky") return "flaky";
  return isSkipped || stated === "skipped" || stated === "unclear" ? "skipped" : "passed";
}

/** A suite whose end has not been read yet, and the counts with which its failure count is checked. */
interface CountedSuite {
  readonly name: string;
  /** The index of the first test of this suite in the list of all tests. */
  readonly from: number;
  /** The number of failures that were read before this suite. */
  readonly failuresBefore: number;
  readonly declared: Declared | undefined;
  /** The number of failing tests of this suite. Tests of inner suites do not count. */
  failing: number;
  /** The sum of the failure counts in the attributes of the inner suites. */
  declaredInside: number;
}

interface Declared {
  readonly count: number;
  /** Whether the suite has both a number of failures and a number of errors. */
  readonly isWhole: boolean;
}

const counters = ["failures", "errors", "failed", "errored", "broken"];

/** Returns the failure count in a suite's attributes. Undefined if there is no count. */
function declaredBy(attributes: Attributes): Declared | undefined {
  const named = new Map(Object.entries(attributes).map(([name, value]) => [name.toLowerCase(), value]));
  const counted = counters.map((name) => countIn(named.get(name)));
  const [failures, errors = 0, ...others] = counted;
  const words = Object.entries(attributes).filter(([name]) => !counters.includes(name.toLowerCase()));
  const says = statedIn(Object.fromEntries(words)) === "failed" ? 1 : 0;
  if (counted.every((count) => count === undefined) && says === 0) return undefined;
  const count = Math.max((failures ?? 0) + errors, says, ...others.map((other) => other ?? 0));
  return { count, isWhole: failures !== undefined && counted[1] !== undefined };
}

function countIn(text: string | undefined): number | undefined {
  const digits = (text ?? "").trim();
  return /^\d{1,9}$/.test(digits) ? Number(digits) : undefined;
}

/**
 * Returns a sentence if a suite's failure count cannot be right. Tools count failures, failing tests or failing
 * suites.
 */
function contradictionOf(suite: CountedSuite, failures: number): string | undefined {
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

/** Sets `inDoubt` on all tests from the index `from`, because the failure count of their suite is wrong. */
function putInDoubt(tests: TestResult[], from: number): void {
  for (let at = from; at < tests.length; at += 1) {
    const test = tests[at];
    if (test) tests[at] = { ...test, inDoubt: true };
  }
}

/** The outcome in the attributes or properties of a test or suite. `unclear` stands for a word that is not known. */
type StatedOutcome = "failed" | "flaky" | "skipped" | "unclear" | "passed" | undefined;

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

const words = new Map<string, StatedOutcome>([
  ...failing.map((word) => [word, "failed"] as const),
  ...skipping.map((word) => [word, "skipped"] as const),
  ...passing.map((word) => [word, "passed"] as const),
  ["flaky", "flaky"],
]);

/** The attributes whose value is a word for the outcome, such as `passed`. */
const outcomeAttributes = new Set(["status", "result", "outcome", "state", "verdict"]);

/** The attributes whose value is true or false, and the outcome that each value means. */
const booleanAttributes = new Map<string, Readonly<Record<string, StatedOutcome>>>([
  ...["success", "passed", "ok"].map((name) => [name, { true: "passed", false: "failed" }] as const),
  ...["failed", "failure", "error"].map((name) => [name, { true: "failed" }] as const),
  ["executed", { false: "skipped" }],
  ["disabled", { true: "skipped" }],
  ["skipped", { true: "skipped" }],
]);

const order: readonly StatedOutcome[] = ["failed", "flaky", "skipped", "unclear", "passed"];

/**
 * Returns the outcome in attributes such as `status="FAILED"` or `success="False"`. If two attributes contradict each
 * other, returns the worse outcome.
 */
function statedIn(attributes: Attributes): StatedOutcome {
  const stated = Object.entries(attributes).map(([name, value]) => statedBy(name, value));
  return order.find((one) => stated.includes(one));
}

/** Returns the outcome that one attribute or property contains. */
function statedBy(given: string, value: string): StatedOutcome {
  const name = given.toLowerCase();
  const word = value.toLowerCase().replace(/[^\p{L}]/gu, "");
  const statement = booleanAttributes.get(name);
  if (statement) return Object.hasOwn(statement, word) ? statement[word] : undefined;
  if (!outcomeAttributes.has(name) || value.trim() === "") return undefined;
  return words.get(word) ?? "unclear";
}

/** Whether an element with this name means that a test failed. */
const isFailingWord = (name: string): boolean => words.get(name) === "failed";

/** Returns a failure. Its text becomes shorter if the failure texts of all reports together are already too long. */
function failureOf(attributes: Attributes, whole: string, budget: TextBudget): TestFailure {
  const text = kept(whole, budget.left > 0 ? longestText : longestTextBeyond);
  const message = kept(attributes.message ?? "", longestTextBeyond);
  budget.left -= text.length;
  return { type: copyOf(attributes.type?.slice(0, longestType)), message, text };
}

/** Reads a number. Ignores commas, because some tools write `1,234.5`. */
function numberIn(text = ""): number | undefined {
  const number = Number(text.replaceAll(",", ""));
  return text.trim() !== "" && Number.isFinite(number) && number >= 0 ? number : undefined;
}

const marker = /\[\[ATTACHMENT\|([^\]\r\n]{1,1000})\]\]/g;

const markedAttachments = (text: string): string[] =>
  [...text.matchAll(marker)].map(([, path]) => copyOf(path).trim()).filter((path) => path !== "");

function attachmentsOfProperty({ name = "", value = "" }: Attributes): string[] {
  const marked = markedAttachments(value);
  if (marked.length > 0 || !/^attachments?$|^(?:test)?attachment[._-]/i.test(name)) return marked;
  return value.trim() === "" ? [] : [copyOf(value).trim()];
}

const longestText = 60_000;

const longestTextBeyond = 4_000;

const longestType = 1_000;

/** Returns the text of a failure. Keeps only the beginning and the end of a very long text. */
function kept(text: string, most: number): string {
  if (text.length <= most) return copyOf(text);
  const half = Math.floor(most / 2);
  return copyOf(`${text.slice(0, half)}\n[…]\n${text.slice(-half)}`);
}

/** Copies a text. Without the copy, a part of the report would keep the whole report in memory. */
const copyOf = (text = ""): string => Buffer.from(text, "utf8").toString("utf8");

/** Decodes an XML file. Replaces forbidden characters, because many tools copy them from a log. */
function readableXml(bytes: Uint8Array): string {
  const text = decoderFor(bytes).decode(bytes);
  return text.replace(controlReference, replaced).replace(controlCharacter, replaced);
}

const controlCharacter = /(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu;

const controlReference = /&#(?:x0{0,6}(?:[0-8bcef]|1[0-9a-f]|fff[ef])|0{0,6}(?:[0-8]|1[124-9]|2\d|3[01]));/gi;

const escapeReference = /^&#(?:x0*1b|0*27);$/i;

const replaced = (found: string): string =>
  found === "\u001b" || escapeReference.test(found) ? escapeSign : "\ufffd";

const cdataOrSign =
  /<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<!--[\s\S]*?(?:-->|$)|&(?!#\d{1,10};|#x[\da-f]{1,8};|[\p{L}_][\p{L}\p{N}_.-]{0,100};)/giu;

/**
 * Escapes each `&` that does not begin a reference, because some tools write web addresses without escaping them.
 */
const withRawSigns = (text: string): string =>
  text.replace(cdataOrSign, (found) => (found === "&" ? "&amp;" : found));

/** Replaces text that a tool printed before its report with empty lines, so that line numbers stay correct. */
function withoutBanner(text: string): string {
  if (/^\s*<[\p{L}_?!]/u.test(text)) return text;
  const at = text.search(/<(?:\?xml\s|(?:[\w.-]+:)?testsuites?[\s>/])/);
  return at <= 0 ? text : text.slice(0, at).replace(/[^\n]+/g, "") + text.slice(at);
}

/**
 * Returns the decoder for a file. Uses the byte order mark, if there is one, and otherwise the declared encoding.
 */
function decoderFor(bytes: Uint8Array): TextDecoder {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le");
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be");
  const head = Buffer.from(bytes.subarray(0, 200)).toString("latin1");
  const declared = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(/^utf-?16/i.test(declared) ? "utf-8" : declared);
  } catch {
    return new TextDecoder();
  }
}
