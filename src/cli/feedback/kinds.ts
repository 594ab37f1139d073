import type { FeedbackFiles } from "../../client/feedback-body.ts";
import { feedbackFiles } from "../../contract/limits.ts";

type Field = keyof FeedbackFiles;

const names: Readonly<Record<string, string>> = {
  "image/png": "PNG",
  "image/jpeg": "JPEG",
  "image/webp": "WebP",
  "image/gif": "GIF",
  "video/mp4": "MP4",
  "video/webm": "WebM",
  "video/quicktime": "QuickTime",
  "application/pdf": "PDF",
};

/** What a person calls a media type. */
export const kindOf = (mediaType: string): string => names[mediaType] ?? mediaType;

/** The kinds that a field takes: `MP4, WebM or QuickTime`. */
export const kindsOf = (field: Field): string =>
  feedbackFiles[field].types
    .map(kindOf)
    .join(", ")
    .replace(/, ([^,]*)$/, " or $1");

/** All that a field takes, for its help. */
export function rulesOf(field: Field): string {
  const { most, bytes } = feedbackFiles[field];
  return `${kindsOf(field)}, up to ${most} of ${bytes / 1_048_576} MB each; repeatable`;
}
