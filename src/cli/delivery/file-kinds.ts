import type { FeedbackFiles } from "../../client/body.ts";
import { feedbackFiles } from "../../contract/limits.ts";

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

/** Several kinds in a sentence: `MP4, WebM or QuickTime`. */
export const kindNames = (types: readonly string[]): string =>
  types
    .map(kindOf)
    .join(", ")
    .replace(/, ([^,]*)$/, " or $1");

/** The kinds of file that a field of feedback accepts, for its help. */
export const rulesOf = (field: keyof FeedbackFiles): string => rulesIn(feedbackFiles[field]);

/** The same for any files. */
export function rulesIn({
  most,
  bytes,
  types,
}: {
  readonly most: number;
  readonly bytes: number;
  readonly types: readonly string[];
}): string {
  return `${kindNames(types)}, up to ${most} of ${bytes / 1_048_576} MB each; repeatable`;
}
