import { join } from "node:path";
import * as z from "zod/mini";
import type { FeedbackFiles } from "../../client/body.ts";
import type { SpooledItem } from "./spool.ts";

/** Feedback on its way to a server. */
export interface OutgoingFeedback extends SpooledItem {
  /** The body without its files. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly files: FeedbackFiles;
}

const StoredFile = z.object({ name: z.string(), mediaType: z.string(), bytes: z.int() });

/** A report as the spool stores it. Its files are beside it, named by their place in the request (`images.0`). */
const StoredReport = z.object({
  id: z.string(),
  createdAt: z.string(),
  baseUrl: z.string(),
  idempotencyKey: z.string(),
  fields: z.record(z.string(), z.unknown()),
  files: z.object({
    images: z.array(StoredFile),
    videos: z.array(StoredFile),
    attachments: z.array(StoredFile),
  }),
  lastTry: z.nullable(
    z.object({ at: z.string(), outcome: z.enum(["unsent", "refused", "unknown"]), why: z.string() }),
  ),
});
type StoredFiles = z.output<typeof StoredReport>["files"];

export const storedFeedbackText = (report: OutgoingFeedback): string =>
  JSON.stringify(StoredReport.parse(report));

/** Reads a report from a folder of the spool; undefined if the text is not a report. */
export function storedFeedback(folder: string, text: string): OutgoingFeedback | undefined {
  try {
    const { data: report } = StoredReport.safeParse(JSON.parse(text));
    return report && { ...report, files: filesBeside(folder, report.files) };
  } catch {
    return undefined;
  }
}

/** The path of a report's file in its folder. */
const copyPath = (folder: string, field: keyof FeedbackFiles, at: number): string =>
  join(folder, `${field}.${at}`);

function filesBeside(folder: string, { images, videos, attachments }: StoredFiles): FeedbackFiles {
  const placed = (field: keyof FeedbackFiles, files: StoredFiles["images"]) =>
    files.map((file, at) => ({ ...file, path: copyPath(folder, field, at) }));
  return {
    images: placed("images", images),
    videos: placed("videos", videos),
    attachments: placed("attachments", attachments),
  };
}
