import { realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, resolve } from "node:path";
import type { FeedbackFiles, SentFile } from "../../../client/body.ts";
import { feedbackFiles, limits } from "../../../contract/limits.ts";
import { ciFolders } from "../../core/ci-run.ts";
import type { Context, Invocation } from "../../core/context.ts";
import { isUnder } from "../../core/files.ts";
import { flagOf, type InputFault } from "../../core/input.ts";
import {
  cutMessage,
  type Draft,
  type DraftFlags,
  dedupeFields,
  draftOf,
} from "../../delivery/draft-feedback.ts";
import { asPdf, checkSentFiles } from "../../delivery/files.ts";
import {
  type Folders,
  failureKey,
  moreKey,
  type Place,
  passedPrefix,
  placeOf,
  type ReportText,
  reportText,
  restText,
  testHash,
} from "./failure.ts";
import type { TestResult } from "./test-result.ts";

/** The flags of `feedback send --junit`. */
export interface JunitFlags extends DraftFlags {
  readonly junit: readonly string[];
  readonly maxReports?: number;
}

/** A report about a failing test, or about the rest of them. */
export interface FailureDraft {
  readonly draft: Draft;
  /** Undefined for the rest. */
  readonly test: TestResult | undefined;
  readonly place: Place | undefined;
}

const usualReports = 20;

/** What the reports say themselves cannot be given. */
const ownFields = ["message", "subject", "dedupeKey", "image", "video", "attach"] as const;

/** The faults of flags that make no sense with `--junit`. */
export const foreignFlags = (flags: DraftFlags): InputFault[] =>
  ownFields
    .filter((field) => flags[field] !== undefined)
    .map((field) => ({
      flag: flagOf(field),
      message: "cannot be given with --junit: each report has its own",
    }));

/** The reports about failing tests: one for each of the first tests, and one for all others. (rule F26) */
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
  const text = restText({ tests, reported: drafts.length, shorten });
  const draft = await draftWith(invocation, flags, { ...text, dedupeKey: moreKey(flags.junit) });
  const fields = { ...draft.fields, ...partsOf(tests, invocation.context.cwd) };
  return [...drafts, { draft: { ...draft, fields }, test: undefined, place: undefined }];
}

/** Which tests must pass. Of too many none is named: then only a person closes the thread. */
function partsOf(tests: readonly TestResult[], folder: string): { readonly dedupeParts?: readonly string[] } {
  const parts = tests.map((test) => passedPrefix(testHash(test, folder)));
  return parts.length > limits.dedupeParts ? {} : { dedupeParts: [...new Set(parts)] };
}

async function draftOfTest(
  invocation: Invocation,
  flags: JunitFlags,
  test: TestResult,
): Promise<FailureDraft> {
  const folders = foldersOf(invocation);
  const place = await placeOf(test, folders);
  const { files, left } = await filesOf(invocation.context, test, folders);
  const text = reportText(test, { place, left, shorten });
  const dedupeKey = failureKey(test, invocation.context.cwd);
  const draft = await draftWith(invocation, flags, { ...text, dedupeKey });
  return { draft: { ...draft, files }, test, place };
}

/** The folder of the checkout is that of the command, unless the CI service names another. */
const foldersOf = ({ context: { cwd, env } }: Invocation): Folders => ({
  cwd,
  workspace: ciFolders(env).workspace || cwd,
});

/** A report with its own content, and with what the flags say about all reports. */
async function draftWith(
  invocation: Invocation,
  flags: JunitFlags,
  { subject, message, metadata, dedupeKey }: ReportText & { readonly dedupeKey: string },
): Promise<Draft> {
  const facts = Object.entries(metadata).map(([name, fact]) => `${name}:=${JSON.stringify(fact)}`);
  const dedupe = dedupeFields(invocation.context, { ...flags, dedupeKey }, { joinsShards: true });
  const { type = "bug", source = "junit", email, name, ciMetadata, bestEffort, metadata: given = [] } = flags;
  return draftOf(invocation, {
    ...{ type, source, email, name, ciMetadata, bestEffort, dedupeKey, ...present(dedupe) },
    ...{ subject: literal(subject), message: literal(message), metadata: [...facts, ...given] },
  });
}

/** A text that is meant as it stands, and not as the name of a file. */
const literal = (text: string): string => (text.startsWith("@") ? `@${text}` : text);

const present = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? ""]));

const shorten = (text: string, most: number): string => cutMessage(text, most).message;

type Field = keyof FeedbackFiles;

/** The files of a test that can be sent, and what is said about the others. */
interface TestFiles {
  readonly files: FeedbackFiles;
  readonly left: readonly string[];
}

const fields = ["images", "videos", "attachments"] as const;

const mostLooked = 50;

/** The folders from which files are taken: a report that strangers wrote must not name any file of the machine. */
const rootsOf = ({ env }: Pick<Context, "env">, { cwd, workspace }: Folders): string[] =>
  [cwd, workspace, ciFolders(env).temporary, tmpdir()].flatMap((folder) => folder || []);

/** Checks the files that a report names for a test. Their paths start from the folder of the command, the checkout, or the report. */
async function filesOf(
  context: Pick<Context, "env">,
  test: TestResult,
  folders: Folders,
): Promise<TestFiles> {
  const roots = await Promise.all(
    rootsOf(context, folders).map((folder) => realpath(folder).catch(() => folder)),
  );
  const bases = [folders.cwd, folders.workspace, dirname(resolve(folders.cwd, test.report))];
  const found: Record<Field, SentFile[]> = { images: [], videos: [], attachments: [] };
  const left: string[] = [];
  for (const given of test.attachments.slice(0, mostLooked)) {
    const checked = await checkFile(given, bases, roots);
    const place = "field" in checked ? found[checked.field] : undefined;
    if ("field" in checked && place && place.length < feedbackFiles[checked.field].most)
      place.push(checked.file);
    else left.push(`${given} (${"field" in checked ? "there are too many" : checked.why})`);
  }
  return { files: found, left: [...left, ...test.attachments.slice(mostLooked)] };
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

/** Whether a fault says that the file is of another kind. */
const isOfKind = (message: string): boolean => message.includes("; its bytes are ");

async function existing(given: string, bases: readonly string[]): Promise<string | undefined> {
  for (const base of bases) {
    const path = await realpath(resolve(base, given)).catch(() => undefined);
    if (path !== undefined) return path;
  }
  return undefined;
}
