import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { run, threadId } from "./example-values.ts";
import { anyObject, anyText, file, omittable, optionalLabel, optionalText, text, uuid } from "./fields.ts";
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
 * The tests that a report summarises. Each text is the beginning of the `dedupeKey`s of a test, like `prefix` in a
 * request that resolves failures.
 */
export const dedupeParts = listOf(text(1, limits.dedupeKey), limits.dedupeParts);

/** A report: only its type and its message are required. (rules F1, F2) */
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
        /** The page on which the sender reads replies. Everybody with this address can read them. */
        statusUrl: z.optional(z.string()),
        deduplicated: z.optional(z.boolean()),
        /** The last resolved thread with the same `dedupeKey`, if this report shows that the failure is back. */
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
