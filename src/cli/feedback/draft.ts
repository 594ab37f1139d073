import type { FeedbackFiles } from "../../client/feedback-body.ts";
import { NewFeedback } from "../../contract/feedback.ts";
import { issuesOf } from "../../contract/issues.ts";
import { limits } from "../../contract/limits.ts";
import { fitMetadata } from "../../contract/metadata.ts";
import type { Invocation } from "../context.ts";
import { checkFiles } from "./chosen-files.ts";
import { ciMetadata } from "./ci.ts";
import { type Checked, type Fault, flagOf } from "./fault.ts";
import { metadataOf } from "./metadata.ts";
import { refusal } from "./refusal.ts";
import { readTexts } from "./texts.ts";

/** The flags of `feedback send` that say what is sent. */
export interface DraftFlags {
  readonly type?: string;
  readonly message?: string;
  readonly subject?: string;
  readonly email?: string;
  readonly name?: string;
  readonly source?: string;
  readonly dedupeKey?: string;
  readonly metadata?: readonly string[];
  readonly ciMetadata: boolean;
  readonly image?: readonly string[];
  readonly video?: readonly string[];
  readonly attach?: readonly string[];
}

/** What is to be sent. */
export interface Draft {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly files: FeedbackFiles;
}

/** Checks all that was given before anything is sent. Throws one usage error that names every fault. */
export async function draftOf(invocation: Invocation, flags: DraftFlags): Promise<Draft> {
  const metadata = metadataOf(flags.metadata ?? []);
  const texts = await readTexts(invocation, { message: flags.message, subject: flags.subject });
  const { type, email, name, source, dedupeKey } = flags;
  const given = { type, ...texts.value, email, name, source, dedupeKey, metadata: metadata.value };
  const fields = checkFields(given, texts.faults);
  const { image: images = [], video: videos = [], attach: attachments = [] } = flags;
  const files = await checkFiles(invocation.context.cwd, { images, videos, attachments });

  const faults = [
    ...fields.faults,
    ...texts.faults,
    ...metadata.faults,
    ...metadataFaults(metadata.value),
    ...files.faults,
  ];
  if (faults.length > 0) throw refusal(faults);
  const facts = flags.ciMetadata ? ciMetadata(invocation.context.env) : {};
  return { fields: withFacts(fields.value, metadata.value, facts), files: files.value };
}

type Given = Readonly<Record<string, unknown>>;

function checkFields(given: Given, known: readonly Fault[]): Checked<Given> {
  const checked = NewFeedback.safeParse(given);
  if (checked.success) return { value: checked.data, faults: [] };
  const faults = issuesOf(checked.error).map(({ path, message }): Fault => {
    const [field = ""] = path.split(".");
    return { flag: flagOf(field), message: given[field] === undefined ? "is missing" : message };
  });
  return { value: given, faults: faults.filter(({ flag }) => !known.some((fault) => fault.flag === flag)) };
}

/** Adds what the CI job tells where there is room for it; what the person gave under the same name stands. */
function withFacts(fields: Given, given: Given, facts: Given): Given {
  const all = { ...facts, ...given };
  const metadata = isFitting(all) ? all : given;
  return Object.fromEntries(Object.entries({ ...fields, metadata }).filter(([, value]) => !isEmpty(value)));
}

/** What does not fit the server drops: better to say so before it is sent. */
const metadataFaults = (metadata: Given): Fault[] =>
  isFitting(metadata)
    ? []
    : [
        {
          flag: "--metadata",
          message: `must have at most ${limits.metadataKeys} keys, ${limits.metadataBytes} bytes of JSON and ${limits.metadataDepth} levels`,
        },
      ];

const isFitting = (metadata: Given): boolean => fitMetadata(metadata).dropped.length === 0;

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (typeof value === "object" && Object.keys(value).length === 0);
