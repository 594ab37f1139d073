import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { endpoint } from "./endpoint.ts";
import { run, threadId } from "./example-values.ts";
import {
  anyObject,
  anyText,
  file,
  omittable,
  optionalInstant,
  optionalLabel,
  optionalText,
  text,
  uuid,
  webUrl,
} from "./fields.ts";
import { feedbackFiles, limits } from "./limits.ts";
import { eachReportText } from "./report-texts.ts";

export const FeedbackType = z.enum(["bug", "feature", "question", "general"]);

export type FeedbackType = z.output<typeof FeedbackType>;

const files = ({ most, ...rule }: (typeof feedbackFiles)[keyof typeof feedbackFiles]) =>
  omittable(listOf(file(rule), most));

const listOf = <Schema extends z.ZodMiniType>(schema: Schema, most: number) =>
  z.array(schema).check(z.maxLength(most, `must have at most ${most} elements`));

const attachment = z.object({
  name: z.optional(
    z.nullable(
      z.string().check(z.meta({ description: `Longer names are cut to ${limits.fileName} characters.` })),
    ),
  ),
  data: file(feedbackFiles.attachments),
});

/**
 * For each test of a report, the beginning of the test's dedupe keys. `failures.resolve` gets this text as
 * `prefix`.
 */
export const dedupeParts = listOf(text(1, limits.dedupeKey), limits.dedupeParts);

/** A new report. Only its type and its message are required. (rules F1, F2) */
export const NewFeedback = z.object({
  type: FeedbackType,
  message: text(1, limits.message),
  email: anyText,
  name: optionalLabel(limits.senderName),
  subject: optionalLabel(limits.subject),
  metadata: omittable(anyObject),
  ...eachReportText((_, { longest }) => optionalLabel(longest)),
  dedupeKey: optionalText(limits.dedupeKey),
  dedupeScope: optionalText(limits.dedupeScope),
  dedupeRun: optionalText(limits.dedupeRun),
  dedupeParts: omittable(dedupeParts),
  images: files(feedbackFiles.images),
  videos: files(feedbackFiles.videos),
  attachments: omittable(listOf(attachment, feedbackFiles.attachments.most)),
});

export type NewFeedback = z.output<typeof NewFeedback>;

export const feedback = {
  submit: endpoint({
    method: "POST",
    path: "/api/v1/feedback/remote",
    summary: "Submit feedback, with images, videos and PDFs",
    auth: "appKey",
    body: NewFeedback,
    bodyKind: "upload",
    upload: {
      files: {
        images: { bytes: feedbackFiles.images.bytes },
        videos: { bytes: feedbackFiles.videos.bytes },
        attachments: { bytes: feedbackFiles.attachments.bytes, named: true },
      },
      anyJson: "metadata",
      bodyBytes: limits.feedback,
    },
    success: {
      status: 201,
      body: z.object({
        success: z.boolean(),
        id: uuid,
        consoleUrl: z.string(),
        /**
         * The address of the page on which the sender reads replies. Everybody with this address can read the replies.
         */
        statusUrl: z.optional(z.string()),
        deduplicated: z.optional(z.boolean()),
        /**
         * The last resolved thread with the same `dedupeKey`. Only set if this report shows that the failure
         * occurred again.
         */
        earlier: z.optional(z.object({ id: uuid, consoleUrl: z.string() })),
        metadataDropped: z.optional(z.array(z.string())),
        filesDropped: z.optional(z.array(z.string())),
        fieldsDropped: z.optional(z.array(z.string())),
      }),
    },
    errors: ["feedback_disabled"],
    rateLimit: "feedback",
    otherRateLimit: "feedbackRepeats",
    countsBytes: true,
    countsRefusals: true,
    answersSecret: true,
    example: {
      request: {
        type: "bug",
        message: "The settings page closes when it is opened twice.",
        email: "ada@example.org",
        metadata: { build: 240, locale: "en-GB" },
        source: "android",
        images: ["data:image/png;base64,iVBORw0KGgo…"],
        attachments: [{ name: "log.pdf", data: "data:application/pdf;base64,JVBERi0x…" }],
      },
      answer: {
        ...{ success: true, id: threadId, consoleUrl: run.consoleUrl },
        statusUrl: "http://127.0.0.1:4700/p/t/AZH9o9zudEe23kLIw8gvjQAAAAAAkUeXyGO6rYQWLmW1oXbP9A",
      },
    },
  }),
} as const;

/** Why metadata was left out: too deep, too many entries, too many bytes, or the name of an earlier entry. */
export const dropReasons = ["depth", "count", "size", "name"] as const;

/** An entry of metadata that was left out. */
export interface DroppedEntry {
  readonly name: string;
  readonly reason: (typeof dropReasons)[number];
}

/** The metadata that is stored, as JSON, and the first entries that were left out. */
interface FittingMetadata {
  readonly json: string;
  readonly dropped: readonly DroppedEntry[];
}

/**
 * Returns the metadata within the limits, as JSON, and the first dropped entries. Replaces lone surrogates.
 * (rule F6)
 */
export function fitMetadata(given: Readonly<Record<string, unknown>>): FittingMetadata {
  const kept = new Map<string, string>();
  const dropped: DroppedEntry[] = [];
  let bytes = 2;
  for (const [name, value] of Object.entries(given)) {
    const key = name.toWellFormed();
    const drop = (reason: DroppedEntry["reason"]) => {
      if (dropped.length < limits.namedDrops) dropped.push({ name: shortened(key), reason });
    };
    const reason = refusalOf(kept, key, value);
    if (reason !== undefined) {
      drop(reason);
      continue;
    }
    const entry = `${JSON.stringify(key)}:${jsonOf(value)}`;
    const size = encoder.encode(entry).length + (kept.size > 0 ? 1 : 0);
    if (bytes + size > limits.metadataBytes) {
      drop("size");
      continue;
    }
    kept.set(key, entry);
    bytes += size;
  }
  return { json: `{${[...kept.values()].join(",")}}`, dropped };
}

const encoder = new TextEncoder();

/** Returns the reason to omit an entry. Undefined if there is none. Does not check the size of the entry. */
function refusalOf(
  kept: ReadonlyMap<string, string>,
  key: string,
  value: unknown,
): DroppedEntry["reason"] | undefined {
  if (kept.size === limits.metadataKeys) return "count";
  if (kept.has(key)) return "name";
  return depthOf(value) >= limits.metadataDepth ? "depth" : undefined;
}

function jsonOf(value: unknown): string {
  const json = JSON.stringify(value);
  return /\\ud[89a-f]/i.test(json) ? JSON.stringify(wellFormed(value)) : json;
}

function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key.toWellFormed(), wellFormed(child)]),
  );
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let deepest = 0;
  for (const child of Object.values(value)) deepest = Math.max(deepest, depthOf(child));
  return 1 + deepest;
}

/** Shortens the name of an entry, because a name may have a million characters. */
const shortened = (key: string): string => (key.length > 100 ? `${key.slice(0, 99).toWellFormed()}…` : key);

/** The `dedupeKey` of a failure whose test passed, or the common beginning of the keys of several such failures. */
const Passed = z.union([text(1, limits.dedupeKey), z.object({ prefix: text(1, limits.dedupeKey) })]);

export type Passed = z.output<typeof Passed>;

/** A test run, and the failures whose tests passed in this run. */
const GreenRun = z.object({
  scope: optionalText(limits.dedupeScope),
  run: text(1, limits.dedupeRun),
  runUrl: z.optional(webUrl(limits.url)),
  startedAt: optionalInstant,
  passed: z.array(Passed).check(z.maxLength(limits.passedFailures)),
});

export type GreenRun = z.output<typeof GreenRun>;

const failure = { id: uuid, dedupeKey: z.string(), consoleUrl: z.string() };

/**
 * The endpoint that resolves failures. Test runs and CI jobs report a failure repeatedly with the same `dedupeKey`.
 */
export const failures = {
  resolve: endpoint({
    method: "POST",
    path: "/api/v1/console/apps/:appId/feedback/resolve",
    summary: "Resolve each thread of a failed test, if the test now passes in every scope in which it failed",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params: appParams,
    body: GreenRun,
    readsClock: true,
    success: {
      status: 200,
      body: z.object({
        resolved: z.array(z.object(failure)),
        /**
         * The failures of the request that stay open. The list contains at most 200 failures that the run left
         * unchanged.
         */
        stillFailing: z.array(
          z.object({
            ...failure,
            /** The scopes in which the failure was reported, and in which its test has not passed after the report. */
            scopes: z.array(z.string()),
            /**
             * True if the failure stays open in the run's scope, because a report arrived after the start of the run.
             */
            reportedLater: z.boolean(),
          }),
        ),
        more: z.boolean(),
      }),
    },
    errors: ["not_found"],
    example: {
      request: {
        scope: "ci test linux main",
        run: "8412",
        runUrl: "https://ci.example.com/runs/8412",
        startedAt: "2026-03-02T09:00:00Z",
        passed: ["login-smoke-test", { prefix: "junit:4f1c:" }],
      },
    },
  }),
} as const;
