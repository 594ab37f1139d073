import { limits } from "../../../contract/limits.ts";
import { ciFolders } from "../../core/ci-run.ts";
import type { Invocation } from "../../core/context.ts";
import { flagOf, type InputFault } from "../../core/input-fault.ts";
import { type Draft, type DraftFlags, dedupeFields, draftOf } from "../../delivery/draft-feedback.ts";
import { cutMessage } from "../../delivery/message.ts";
import { type ReportText, reportText, restText } from "./failure.ts";
import { failureKey, moreKey, passedPrefix } from "./failure-key.ts";
import { testHash } from "./merge-tests.ts";
import { filesOf } from "./test-files.ts";
import { type Folders, type Place, placeOf } from "./test-place.ts";
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

interface OwnContent extends ReportText {
  readonly dedupeKey: string;
}

/** A report with its own content, and with what the flags say about all reports. */
async function draftWith(
  invocation: Invocation,
  flags: JunitFlags,
  { subject, message, metadata, dedupeKey }: OwnContent,
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
