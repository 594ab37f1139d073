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

/** The names of media types in a sentence: `MP4, WebM or QuickTime`. */
export const kindNames = (mediaTypes: readonly string[]): string =>
  mediaTypes
    .map((mediaType) => names[mediaType] ?? mediaType)
    .join(", ")
    .replace(/, ([^,]*)$/, " or $1");

/** The files that a flag accepts, for its help. */
export const rulesOf = ({
  most,
  bytes,
  types,
}: {
  readonly most: number;
  readonly bytes: number;
  readonly types: readonly string[];
}): string => `${kindNames(types)}, up to ${most} of ${bytes / 1_048_576} MB each; repeatable`;
