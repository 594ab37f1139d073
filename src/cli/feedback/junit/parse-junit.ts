import { SaxesParser } from "saxes";
import { type Attributes, collectTests, type TextBudget } from "./collect-tests.ts";
import { readableXml } from "./readable-xml.ts";
import type { TestResult } from "./test-result.ts";

/** Why a report cannot be read, and where. */
export interface XmlFault {
  readonly line: number;
  readonly message: string;
}

export interface ParsedReport {
  /** The tests; of a broken report those before its fault. */
  readonly tests: readonly TestResult[];
  readonly fault?: XmlFault;
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

/** Reads the tests of a JUnit report. Entities that the document itself declares are never expanded. */
export function parseJunit(bytes: Uint8Array, { report, mostTests, budget }: ParseOptions): ParsedReport {
  const collected = collectTests(report, budget);
  const parser = new SaxesParser({});
  const stop = (message: string): never => {
    throw new Stop({ fault: { line: parser.line, message } });
  };
  let depth = 0;
  parser.on("error", ({ message }) =>
    stop(`it is not well-formed XML: ${message.replace(/^\d+:\d+: /, "")}`),
  );
  parser.on("opentag", ({ name, attributes }) => {
    const local = localName(name);
    if (depth === 0 && !roots.has(local)) throw new Stop({ foreignRoot: name });
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
  try {
    parser.write(readableXml(bytes)).close();
    return { tests: collected.tests };
  } catch (error) {
    if (error instanceof Stop) return { tests: collected.tests, ...error.found };
    throw error;
  }
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

const localAttributes = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [localName(name), value]));
