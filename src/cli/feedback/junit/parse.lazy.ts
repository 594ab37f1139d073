import { SaxesParser } from "saxes";
import { collectTests, type TestCollector } from "./collect-tests.ts";
import { readableXml, withoutBanner, withRawSigns } from "./readable-xml.ts";
import type { Attributes, TestResult } from "./test-result.ts";
import type { TextBudget } from "./test-texts.ts";

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
