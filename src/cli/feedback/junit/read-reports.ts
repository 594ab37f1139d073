import { readFile, stat } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { decodedText } from "../../../words/decoded-text.ts";
import { systemReason } from "../../../words/phrases.ts";
import { oneLine } from "../../../words/visible.ts";
import type { Context, Invocation } from "../../core/context.ts";
import { annotateJob, annotation } from "../../core/github-actions.ts";
import { type InputFault, readText } from "../../core/input.ts";
import { note } from "../../core/output.ts";
import { testHash } from "./failure.ts";
import type { ParsedReport } from "./parse.lazy.ts";
import type { Outcome, TestResult, TextBudget } from "./test-result.ts";

/**
 * The limits for test reports. `bytes` is for one file, `text` is for the characters of all failure texts. (rule F26)
 */
const most = { bytes: 67_108_864, files: 20_000, tests: 500_000, text: 33_554_432 } as const;

/** All tests of the reports, and the reports that could not be read. */
export interface ReadReports {
  /** All tests. The key is the hash that identifies the test. */
  readonly tests: Map<string, TestResult>;
  readonly faults: readonly InputFault[];
  /** One sentence, with the path of the report, for each suite whose failure count does not match its tests. */
  readonly doubts: readonly string[];
  /** One failed test for each faulty report in which no failing test was found. */
  readonly unread: readonly TestResult[];
}

export async function readReports(invocation: Invocation, patterns: readonly string[]): Promise<ReadReports> {
  const { cwd } = invocation.context;
  const { files, faults } = await matchingFiles(invocation.context, patterns);
  const budget: TextBudget = { left: most.text };
  const tests: TestResult[] = [];
  const found = new Set<string>();
  const doubts: string[] = [];
  const unread: TestResult[] = [];
  for (const { path, pattern } of files) {
    const read = await readReport(invocation.context, path, { budget, mostTests: most.tests - tests.length });
    for (const test of read.tests) tests.push(test);
    doubts.push(...(read.doubts ?? []).map((doubt) => `--junit ${shown(cwd, path)}: ${doubt}`));
    if (read.foreignRoot !== undefined && path !== resolve(cwd, pattern) && path !== "-")
      note(
        invocation,
        `Skipped ${shown(cwd, path)}, which is not a JUnit report: its root element is <${read.foreignRoot}>.`,
      );
    else {
      found.add(pattern);
      const broken = faultOf(shown(cwd, path), read);
      faults.push(...broken);
      if (!read.tests.some(hasFailed)) unread.push(...broken.map((one) => unreadReport(one, path, read)));
    }
  }
  const without = patterns.filter(
    (pattern) => !found.has(pattern) && files.some((file) => file.pattern === pattern),
  );
  return {
    tests: mergeTests(tests, cwd),
    ...{ doubts, unread },
    faults: [...faults, ...without.map((pattern) => fault(pattern, "matches no JUnit report"))],
  };
}

const hasFailed = ({ outcome }: TestResult): boolean => outcome === "failed" || outcome === "flaky";

/** Returns a failed test that represents a report that cannot be read. */
const unreadReport = ({ flag, message }: InputFault, path: string, { bytes }: ReadReport): TestResult => {
  const report = flag.replace(/^--junit /, "");
  const text = (bytes && decodedText(bytes)) ?? "";
  return {
    ...{ suite: "", className: "", name: `${report} cannot be read`, isReport: true, outcome: "failed" },
    failures: [{ type: "", message: `${report} ${message}.`, text }],
    attachments: text.trim() === "" || path === "-" ? [] : [path],
    ...{ failedReruns: 0, file: undefined, line: undefined, seconds: undefined, report },
  };
};

interface MatchingFile {
  readonly path: string;
  readonly pattern: string;
}

interface MatchingFiles {
  readonly files: readonly MatchingFile[];
  readonly faults: InputFault[];
}

/**
 * Returns each matching file once, with the pattern that matched it. A pattern that matches no file is a fault.
 */
async function matchingFiles({ cwd }: Context, patterns: readonly string[]): Promise<MatchingFiles> {
  const { findFiles } = await import("./find-files.lazy.ts");
  const files = new Map<string, string>();
  const faults: InputFault[] = [];
  for (const pattern of new Set(patterns)) {
    const paths = pattern === "-" ? [pattern] : await findFiles(cwd, pattern);
    if (paths.length === 0) faults.push(fault(pattern, "matches no file"));
    for (const path of paths) if (!files.has(path)) files.set(path, pattern);
  }
  if (files.size > most.files)
    faults.push(fault(patterns.join(" "), `matches more than ${most.files} files`));
  const entries = [...files].slice(0, most.files);
  return { files: entries.map(([path, pattern]) => ({ path, pattern })), faults };
}

interface ReadFault {
  readonly why: string;
}

type ReadReport = ParsedReport & Partial<ReadFault> & { readonly bytes?: Buffer };

async function readReport(
  context: Context,
  path: string,
  limits: { readonly budget: TextBudget; readonly mostTests: number },
): Promise<ReadReport> {
  const bytes = await bytesOf(context, path);
  if ("why" in bytes) return { tests: [], ...bytes };
  const { parseJunit } = await import("./parse.lazy.ts");
  const parsed = parseJunit(bytes, { report: shown(context.cwd, path), ...limits });
  return isWhole(parsed) ? parsed : { ...parsed, bytes };
}

const isWhole = ({ fault: broken, foreignRoot }: ParsedReport): boolean =>
  broken === undefined && foreignRoot === undefined;

async function bytesOf(context: Context, path: string): Promise<Buffer | ReadFault> {
  if (path === "-") return Buffer.from(await readText(context, "--junit", path));
  try {
    const { size } = await stat(path);
    if (size > most.bytes) return { why: `is larger than ${most.bytes / 1_048_576} MiB` };
    if (size === 0) return { why: "is empty" };
    return await readFile(path);
  } catch (cause) {
    return { why: `cannot be read (${systemReason(cause)})` };
  }
}

function faultOf(
  file: string,
  { fault: broken, foreignRoot, why }: ParsedReport & Partial<ReadFault>,
): InputFault[] {
  if (why !== undefined) return [fault(file, why)];
  if (broken) return [fault(file, `cannot be read from line ${broken.line} on: ${broken.message}`)];
  if (foreignRoot !== undefined)
    return [fault(file, `is not a JUnit report: its root element is <${foreignRoot}>`)];
  return [];
}

const fault = (what: string, message: string): InputFault => ({ flag: `--junit ${what}`, message });

/** Returns the path for messages. It is relative to the working folder if the file is inside that folder. */
function shown(cwd: string, path: string): string {
  if (path === "-") return "(standard input)";
  const inside = relative(cwd, path);
  return (inside.startsWith("..") ? path : inside).replaceAll("\\", "/");
}

const weight: Readonly<Record<Outcome, number>> = { skipped: 0, passed: 1, flaky: 2, failed: 3 };

/**
 * Returns each test once, in report order. The worst outcome counts. From the worst, the order is failed,
 * flaky, passed, skipped. (rule F26)
 */
export function mergeTests(tests: readonly TestResult[], folder: string): Map<string, TestResult> {
  const merged = new Map<string, TestResult>();
  for (const test of tests) {
    const key = testHash(test, folder);
    const before = merged.get(key);
    merged.set(key, before ? joined(before, test) : test);
  }
  return merged;
}

function joined(one: TestResult, other: TestResult): TestResult {
  const [worse, better] = weight[other.outcome] > weight[one.outcome] ? [other, one] : [one, other];
  const isSame = worse.outcome === better.outcome;
  return {
    ...worse,
    failures: isSame ? [...worse.failures, ...better.failures].slice(0, mostFailures) : worse.failures,
    attachments: [...new Set([...worse.attachments, ...better.attachments])],
    ...((one.inDoubt || other.inDoubt) && { inDoubt: true }),
  };
}

const mostFailures = 10;

/** Prints a warning. On GitHub Actions also creates an annotation. */
export function warnJob(
  invocation: Invocation,
  { title, message }: { readonly title: string; readonly message: string },
): void {
  note(invocation, `Warning: ${message}`);
  annotateJob(invocation, annotation("warning", title, message));
}

/** Prints a warning for each suite with a wrong failure count. Nobody knows which of its tests passed. */
export function warnOfDoubts(invocation: Invocation, doubts: readonly string[]): void {
  const title = "A test report contradicts itself";
  for (const doubt of doubts)
    warnJob(invocation, { title, message: oneLine(`${doubt}. None of its tests counts as passed.`) });
}
