import { ConnectionError, ServerError } from "../../../client/errors.ts";
import type { Issue } from "../../../contract/issues.ts";
import { CliError } from "../../core/failures/cli-error.ts";
import { failureOf } from "../../core/failures/failure.ts";
import { flagOf } from "../../core/input/input-fault.ts";
import { onOneLine } from "../../core/output/plain-text.ts";
import type { Kept } from "../../delivery/attempt.ts";
import type { Failed } from "../../delivery/deliver.ts";
import { megabytes } from "../../delivery/progress.ts";
import type { LastTry } from "../../delivery/spooled-item.ts";
import { flagOfField, type OutgoingFeedback, placesOf } from "./outgoing-feedback.ts";

/** Says why a report did not arrive, whether it may have all the same, and how it is sent again. */
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
    spool && "The report is kept.",
  ];
  const advice = [next, spool && nextFor(error, report, isCut)].filter(Boolean).join(" Then: ");
  const issues = issuesOf(error, report);
  return new CliError(exit, code, sentences.filter(Boolean).join("\n"), advice || undefined, {
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

// Many servers do not answer a body that is too large, but end the connection.
const wasCut = (error: Error): boolean =>
  error instanceof ConnectionError && ["ECONNRESET", "EPIPE"].includes(error.code);

/** The faults that the server found, or after a 413 the sizes, by the flags that gave them. */
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
    path: onOneLine(`${flagOfField[field]} ${file.name}`),
    message: `has ${megabytes(file.bytes)}`,
  }));

/** The flag and the file behind a field of the request such as `images.1`; else the flag of the field. */
function placeOf(path: string, { files }: OutgoingFeedback): string {
  const [field = "", at = ""] = path.split(".");
  const placed = placesOf(files).find((place) => place.field === field && String(place.at) === at);
  if (placed) return onOneLine(`${flagOfField[placed.field]} ${placed.file.name}`);
  return field === "" ? "" : onOneLine(flagOf(field));
}

function nextFor(error: Error, { id, files }: OutgoingFeedback, isCut: boolean): string {
  const isTooLarge = isCut || (error instanceof ServerError && error.status === 413);
  const resend = `innkeep feedback resend ${id}`;
  return isTooLarge && placesOf(files).length > 0 ? `${resend} --without-files` : resend;
}
