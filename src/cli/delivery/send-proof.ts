import { stat } from "node:fs/promises";
import type { SentFile } from "../../client/body.ts";
import type { Client } from "../../client/call.ts";
import { ServerError } from "../../client/errors.ts";
import { routes } from "../../client/routes.ts";
import { issuesOf, ownMessages } from "../../contract/issues.ts";
import { proofImages } from "../../contract/limits.ts";
import { NewProof } from "../../contract/tester.ts";
import { CliError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { failureOf } from "../core/failures.ts";
import { isStart } from "../core/ids.ts";
import { type Checked, flagOf, type InputFault, inputFaultsError, readTexts } from "../core/input.ts";
import { note, printOne } from "../core/output.ts";
import { onOneLine } from "../core/plain-text.ts";
import { ownSlotId } from "../testing/slot-id.ts";
import { checkSentFiles } from "./files.ts";
import { bodyOf, noSlot, type Proof } from "./proof.ts";
import { attempt, type Delivery, type Failed, type Kept, keep, remind, type Way } from "./send.ts";
import { resendOf } from "./spool.ts";
import { openProofSpool } from "./spools.ts";

export type SubmitFlags = DraftFlags;

/** Checks, keeps and sends one proof. */
export async function submit(
  invocation: Invocation,
  flags: SubmitFlags,
  given: string | undefined,
): Promise<undefined> {
  // Whatever needs the server comes after the proof is kept.
  const isWhole = given !== undefined && !isStart(given);
  const draft = await draftOf(invocation, flags, isWhole ? given : noSlot);
  const proof = proofOf(invocation, { ...draft, ...(!isWhole && { wantedSlot: given ?? "" }) });
  if (invocation.flags.dryRun) await preview(invocation, proof);

  const spool = openProofSpool(invocation);
  const kept = await keep(invocation, proof, spool);
  const delivery = await sendProof(invocation, kept);
  if (!delivery.delivered) throw noteInterruption(invocation, undelivered(kept, delivery));
  printReceipt(invocation, delivery.answer);
  await remind(invocation, spool);
}

function proofOf(
  { context, flags, baseUrl }: Invocation,
  draft: Pick<Proof, "fields" | "images" | "wantedSlot">,
): Proof {
  const id = context.newId();
  return {
    ...draft,
    id,
    createdAt: context.clock.now().toISOString(),
    baseUrl: baseUrl(),
    idempotencyKey: flags.idempotencyKey ?? id,
    lastTry: null,
  };
}

/** For `--dry-run`: ends the command at the request that it would send, with files only named. */
export async function preview(invocation: Invocation, proof: Proof): Promise<void> {
  const content = bodyOf(await withSlot(invocation, proof));
  await invocation.sender()(routes.tester.submitProof, { content });
}

/** Reports an interruption: an interrupted program prints nothing else. */
export function noteInterruption(invocation: Invocation, failure: Error): Error {
  if (invocation.context.signal.aborted) note(invocation, failure.message);
  return failure;
}

export function printReceipt(invocation: Invocation, receipt: Receipt): void {
  const { dayIndex, proofId } = receipt;
  const day = dayIndex === undefined ? "The proof was taken." : `Day ${dayIndex} is counted.`;
  if (!invocation.flags.json && proofId) note(invocation, day);
  printOne(invocation, receipt, () => proofId ?? day);
}

/** The flags of the content. */
interface DraftFlags {
  readonly image?: readonly string[];
  readonly note?: string;
  readonly capturedAt?: string;
}

/** Checks all input before anything is sent. Throws one usage error that names every fault. */
async function draftOf(
  invocation: Invocation,
  flags: DraftFlags,
  slotId: string,
): Promise<Pick<Proof, "fields" | "images">> {
  const { clock, cwd } = invocation.context;
  const { image: paths = [] } = flags;
  const images = await checkSentFiles(cwd, paths, { ...proofImages, flag: "--image" });
  const texts = await readTexts(invocation, { note: flags.note });
  const { note } = texts.value;
  const now = clock.now();
  const capturedAt = flags.capturedAt ?? (await captureTime(images.value, now)).toISOString();
  const fields = { slotId, capturedAt, queuedAt: now.toISOString(), ...(note && { note }) };
  const faults = [...none(paths), ...images.faults, ...texts.faults, ...checkFields(fields).faults];
  if (faults.length > 0) throw inputFaultsError(faults);
  return { fields, images: images.value };
}

const none = (paths: readonly string[]): InputFault[] =>
  paths.length === 0 ? [{ flag: "--image", message: "is missing: a proof needs at least one picture" }] : [];

/** The time of the newest picture if that is today; else now, because only today accepts a proof. */
async function captureTime(images: readonly SentFile[], now: Date): Promise<Date> {
  const times = await Promise.all(images.map(async ({ path }) => (await stat(path)).mtime));
  const newest = new Date(Math.max(0, ...times.map((time) => time.getTime())));
  return newest <= now && newest.toDateString() === now.toDateString() ? newest : now;
}

function checkFields(fields: Proof["fields"]): Checked<Proof["fields"]> {
  const checked = NewProof.safeParse(fields, ownMessages);
  if (checked.success) return { value: fields, faults: [] };
  const faults = issuesOf(checked.error).map(({ path, message }): InputFault => {
    return { flag: path === "slotId" ? "<slot>" : flagOf(path), message };
  });
  return { value: fields, faults };
}

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

/** The server's answer. Other servers may leave fields out. */
type Receipt = Partial<Awaited<ReturnType<Client["tester"]["submitProof"]>>>;

/** Sends a kept proof. Removes it when the server has it, or has refused it permanently. */
export async function sendProof(invocation: Invocation, kept: Kept<Proof>): Promise<Delivery<Receipt>> {
  const delivery = await sendToSlot(invocation, kept);
  if (!delivery.delivered && isFinal(delivery.error)) await kept.spool?.drop(kept.item.id);
  return delivery;
}

/** Asks for the id of the slot first if only its start, or nothing, was given. */
async function sendToSlot(invocation: Invocation, { item, spool }: Kept<Proof>): Promise<Delivery<Receipt>> {
  let resolved: Proof;
  try {
    resolved = await withSlot(invocation, item);
  } catch (cause) {
    const error = cause instanceof Error ? cause : new Error(String(cause));
    const at = invocation.context.clock.now().toISOString();
    return { delivered: false, error, lastTry: { at, outcome: "unsent", why: error.message } };
  }
  return attempt(invocation, { item: resolved, spool }, asProof);
}

/** The proof with the whole id of its slot. Throws a CliError if the tester has no such slot, or several. */
async function withSlot(invocation: Invocation, { wantedSlot, ...proof }: Proof): Promise<Proof> {
  if (wantedSlot === undefined) return proof;
  const slotId = await ownSlotId(invocation, wantedSlot === "" ? undefined : wantedSlot);
  return { ...proof, fields: { ...proof.fields, slotId } };
}

/** All servers with closed testing support the Idempotency-Key: a repeat gets the first answer. (rule H10) */
const asProof: Way<Proof, Receipt> = {
  bodyOf,
  send: (client, given) => client.tester.submitProof(given),
};

/** Whether the server refused the proof itself, and not its sender or its time, or it has no slot. */
const isFinal = (error: Error): boolean =>
  (error instanceof CliError && (error.exit === "usage" || error.exit === "notFound")) || isRefused(error);

const isRefused = (error: Error): boolean =>
  error instanceof ServerError &&
  error.status >= 400 &&
  error.status < 500 &&
  !mayPass.statuses.includes(error.status) &&
  !mayPass.codes.includes(error.code);

const mayPass = {
  statuses: [401, 408, 421, 425, 429],
  codes: ["insufficient_scope", "forbidden", "idempotency_in_progress"],
};
