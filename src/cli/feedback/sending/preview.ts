import type { SentFile } from "../../../client/calls/file-content.ts";
import { routes } from "../../../client/calls/routes.ts";
import type { Invocation } from "../../core/program/context.ts";
import { megabytes } from "../../delivery/progress.ts";
import type { OutgoingFeedback } from "./outgoing-feedback.ts";

/** For `--dry-run`: ends the command at the request that it would send, with files only named. */
export async function preview(invocation: Invocation, { fields, files }: OutgoingFeedback): Promise<void> {
  const { images, videos, attachments } = files;
  const body = {
    ...fields,
    ...(images.length > 0 && { images: images.map(named) }),
    ...(videos.length > 0 && { videos: videos.map(named) }),
    ...(attachments.length > 0 && {
      attachments: attachments.map((file) => ({ name: file.name, data: named(file) })),
    }),
  };
  await invocation.sender()(routes.feedback.submit, { body });
}

const named = ({ name, mediaType, bytes }: SentFile): string => `<${mediaType} ${name}, ${megabytes(bytes)}>`;
