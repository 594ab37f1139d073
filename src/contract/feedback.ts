import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { file, optionalText, text, uuid } from "./fields.ts";
import { feedbackFiles, limits } from "./limits.ts";

export const FeedbackType = z.enum(["bug", "feature", "question", "general"]);
export type FeedbackType = z.output<typeof FeedbackType>;

const metadata = z.record(z.string(), z.unknown()).check(
  z.refine(
    (value) => Object.keys(value).length <= limits.metadataKeys,
    `must have at most ${limits.metadataKeys} keys`,
  ),
  z.refine(
    (value) => new TextEncoder().encode(JSON.stringify(value)).length <= limits.metadataBytes,
    `must be at most ${limits.metadataBytes} bytes of JSON`,
  ),
  z.refine(
    (value) => depthOf(value) <= limits.metadataDepth,
    `must nest at most ${limits.metadataDepth} levels`,
  ),
);

const files = ({ most, ...rule }: (typeof feedbackFiles)[keyof typeof feedbackFiles]) =>
  z.optional(z.nullable(z.array(file(rule)).check(z.maxLength(most, `must have at most ${most} elements`))));

const attachment = z.object({
  name: z.string().check(z.minLength(1, "must not be empty"), z.meta({ maxLength: limits.fileName })),
  data: file(feedbackFiles.attachments),
});

export const NewFeedback = z.object({
  type: FeedbackType,
  message: text(1, limits.message),
  email: optionalText(limits.email),
  name: optionalText(limits.senderName),
  subject: optionalText(limits.subject),
  metadata: z.optional(z.nullable(metadata)),
  source: optionalText(limits.source),
  dedupeKey: optionalText(limits.dedupeKey),
  images: files(feedbackFiles.images),
  videos: files(feedbackFiles.videos),
  attachments: z.optional(
    z.nullable(
      z
        .array(attachment)
        .check(
          z.maxLength(
            feedbackFiles.attachments.most,
            `must have at most ${feedbackFiles.attachments.most} elements`,
          ),
        ),
    ),
  ),
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
    success: {
      status: 201,
      body: z.object({
        success: z.boolean(),
        id: uuid,
        consoleUrl: z.string(),
        deduplicated: z.optional(z.boolean()),
      }),
    },
    errors: ["feedback_disabled"],
    rateLimit: "feedback",
  }),
} as const;

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Object.values(value).reduce((deepest, child) => Math.max(deepest, depthOf(child)), 0);
}
