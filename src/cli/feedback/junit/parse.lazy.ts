import { SaxesParser } from "saxes";
import {
  type Attributes,
  escapeSign,
  type Outcome,
  type TestFailure,
  type TestResult,
  type TextBudget,
} from "./test-result.ts";

/** Why a report cannot be read, and where. */
export interface XmlFault {
  readonly line: number;
  readonly message: string;
}

export interface ParsedReport {
  /** The tests; of a broken report those before its fault. */
  readonly tests: readonly TestResult[];
  readonly fault?: XmlFault;
  /** How its suites contradict themselves. */
  readonly doubts?: readonly string[];
  /** The name of the root element, if it is not that of a JUnit report. */
  readonly foreignRoot?: string;
}

export interface ParseOptions {
  /** The path of the report, as its tests name it. */
  readonly report: string;
  readonly mostTests: number;
  readonly budget: TextBudget;
}

/** A report deeper than this is no report of tests. */
const deepest = 50;

const roots = new Set(["testsuites", "testsuite"]);

/** Ends the parser early. */
class Stop extends Error {
  readonly found: Omit<ParsedReport, "tests">;

  constructor(found: Omit<ParsedReport, "tests">) {
    super("The report is not read further.");
    this.name = "Stop";
    this.found = found;
  }
}

/**
 * Reads the tests of JUnit reports, also of several in one file. After the first fault it goes on: what comes later is often
 * well-formed. Entities that the document itself declares are never expanded.
 */
export function parseJunit(bytes: Uint8Array, { report, mostTests, budget }: ParseOptions): ParsedReport {
  const collected = collectTests(report, budget);
  // Of a fragment the parser accepts several root elements.
  const parser = new SaxesParser({ fragment: true, xmlns: false });
  const found: { fault?: XmlFault; outside?: XmlFault } = {};
  const stop = (message: string): never => {
    throw new Stop({ fault: { line: parser.line, message } });
  };
  let depth = 0;
  let isReport = false;
  parser.on("error", ({ message }) => {
    const what = `it is not well-formed XML: ${message.replace(/^\d+:\d+: /, "").replace(/\.+$/, "")}`;
    const fault = { line: parser.line, message: what };
    // Tools print around a report, and write a second one behind it.
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

/** A report that ends within the tag of a test names the test that ran last. */
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

/** Takes the elements of a JUnit report as they come, and collects its tests. */
interface TestCollector {
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

function collectTests(report: string, budget: TextBudget): TestCollector {
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
  if (groups.has(name)) reading.suites.push(suiteOf(name, attributes, above, reading));
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

/** A list of suites is counted as a suite is, but names no test. */
const suiteOf = (
  element: string,
  attributes: Attributes,
  above: Suite | undefined,
  reading: Reading,
): Suite => ({
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

/** A suite that is being read, and what it says about itself. */
interface CountedSuite {
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
function declaredBy(attributes: Attributes): Declared | undefined {
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

/** Marks the tests from a place on: what the report says of them cannot be believed. */
function putInDoubt(tests: TestResult[], from: number): void {
  for (let at = from; at < tests.length; at += 1) {
    const test = tests[at];
    if (test) tests[at] = { ...test, inDoubt: true };
  }
}

/** What the attributes of a test say about its end. `unclear`: a word that no known tool writes. */
type Said = "failed" | "flaky" | "skipped" | "unclear" | "passed" | undefined;

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
function saidOf(attributes: Attributes): Said {
  const said = Object.entries(attributes).map(([name, value]) => saidBy(name, value));
  return order.find((one) => said.includes(one));
}

/** What one attribute or property says. */
function saidBy(given: string, value: string): Said {
  const name = given.toLowerCase();
  const word = value.toLowerCase().replace(/[^\p{L}]/gu, "");
  const statement = stated.get(name);
  if (statement) return Object.hasOwn(statement, word) ? statement[word] : undefined;
  if (!worded.has(name) || value.trim() === "") return undefined;
  return words.get(word) ?? "unclear";
}

/** Whether the name of an element says that a test failed. */
const isFailingWord = (name: string): boolean => words.get(name) === "failed";

/** A failure with the part of its text that fits the budget. */
function failureOf(attributes: Attributes, whole: string, budget: TextBudget): TestFailure {
  const text = kept(whole, budget.left > 0 ? longestText : longestTextBeyond);
  const message = kept(attributes.message ?? "", longestTextBeyond);
  budget.left -= text.length;
  return { type: own(attributes.type?.slice(0, longestType)), message, text };
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

/**
 * The text of an XML file in the encoding that it declares, without the characters that XML does not allow: many tools
 * write them as they come from a log.
 */
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

/** The text with each `&` that begins no reference as the reference to one: tools write addresses as they are. */
const withRawSigns = (text: string): string =>
  text.replace(cdataOrSign, (found) => (found === "&" ? "&amp;" : found));

/** The text with empty lines in place of what a tool printed before its report. */
function withoutBanner(text: string): string {
  if (/^\s*<[\p{L}_?!]/u.test(text)) return text;
  const at = text.search(/<(?:\?xml\s|(?:[\w.-]+:)?testsuites?[\s>/])/);
  return at <= 0 ? text : text.slice(0, at).replace(/[^\n]+/g, "") + text.slice(at);
}

/** A byte order mark says more than the declaration. */
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
