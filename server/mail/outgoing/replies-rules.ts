import { withStatusUrl } from "../../feedback/saved-replies/rules.ts";
import { quotedBeginning } from "./rules.ts";

/**
 * Returns the text of a mail with a reply: the reply, the link to the sender's page, and the beginning of the
 * receiver's report. (rule M10)
 */
export function replyText({
  reply,
  appName,
  message,
  createdAt,
  statusUrl,
}: {
  readonly reply: string;
  readonly appName: string;
  /** The text of the receiver's report. */
  readonly message: string;
  readonly createdAt: string;
  /** The link to the sender's page, on which the receiver can answer. */
  readonly statusUrl: string | undefined;
}): string {
  const page = statusUrl === undefined ? [] : ["Answer, and see all replies, on your page:", statusUrl, ""];
  const about = `You wrote to ${appName} on ${createdAt.slice(0, 10)}:`;
  return [withStatusUrl(reply, statusUrl), "", "-- ", ...page, about, ...quotedBeginning(message)].join("\n");
}
