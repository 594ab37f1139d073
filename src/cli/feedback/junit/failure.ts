import { createHash } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { FeedbackFiles, SentFile } from "../../../client/send.ts";
import { feedbackFiles, limits } from "../../../contract/limits.ts";
import { eachReportText } from "../../../contract/report-texts.ts";
import { countOf } from "../../../words/phrases.ts";
import { fromTerminal, oneLine, withoutTerminalCodes } from "../../../words/visible.ts";
import { ciFolders } from "../../core/ci.ts";
import type { Context, Invocation } from "../../core/context.ts";
import { isUnder } from "../../core/files.ts";

import { asPdf, checkSentFiles } from "../../delivery/report.ts";
import { cutMessage, type DraftFlags, dedupeFields, draftOf } from "../../delivery/send-report.ts";
import type { ReportContent } from "../../delivery/stored.lazy.ts";
import { escapeSign, type TestFailure, type TestResult } from "./test-result.ts";

export interface JunitFlags extends DraftFlags {
  readonly junit: readonly string[];
  readonly maxReports?: number;
}

/** A report about one failing test, or the summary of all failing tests without a separate report. */
export interface FailureDraft {
  readonly content: ReportContent;
  /** The name of the test on one line. Undefined in the summary. */
  readonly title?: string;
  readonly headline?: string;
  readonly isFlaky: boolean;
  readonly place: SourceLine | undefined;
}

const usualReports = 20;

/**
 * Returns one report for each failing test up to `--max-reports`, and one summary of all other failing tests. (rule
 * F26)
 */
export async function failureDrafts(
  invocation: Invocation,
  flags: JunitFlags,
  failing: readonly TestResult[],
): Promise<readonly FailureDraft[]> {
  const { maxReports = usualReports } = flags;
  const drafts: FailureDraft[] = [];
  for (const test of failing.slice(0, maxReports)) drafts.push(await draftOfTest(invocation, flags, test));
  const tests = failing.slice(maxReports);
  if (tests.length === 0) return drafts;
  const text = summaryText(tests, drafts.length, shorten);
  const content = await contentWith(invocation, flags, { ...text, dedupeKey: moreKey(flags.junit) });
  const fields = { ...content.fields, ...partsOf(tests, invocation.context.cwd) };
  return [...drafts, { content: { ...content, fields }, isFlaky: false, place: undefined }];
}

/** Returns the starts of the tests' dedupe keys. The server resolves the thread when all these tests pass. */
function partsOf(tests: readonly TestResult[], folder: string): { readonly dedupeParts?: readonly string[] } {
  const parts = tests.map((test) => passedPrefix(testHash(test, folder)));
  // Without `dedupeParts`, only a person can resolve the thread.
  return parts.length > limits.dedupeParts ? {} : { dedupeParts: [...new Set(parts)] };
}

async function draftOfTest(
  invocation: Invocation,
  flags: JunitFlags,
  test: TestResult,
): Promise<FailureDraft> {
  const folders = foldersOf(invocation);
  const place = await sourceLineOf(test, folders);
  const { files, unsentFiles } = await filesOf(invocation.context, test, folders);
  const text = reportText(test, { place, unsentFiles, shorten });
  const dedupeKey = failureKey(test, invocation.context.cwd);
  const content = await contentWith(invocation, flags, { ...text, dedupeKey });
  return {
    content: { ...content, files },
    title: titleOf(test),
    headline: headlineOf(test),
    isFlaky: test.outcome === "flaky",
    place,
  };
}

/** Returns the working folder and the folder of the checkout. Without a CI variable, the working folder is both. */
const foldersOf = ({ context: { cwd, env } }: Invocation): Folders => ({
  cwd,
  workspace: ciFolders(env).workspace || cwd,
});

/** Returns a report with the given text and with the flags that apply to all reports. */
async function contentWith(
  invocation: Invocation,
  flags: JunitFlags,
  { subject, message, metadata, dedupeKey }: ReportText & { readonly dedupeKey: string },
): Promise<ReportContent> {
  const facts = Object.entries(metadata).map(([name, fact]) => `${name}:=${JSON.stringify(fact)}`);
  const dedupe = dedupeFields(invocation.context, { ...flags, dedupeKey }, { joinsShards: true });
  const { type = "bug", source = "junit", email, name, ciMetadata, bestEffort, metadata: given = [] } = flags;
  return draftOf(invocation, {
    ...eachReportText((each) => flags[each]),
    ...{ type, source, email, name, ciMetadata, bestEffort, dedupeKey, ...present(dedupe) },
    ...{ subject: literal(subject), message: literal(message), metadata: [...facts, ...given] },
  });
}

/** Escapes a text that begins with `@`, so that it is not read as the name of a file. */
const literal = (text: string): string => (text.startsWith("@") ? `@${text}` : text);

const present = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? ""]));

const shorten = (text: string, most: number): string => cutMessage(text, most).message;

type Field = keyof FeedbackFiles;

/** The files of a test that can be sent, and the reason for each unsent file. */
interface TestFiles {
  readonly files: FeedbackFiles;
  readonly unsentFiles: readonly string[];
}

const fields = ["images", "videos", "attachments"] as const;

const mostCheckedFiles = 50;

/** Returns the folders whose files may be sent. A stranger may have written the report. */
const rootsOf = ({ env }: Pick<Context, "env">, { cwd, workspace }: Folders): string[] =>
  [cwd, workspace, ciFolders(env).temporary, tmpdir()].flatMap((folder) => folder || []);

/** Returns the files of a test that can be sent. */
async function filesOf(
  context: Pick<Context, "env">,
  test: TestResult,
  folders: Folders,
): Promise<TestFiles> {
  const roots = await Promise.all(
    rootsOf(context, folders).map((folder) => realpath(folder).catch(() => folder)),
  );
  // A path may be relative to any of these folders.
  const bases = [folders.cwd, folders.workspace, dirname(resolve(folders.cwd, test.report))];
  const found: Record<Field, SentFile[]> = { images: [], videos: [], attachments: [] };
  const unsentFiles: string[] = [];
  for (const given of test.attachments.slice(0, mostCheckedFiles)) {
    const checked = await checkFile(given, bases, roots);
    const place = "field" in checked ? found[checked.field] : undefined;
    if ("field" in checked && place && place.length < feedbackFiles[checked.field].most)
      place.push(checked.file);
    else unsentFiles.push(`${given} (${"field" in checked ? "too many files" : checked.why})`);
  }
  return { files: found, unsentFiles: [...unsentFiles, ...test.attachments.slice(mostCheckedFiles)] };
}

type CheckedFile = { readonly field: Field; readonly file: SentFile } | { readonly why: string };

async function checkFile(
  given: string,
  bases: readonly string[],
  roots: readonly string[],
): Promise<CheckedFile> {
  const path = await existing(given, bases);
  if (path === undefined) return { why: "there is no such file" };
  if (!roots.some((root) => isUnder(root, path))) return { why: "it is outside the checkout" };
  const faults: string[] = [];
  for (const field of fields) {
    const rules = { ...feedbackFiles[field], flag: "" };
    const given = field === "attachments" ? { ...rules, converted: asPdf } : rules;
    const checked = await checkSentFiles("/", [path], given);
    const [file] = checked.value;
    if (file) return { field, file };
    const own = checked.faults.map(({ message }) => message);
    if (own.every((message) => !isOfKind(message))) faults.push(...own);
  }
  return { why: faults[0] ?? "no file of this kind can be sent" };
}

/** Whether a message says that the type of the file is not allowed in the field. */
const isOfKind = (message: string): boolean => message.includes("; its bytes are ");

async function existing(given: string, bases: readonly string[]): Promise<string | undefined> {
  for (const base of bases) {
    const path = await realpath(resolve(base, given)).catch(() => undefined);
    if (path !== undefined) return path;
  }
  return undefined;
}

/** The data that the text of a report needs in addition to the test result. */
interface TestContext {
  readonly place: SourceLine | undefined;
  /**
   * The files that are not sent, each with the reason. Files after the first `mostCheckedFiles` have no reason.
   */
  readonly unsentFiles: readonly string[];
  readonly shorten: (text: string, most: number) => string;
}

/** The text of a report about a failing test. */
interface ReportText {
  readonly subject: string;
  readonly message: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

const longestReportName = 500;

function reportText(test: TestResult, { place, unsentFiles, shorten }: TestContext): ReportText {
  const head = `${sentenceOf(test)}\n\n`;
  const foot = `\n\n${factsBelow(test, place, unsentFiles).join("\n")}`;
  const space = limits.message - [...head].length - [...foot].length;
  return {
    subject: cut(
      test.isReport ? titleOf(test) : `${subjects[kindOf(test)]}: ${titleOf(test)}`,
      limits.subject,
    ),
    message: `${head}${shorten(bodyOf(test), space)}${foot}`,
    metadata: metadataOf(test, place),
  };
}

/** Returns the sentence that says how many failures have a separate report. */
function ownReports(reported: number): string {
  if (reported === 0) return "No failure has a separate report.";
  return `${countOf(reported, "failure has a separate report", "failures have separate reports")}.`;
}

/** Returns the summary of tests without their own report. `reported` is the number of other failing tests. */
function summaryText(
  tests: readonly TestResult[],
  reported: number,
  shorten: TestContext["shorten"],
): ReportText {
  const count = countOf(tests.length, "more test");
  const lines = tests.map((test) => `- ${titleOf(test)}: ${headlineOf(test)}`);
  return {
    subject: `${count} failed`,
    message: shorten(`${count} failed. ${ownReports(reported)}\n\n${lines.join("\n")}`, limits.message),
    metadata: {
      failing: tests.length + reported,
      suites: [...new Set(tests.map(({ suite }) => cut(suite, 100)))].slice(0, 20),
    },
  };
}

/** Returns the name of a test for people, on one line. */
function titleOf({ name, className, suite }: TestResult): string {
  const own = cut(oneLine(withoutColours(name)), longestReportName);
  // The test runner of Node sets the class `test` for every test.
  const group = cut(
    oneLine(withoutColours(className === "test" ? suite : className || suite)),
    longestReportName,
  );
  if (own === "") return group || "a suite without a name";
  return group === "" || own.includes(group) ? own : `${own} (${group})`;
}

/** Returns the first line that describes the failure of a test. */
function headlineOf({ name, failures: [failure] }: TestResult): string {
  const lines = failure === undefined ? [] : [...identifyingText(name, failure).split("\n"), failure.type];
  return cut(lines.map((line) => oneLine(readable(line))).find((line) => line !== "") ?? "failed", 200);
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
  if (test.isReport) return "It is not known which tests passed.";
  const title = titleOf(test);
  if (test.outcome === "flaky") return `Flaky: ${title} failed, and passed when it was repeated.`;
  const times =
    test.failedReruns === 0
      ? ""
      : `, and ${countOf(test.failedReruns, "more time", "more times")} when it was repeated`;
  return `${title} failed${times}.`;
}

function bodyOf({ failures }: TestResult): string {
  const bodies = failures.map(failureText).filter((text) => text !== "");
  return bodies.length === 0 ? "(The report contains nothing more.)" : bodies.join("\n\n---\n\n");
}

function failureText({ type, message, text }: TestFailure): string {
  const [head, body] = [
    readable(message).trim(),
    readable(text)
      .replace(/^\s*\n/, "")
      .trimEnd(),
  ];
  const isRepeated = body.replace(/\s+/g, " ").includes(head.replace(/\s+/g, " "));
  const kind = type !== "" && !`${head}\n${body}`.includes(type) ? `${type}: ` : "";
  return isRepeated ? `${kind}${body}` : [`${kind}${head}`, body].filter((part) => part !== "").join("\n\n");
}

function factsBelow(
  test: TestResult,
  place: SourceLine | undefined,
  unsentFiles: readonly string[],
): string[] {
  const { suite, className, report, seconds } = test;
  const facts = {
    Where: whereOf(test, place),
    Suite: suite === className ? "" : suite,
    Report: report,
    Took: seconds === undefined ? "" : `${seconds} s`,
    "Files that were not sent": unsentFiles.slice(0, 20).join(", "),
  };
  return Object.entries(facts).flatMap(([name, fact]) =>
    fact ? [`${name}: ${cut(oneLine(fact), 1_000)}`] : [],
  );
}

function whereOf({ file, line }: TestResult, place: SourceLine | undefined): string {
  const at = place ?? { file, line };
  return at.file ? `${at.file}${at.line ? `:${at.line}` : ""}` : "";
}

function metadataOf(test: TestResult, place: SourceLine | undefined): Readonly<Record<string, unknown>> {
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
        typeof fact === "string" ? cut(oneLine(withoutColours(fact)), longestReportName) : fact,
      ]),
  );
}

function cut(text: string, most: number): string {
  const characters = [...text.slice(0, 2 * most + 2).toWellFormed()];
  return characters.length <= most ? characters.join("") : `${characters.slice(0, most - 1).join("")}…`;
}

/**
 * The prefixes of dedupe keys. Flaky failures have a separate prefix, because a passing run must not resolve
 * them.
 */
const prefixes = { failed: "junit", flaky: "junit-flaky", more: "junit-more" } as const;

/**
 * Only this number of characters of a failure text identifies the failure. All later characters are ignored.
 */
const longest = 4_000;

const longestKeyName = 500;

const mostLines = 12;

/** Returns the dedupe key of a failure. It depends on the test and on the failure text. (rule F26) */
export function failureKey(test: TestResult, folder: string): string {
  const prefix = test.outcome === "flaky" ? prefixes.flaky : prefixes.failed;
  const name = test.name.slice(0, longestKeyName);
  // Reports may list failures in any order, so the key uses the first failure in sort order.
  const [what = ""] = test.failures.map((failure) => whatFailed(name, failure)).sort();
  return `${prefix}:${testHash(test, folder)}:${hashOf([what])}`;
}

/** Returns the start of the dedupe keys of a test's failures, except flaky failures. */
export const passedPrefix = (hash: string): string => `${prefixes.failed}:${hash}:`;

/** Returns the dedupe key of the summary. It depends only on the file patterns. */
export const moreKey = (patterns: readonly string[]): string =>
  `${prefixes.more}:${hashOf([...patterns].sort())}`;

const whatFailed = (name: string, failure: TestFailure): string =>
  `${normalised(failure.type)} ${normalised(identifyingText(name, failure))}`;

/** Returns the text that identifies a failure: its message, or else lines of `text` without stack frames. */
function identifyingText(name: string, { type, message, text }: TestFailure): string {
  const sentence = normalised(message.slice(0, longest));
  if (isIdentifying(sentence, { name, kind: normalised(type) })) return message.slice(0, longest);
  const lines = withoutColours(text.slice(0, 4 * longest))
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "");
  const identifying = lines.filter((line) => !isFrame(line) && !isTitle(line, name));
  const chosen = (identifying.length > 0 ? identifying : lines)
    .slice(0, mostLines)
    .join("\n")
    .slice(0, longest);
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

/** Whether a message says what failed. Some tools write only the type, or the name of the test. */
const isIdentifying = (
  sentence: string,
  { name, kind }: { readonly name: string; readonly kind: string },
): boolean =>
  !empty.has(sentence.toLowerCase().replace(/(?<![.!])[.!]+$/, "")) &&
  sentence !== kind &&
  !isTitle(sentence, normalised(name));

/** Whether a line is only a heading: it begins or ends with the test name, or quotes the name. */
function isTitle(line: string, name: string): boolean {
  const title =
    plainText(name)
      .split(/ [›>] /)
      .at(-1) ?? "";
  const bare = line.replace(/(?<![\s─-])[\s─-]+$/, "").trim();
  return title.length >= 3 && (bare.startsWith(title) || bare.endsWith(title) || bare.includes(`'${title}'`));
}

const isFrame = (line: string): boolean =>
  /^\s*(?:at\s|File "|from\s.+:\d+:in\s|\.{3} \d+ more|#\d+\s|goroutine \d+|❯\s|\d+:\s+0x)/.test(line);

/** Returns the hash of a test for dedupe keys. The checkout folder and slashes do not change the hash. */
export const testHash = (
  { suite, className, name }: Pick<TestResult, "suite" | "className" | "name">,
  folder: string,
): string => hashOf([inFolder(suite, folder), inFolder(className, folder), plainText(name)]);

export const hashOf = (parts: readonly string[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);

/**
 * Removes the folder from the start of a name, because the names of suites and classes are often file paths.
 */
function inFolder(text: string, folder: string): string {
  const slashed = plainText(text).replaceAll("\\", "/");
  const root = `${folder.replaceAll("\\", "/").replace(/(?<!\/)\/+$/, "")}/`;
  return slashed.startsWith(root) ? slashed.slice(root.length) : slashed;
}

/** The file and line of a test. The path is relative to the checkout and has slashes, as on GitHub. */
interface SourceLine {
  readonly file: string;
  readonly line: number | undefined;
}

/** The working folder of the command (`cwd`), and the folder of the checkout (`workspace`). */
interface Folders {
  readonly cwd: string;
  readonly workspace: string;
}

interface Candidate {
  readonly file: string;
  readonly line?: number | undefined;
}

const mostCandidates = 20;

/** Returns the file and line of a failure. Undefined if no named file is in the checkout. */
async function sourceLineOf(test: TestResult, folders: Folders): Promise<SourceLine | undefined> {
  const inText = sourceLinesIn(test.failures.map(({ message, text }) => `${message}\n${text}`).join("\n"));
  const named = [test.file, pathIn(test.className), pathIn(test.suite)].flatMap((file) => file || []);
  const own = named.map((file): Candidate => ({ file, line: test.line ?? lineIn(inText, file) }));
  const ofClass = sourcesOfClass(test).map((file): Candidate => ({ file, line: lineIn(inText, file) }));
  const candidates = [...own, ...ofClass, ...inText.filter(({ file }) => !file.includes("node_modules"))];
  for (const { file, line } of candidates.slice(0, mostCandidates)) {
    const found = await fileIn(folders, file);
    if (found) return { file: found, line };
  }
  return undefined;
}

/**
 * Returns the path of a file relative to the checkout. Returns undefined if the file is not in the checkout.
 */
async function fileIn({ cwd, workspace }: Folders, file: string): Promise<string | undefined> {
  for (const base of isAbsolute(file) ? [cwd] : [cwd, workspace]) {
    const path = resolve(base, file);
    if (!isUnder(workspace, path)) continue;
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile()) return relative(workspace, path).replaceAll("\\", "/");
  }
  return undefined;
}

const longestPath = 4_096;

const pathIn = (name: string): string | undefined =>
  name.length <= longestPath && (isPathWithEnding(name) || /^[\w.-]+\.(?:[cm]?[jt]sx?|py|rb|php)$/.test(name))
    ? name
    : undefined;

const isPathWithEnding = (name: string): boolean => /[\\/]/.test(name) && /^[^\n]*\.\w{1,6}$/.test(name);

const located =
  /((?<![^\s"'`()<>[\]{},;=|:])(?:\b[A-Za-z]:)?[^\s"'`()<>[\]{},;=|:]+\.\w{1,6})(?::|", line )(\d{1,6})/g;

const longestScan = 20_000;

/** Returns the source files and lines in a text, such as `src/a.ts:12` or `File "a.py", line 12`. */
const sourceLinesIn = (text: string): Candidate[] =>
  [...withoutColours(text.slice(0, longestScan)).matchAll(located)].map(([, file = "", line]) => ({
    file: file.replace(/^file:\/\//, ""),
    line: Number(line),
  }));

/** Returns the line after a file name, such as 12 in `src/a.ts:12`. Ignores folders, because the text may omit them. */
function lineIn(places: readonly Candidate[], file: string): number | undefined {
  const name = baseName(file);
  return places.find((place) => baseName(place.file) === name)?.line;
}

const baseName = (path: string): string => path.replace(/^.*[\\/]/, "");

const languages = { java: "java", kotlin: "kt", groovy: "groovy", scala: "scala" } as const;

/**
 * Returns the possible source files of a class. The module is the folder above `target` (Maven) or `build`
 * (Gradle).
 */
function sourcesOfClass({ className, suite, report }: TestResult): string[] {
  const name = [className, suite].find((one) => /^[\w$]+(?:\.[\w$]+)+$/.test(one));
  if (name === undefined) return [];
  const [module = ""] = /^(?:.*?(?=(?:^|[\\/])(?:target|build)[\\/]))/.exec(report) ?? [dirname(report)];
  const path = name.replace(/\$.*/s, "").replaceAll(".", "/");
  return Object.entries(languages).map(([folder, ending]) =>
    join(module, "src/test", folder, `${path}.${ending}`),
  );
}

const uuid = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;

const address = /\b0x[0-9a-f]+\b/gi;

const instant =
  /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?)?/g;

const clockTime = /\b\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?: ?[AaPp][Mm])?\b/g;

/** Matches a word that may be a path. A pattern that searches for a slash would need quadratic time. */
const word = /[^\s"'`()<>[\]{},;=|]+/g;

const withoutPath = (found: string): string => (/[\\/]/.test(found) ? "<path>" : found);

const hexDigits = /\b(?=[0-9a-f]*\d)[0-9a-f]{7,}\b/gi;

const amount =
  /[-+]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?(?:\s?(?:ns|µs|us|ms|s|sec|secs|seconds?|min|mins|minutes?|hours?)\b)?/gi;

/** Returns the text without the terminal codes for colours and links. */
const withoutColours = (text: string): string => withoutTerminalCodes(asWritten(text));

/** Returns the text of a report as a terminal would show it. */
const readable = (text: string): string => fromTerminal(asWritten(text));

const asWritten = (text: string): string => text.replaceAll(escapeSign, "\u001b");

const longestCleanedName = 2_000;

/**
 * Returns the name of a test without colours, ids, memory addresses and times, because these differ in each run.
 */
const plainText = (name: string): string =>
  name.length > longestCleanedName
    ? name
    : withoutColours(name)
        .replace(uuid, "<id>")
        .replace(instant, "<time>")
        .replace(address, "<address>")
        .trim();

/**
 * Returns a failure text without the parts that differ in each run, such as times, ids, paths and numbers. (rule F26)
 */
export const normalised = (text: string): string =>
  withoutColours(text)
    .replace(uuid, "<id>")
    .replace(instant, "<time>")
    .replace(clockTime, "<time>")
    .replace(word, withoutPath)
    .replace(address, "<address>")
    .replace(hexDigits, "<hex>")
    .replace(amount, "<number>")
    .replace(/\s+/g, " ")
    .trim();
