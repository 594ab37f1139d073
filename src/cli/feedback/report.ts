import type { FeedbackFile, FeedbackFiles } from "../../client/feedback-body.ts";

/**
 * What is known of the last try. `unsent`: the server cannot have the report. `refused`: it answered that it does not
 * take it. `unknown`: it may have it, but its answer was not heard.
 */
export interface LastTry {
  readonly at: string;
  readonly outcome: "unsent" | "refused" | "unknown";
  readonly why: string;
}

/** Feedback on its way to a server. */
export interface Report {
  readonly id: string;
  readonly createdAt: string;
  /** The server that it was written for. */
  readonly baseUrl: string;
  readonly idempotencyKey: string;
  /** The body without its files. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly files: FeedbackFiles;
  readonly lastTry: LastTry | null;
}

export const noFiles: FeedbackFiles = { images: [], videos: [], attachments: [] };

export const flagOfField = { images: "--image", videos: "--video", attachments: "--attach" } as const;

export interface PlacedFile {
  readonly field: keyof FeedbackFiles;
  /** From 0, within its field. */
  readonly at: number;
  readonly file: FeedbackFile;
}

/** Every file with its place in the request. */
export const placesOf = ({ images, videos, attachments }: FeedbackFiles): readonly PlacedFile[] => [
  ...images.map((file, at): PlacedFile => ({ field: "images", at, file })),
  ...videos.map((file, at): PlacedFile => ({ field: "videos", at, file })),
  ...attachments.map((file, at): PlacedFile => ({ field: "attachments", at, file })),
];
