import { ServerError } from "../../client/errors.ts";
import { CliError } from "../core/cli-error.ts";
import { failureOf } from "../core/failures.ts";
import { onOneLine } from "../core/plain-text.ts";
import type { Failed } from "./deliver.ts";
import type { Proof } from "./proof.ts";
import { isFinal } from "./proof-deliver.ts";
import type { Kept } from "./send.ts";
import { resendOf } from "./spooled-item.ts";

/** The error of a proof that did not count: why, and the next step. */
export function undelivered({ item, spool }: Kept<Proof>, { error, lastTry }: Failed): CliError {
  const { exit, code, message, next, ...details } = failureOf(error);
  const dayIndex = dayIn(error);
  const isKept = spool !== undefined && !isFinal(error);
  const sentences = [
    onOneLine(message),
    dayIndex === undefined || dayIndex < 1 ? "" : `The day of this proof is day ${dayIndex}.`,
    isKept
      ? "The proof is kept. It counts only if it arrives before its day of the test is over."
      : "No copy of the proof is kept.",
  ];
  const resend = isKept ? resendOf(spool.kind, item.id) : undefined;
  const advice = [next ?? nextSteps[code], resend].filter(Boolean).join(" Then: ");
  return new CliError({
    exit,
    code,
    message: sentences.filter(Boolean).join("\n"),
    next: advice || undefined,
    ...details,
    ...(dayIndex !== undefined && { dayIndex }),
    ...(isKept && { spooled: { id: item.id, outcome: lastTry.outcome } }),
  });
}

const nextSteps: Readonly<Record<string, string>> = {
  already_submitted: "There is nothing left to do for this day.",
  out_of_window:
    "`innkeep task list` shows today's day of each test and when it ends; take new pictures for it.",
  cycle_not_running: "`innkeep slot list` shows how the test stands.",
  slot_not_active: "`innkeep slot list` shows how your slots stand.",
  not_found: "`innkeep task list` shows your slots.",
  bad_image: "Send PNG, JPEG, WebP or GIF with --image.",
  no_images: "Give at least one picture with --image.",
  insufficient_scope: "Sign in again with `innkeep auth login`.",
};

function dayIn(error: Error): number | undefined {
  if (!(error instanceof ServerError)) return undefined;
  const { body } = error;
  if (typeof body !== "object" || body === null || !("dayIndex" in body)) return undefined;
  return typeof body.dayIndex === "number" ? body.dayIndex : undefined;
}
