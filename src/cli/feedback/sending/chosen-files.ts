import type { FeedbackFiles } from "../../../client/calls/feedback-body.ts";
import { feedbackFiles } from "../../../contract/limits.ts";
import type { Checked } from "../../core/input/input-fault.ts";
import { checkSentFiles } from "../../delivery/sent-files.ts";
import { flagOfField } from "./outgoing-feedback.ts";

type Field = keyof FeedbackFiles;

/** The given paths of each field. */
export type Chosen = Readonly<Record<Field, readonly string[]>>;

/** Checks every chosen file: whether it is readable, its size, and its kind by its bytes. */
export async function checkFiles(cwd: string, chosen: Chosen): Promise<Checked<FeedbackFiles>> {
  const check = (field: Field) =>
    checkSentFiles(cwd, chosen[field], { ...feedbackFiles[field], flag: flagOfField[field], elsewhere });
  const [images, videos, attachments] = await Promise.all([
    check("images"),
    check("videos"),
    check("attachments"),
  ]);
  return {
    value: { images: images.value, videos: videos.value, attachments: attachments.value },
    faults: [...images.faults, ...videos.faults, ...attachments.faults],
  };
}

const fields = ["images", "videos", "attachments"] as const;

function elsewhere(mediaType: string): string | undefined {
  const field = fields.find((one) => feedbackFiles[one].types.some((type) => type === mediaType));
  return field && flagOfField[field];
}
