import type { NewFeedback } from "../../../src/contract/feedback.ts";
import { isReceivedFile, type ReceivedFile } from "../../../src/contract/received-file.ts";
import type { ThreadFile, ThreadFiles } from "./feedback-answer.ts";
import { type ReceivedUpload, uploadOf } from "./received-upload.ts";

/** A received file of a report, and the upload that it becomes. */
export interface FeedbackFile {
  readonly field: keyof ThreadFiles;
  readonly received: ReceivedFile;
  readonly upload: ReceivedUpload;
}

/** The files of a valid report, in order. */
export function feedbackFilesOf({ images, videos, attachments }: NewFeedback): FeedbackFile[] {
  return [
    ...(images ?? []).flatMap((image) => feedbackFile("images", image)),
    ...(videos ?? []).flatMap((video) => feedbackFile("videos", video)),
    ...(attachments ?? []).flatMap(({ name, data }) => feedbackFile("attachments", data, name)),
  ];
}

/** The form in which a thread stores its files. */
export function filesJson(files: readonly FeedbackFile[]): string {
  const at = (field: keyof ThreadFiles) => files.filter((file) => file.field === field).map(threadFile);
  return JSON.stringify({ images: at("images"), videos: at("videos"), attachments: at("attachments") });
}

const threadFile = ({ upload }: FeedbackFile): ThreadFile => ({
  upload: upload.name,
  name: upload.fileName ?? upload.name,
  mediaType: upload.mediaType,
  size: upload.size,
});

function feedbackFile(
  field: keyof ThreadFiles,
  file: string | ReceivedFile,
  givenName?: string,
): FeedbackFile[] {
  if (!isReceivedFile(file) || file.detectedType === null) return [];
  return [{ field, received: file, upload: uploadOf(file, file.detectedType, givenName) }];
}
