import type { FeedbackFiles } from "../../../client/calls/feedback-body.ts";
import type { SentFile } from "../../../client/calls/file-content.ts";
import type { SpooledItem } from "../../delivery/spooled-item.ts";

/** Feedback on its way to a server. */
export interface OutgoingFeedback extends SpooledItem {
  /** The body without its files. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly files: FeedbackFiles;
}

export const noFiles: FeedbackFiles = { images: [], videos: [], attachments: [] };

export const flagOfField = { images: "--image", videos: "--video", attachments: "--attach" } as const;

export interface PlacedFile {
  readonly field: keyof FeedbackFiles;
  /** The position in its field, from 0. */
  readonly at: number;
  readonly file: SentFile;
}

/** Every file with its place in the request. */
export const placesOf = ({ images, videos, attachments }: FeedbackFiles): readonly PlacedFile[] => [
  ...images.map((file, at): PlacedFile => ({ field: "images", at, file })),
  ...videos.map((file, at): PlacedFile => ({ field: "videos", at, file })),
  ...attachments.map((file, at): PlacedFile => ({ field: "attachments", at, file })),
];
