import { feedbackBody } from "../../client/body.ts";
import type { Client } from "../../client/call.ts";
import { ServerError } from "../../client/errors.ts";
import type { SentFile } from "../../client/file-content.ts";
import { routes } from "../../client/routes.ts";
import type { Invocation } from "../core/context.ts";
import type { Way } from "./deliver.ts";
import { megabytes } from "./progress.ts";
import type { OutgoingFeedback } from "./stored-feedback.lazy.ts";

/** The server's answer. Other servers may give no id and no address. */
export type Answer = Partial<Awaited<ReturnType<Client["feedback"]["submit"]>>>;

/** How a report is sent. */
export const asFeedback: Way<OutgoingFeedback, Answer> = {
  bodyOf: ({ fields, files }) => feedbackBody(fields, files),
  async send(client, given) {
    const answer: Answer = await client.feedback.submit(given);
    if (answer.success === false)
      throw new ServerError({ status: 200, code: "not_taken", message: notTaken });
    return answer;
  },
};

const notTaken = "The server answered that it did not take the feedback.";

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
