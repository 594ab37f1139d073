import { feedbackBody, placesOf, type SentFile } from "../../client/body.ts";
import type { Client } from "../../client/call.ts";
import { ConnectionError, ServerError } from "../../client/errors.ts";
import { routes } from "../../client/routes.ts";
import type { Issue } from "../../contract/issues.ts";
import { CliError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { failureOf } from "../core/failures.ts";
import { flagOf } from "../core/input.ts";
import { onOneLine } from "../core/plain-text.ts";
import { flagOfFiles } from "./draft-feedback.ts";
import { type Failed, type Kept, megabytes, type Way } from "./send.ts";
import type { LastTry } from "./spool.ts";
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

/** The error of a report that did not arrive: why, whether the server may have it, and how to send it again. */
export function undelivered(
  { item: report, spool }: Kept<OutgoingFeedback>,
  { error, lastTry }: Failed,
): CliError {
  const { exit, code, message, next, ...details } = failureOf(error);
  const isCut = lastTry.outcome === "unsent" && wasCut(error) && placesOf(report.files).length > 0;
  const sentences = [
    onOneLine(message),
    meaningOf(error, isCut),
    known[lastTry.outcome],
    spool ? "The report is kept." : "No copy of the report is kept.",
  ];
  const advice = [next, spool && nextFor(error, report, isCut)].filter(Boolean).join(" Then: ");
  const issues = issuesOf(error, report);
  return new CliError({
    exit,
    code,
    message: sentences.filter(Boolean).join("\n"),
    next: advice || undefined,
    ...details,
    ...(issues.length > 0 && { issues }),
    ...(spool && { spooled: { id: report.id, outcome: lastTry.outcome } }),
  });
}

const known: Record<LastTry["outcome"], string> = {
  unsent: "Nothing was posted.",
  refused: "Nothing was posted.",
  unknown:
    "Whether it was posted is not known. Sent again it has the same Idempotency-Key: Innkeep posts it once, " +
    "a server that does not know the key may post it twice.",
};

function meaningOf(error: Error, isCut: boolean): string | undefined {
  if (isCut) return "Something on the way may take less than this report has.";
  if (!(error instanceof ServerError) || error.status !== 403) return undefined;
  return (
    "A 403 means that this key may not send feedback, or that feedback is turned off for the app. " +
    "Its owner sees both in the console."
  );
}

// Many servers close the connection instead of answering a body that is too large.
const wasCut = (error: Error): boolean =>
  error instanceof ConnectionError && ["ECONNRESET", "EPIPE"].includes(error.code);

/** The faults that the server found, or the sizes after a 413, with the names of the flags. */
function issuesOf(error: Error, report: OutgoingFeedback): readonly Issue[] {
  if (!(error instanceof ServerError)) return [];
  const named = error.issues.map(({ path, message }) => ({
    path: placeOf(path, report),
    message: onOneLine(message),
  }));
  return error.status === 413 && named.length === 0 ? sizesOf(report) : named;
}

const sizesOf = ({ files }: OutgoingFeedback): Issue[] =>
  placesOf(files).map(({ field, file }) => ({
    path: onOneLine(`${flagOfFiles[field]} ${file.name}`),
    message: `has ${megabytes(file.bytes)}`,
  }));

/** The flag and the file of a field such as `images.1`; else the flag of the field. */
function placeOf(path: string, { files }: OutgoingFeedback): string {
  const [field = "", at = ""] = path.split(".");
  const placed = placesOf(files).find((place) => place.field === field && String(place.at) === at);
  if (placed) return onOneLine(`${flagOfFiles[placed.field]} ${placed.file.name}`);
  return field === "" ? "" : onOneLine(flagOf(field));
}

function nextFor(error: Error, { id, files }: OutgoingFeedback, isCut: boolean): string {
  const isTooLarge = isCut || (error instanceof ServerError && error.status === 413);
  const resend = `innkeep feedback resend ${id}`;
  return isTooLarge && placesOf(files).length > 0 ? `${resend} --without-files` : resend;
}
