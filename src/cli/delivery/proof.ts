import { stat } from "node:fs/promises";
import type { Client } from "../../client/call.ts";
import { ServerError } from "../../client/errors.ts";
import { routes } from "../../client/routes.ts";
import { type FileContent, formBody, type SentFile } from "../../client/send.ts";
import { issuesOf, ownMessages } from "../../contract/errors.ts";
import { numberAt } from "../../contract/json.ts";
import { proofImages } from "../../contract/limits.ts";
import { NewProof } from "../../contract/tester.ts";
import { oneLine } from "../../words/visible.ts";
import { CliError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { failureOf } from "../core/failures.ts";
import { isStart, ownSlotId } from "../core/ids.ts";
import { type Checked, flagOf, type InputFault, inputFaultsError, readTexts } from "../core/input.ts";
import { type Column, note, printList, printOne } from "../core/output.ts";
import { checkSentFiles } from "./report.ts";
import {
  type Explanation,
  type Failed,
  itemOf,
  type Kind,
  remind,
  type SendResult,
  sendNew,
} from "./send.ts";
import { resendOf } from "./spool.ts";
import { filesInPlace, type Proof, type ProofContent, storedProof, storedProofText } from "./stored.lazy.ts";

export interface SubmitFlags {
  readonly image?: readonly string[];
  readonly note?: string;
  readonly capturedAt?: string;
}

/** Checks a proof, stores it in the spool, and sends it. */
export async function submit(
  invocation: Invocation,
  flags: SubmitFlags,
  given: string | undefined,
): Promise<undefined> {
  // The proof is stored before the first request. `noSlot` replaces an id that is not known yet.
  const isWhole = given !== undefined && !isStart(given);
  const draft = await draftOf(invocation, flags, isWhole ? given : noSlot);
  const proof = itemOf(invocation, { ...draft, ...(!isWhole && { wantedSlot: given ?? "" }) });
  printReceipt(invocation, await sendNew(invocation, proof, proofs));
  await remind(invocation, proofs);
}

/** Checks all input before anything is sent. Throws one usage error that names every fault. */
async function draftOf(
  invocation: Invocation,
  flags: SubmitFlags,
  slotId: string,
): Promise<Pick<ProofContent, "fields" | "images">> {
  const { clock, cwd } = invocation.context;
  const { image: paths = [] } = flags;
  const images = await checkSentFiles(cwd, paths, { ...proofImages, flag: "--image" });
  const texts = await readTexts(invocation, { note: flags.note });
  const { note } = texts.value;
  const now = clock.now();
  const capturedAt = flags.capturedAt ?? (await captureTime(images.value, now)).toISOString();
  const fields = { slotId, capturedAt, queuedAt: now.toISOString(), ...(note && { note }) };
  const faults = [...noImageFaults(paths), ...images.faults, ...texts.faults, ...checkFields(fields).faults];
  if (faults.length > 0) throw inputFaultsError(faults);
  return { fields, images: images.value };
}

const noImageFaults = (paths: readonly string[]): InputFault[] =>
  paths.length === 0
    ? [{ flag: "--image", message: "is missing, because a proof needs at least one picture" }]
    : [];

/** Returns the newest picture's time if it is today, otherwise `now`. Servers accept only proofs of today. */
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

/** The server's answer. On servers other than Innkeep, fields may be missing. */
type Receipt = Partial<Awaited<ReturnType<Client["tester"]["submitProof"]>>>;

/** How proofs are stored, sent and shown. */
export const proofs: Kind<Proof, Receipt> = {
  word: "proof",
  noun: "proof",
  folder: "proofs",
  filesOf: ({ images }) => filesInPlace({ images }),
  textOf: storedProofText,
  itemIn: storedProof,
  complete: withSlot,
  bodyOf,
  send: (client, request) => client.tester.submitProof(request),
  async preview(invocation, proof) {
    const content = bodyOf(await withSlot(invocation, proof));
    await invocation.sender()(routes.tester.submitProof, { content });
  },
  // All servers with closed testing support the Idempotency-Key, so a repeated request gets the first answer. (rule
  // H10)
  isPostedTwiceWithoutKey: false,
  isFinal,
  keptText: "The proof is kept. It counts only if it arrives before its day of the test is over.",
  explain,
  printAnswer: printReceipt,
  printKept,
  printResults,
};

/** The placeholder for the id of a slot that is not known yet. */
const noSlot = "00000000-0000-0000-0000-000000000000";

async function withSlot(invocation: Invocation, { wantedSlot, ...proof }: Proof): Promise<Proof> {
  if (wantedSlot === undefined) return proof;
  const slotId = await ownSlotId(invocation, wantedSlot === "" ? undefined : wantedSlot);
  return { ...proof, fields: { ...proof.fields, slotId } };
}

/** The id of the proof is the boundary of the form, so that each attempt sends the same bytes. */
function bodyOf({ id, fields, images }: Proof): FileContent {
  return formBody({ fields: { ...fields }, files: { images } }, id);
}

/**
 * Whether every further attempt would fail too. False for errors that can change, such as a refused sign-in.
 */
function isFinal(error: Error): boolean {
  if (error instanceof CliError) return error.exit === "usage" || error.exit === "notFound";
  return (
    error instanceof ServerError &&
    error.status >= 400 &&
    error.status < 500 &&
    !temporary.statuses.includes(error.status) &&
    !temporary.codes.includes(error.code)
  );
}

const temporary = {
  statuses: [401, 408, 421, 425, 429],
  codes: ["insufficient_scope", "forbidden", "idempotency_in_progress"],
};

/** Explains why a proof did not count, and what the tester can do next. */
function explain({ error }: Failed, { id }: Proof): Explanation {
  const dayIndex = dayIn(error);
  return {
    sentences: [dayIndex === undefined || dayIndex < 1 ? "" : `The day of this proof is day ${dayIndex}.`],
    next: nextSteps[failureOf(error).code],
    resend: resendOf(proofs, id),
    details: dayIndex === undefined ? {} : { dayIndex },
  };
}

const nextSteps: Readonly<Record<string, string>> = {
  already_submitted: "There is nothing left to do for this day.",
  out_of_window:
    "`innkeep task list` shows the current day of each test and when it ends. Take new pictures for that day.",
  cycle_not_running: "`innkeep slot list` shows the state of the test.",
  slot_not_active: "`innkeep slot list` shows the state of your slots.",
  not_found: "`innkeep task list` shows your slots.",
  bad_image: "Send PNG, JPEG, WebP or GIF with --image.",
  no_images: "Give at least one picture with --image.",
  insufficient_scope: "Sign in again with `innkeep auth login`.",
};

function dayIn(error: Error): number | undefined {
  if (!(error instanceof ServerError)) return undefined;
  return numberAt(error.body, "dayIndex") ?? undefined;
}

function printReceipt(invocation: Invocation, receipt: Receipt): void {
  const { dayIndex, proofId } = receipt;
  const day = dayIndex === undefined ? "The server has received the proof." : `Day ${dayIndex} is counted.`;
  if (!invocation.flags.json && proofId) note(invocation, day);
  printOne(invocation, receipt, () => proofId ?? day);
}

function printKept(invocation: Invocation, kept: readonly Proof[]): void {
  const rows = kept.map(({ id, baseUrl, fields, images, lastTry, wantedSlot }) => ({
    id,
    ...fields,
    slotId: wantedSlot === undefined ? fields.slotId : wantedSlot || null,
    images: images.map(({ name }) => name),
    outcome: lastTry?.outcome ?? null,
    why: lastTry?.why ?? null,
    baseUrl,
  }));
  const columns: readonly Column<(typeof rows)[number]>[] = [
    { heading: "id", of: ({ id }) => id },
    { heading: "slot", of: ({ slotId }) => slotId ?? "the only slot" },
    { heading: "taken", of: ({ capturedAt }) => capturedAt },
    { heading: "images", of: ({ images }) => images.length },
    { heading: "state", of: ({ outcome }) => outcome },
    { heading: "why", of: ({ why }) => why },
    { heading: "server", of: ({ baseUrl }) => baseUrl },
  ];
  printList(invocation, { items: rows, columns });
}

function printResults(
  invocation: Invocation,
  tried: readonly SendResult<Proof, Receipt>[],
  left: number,
): void {
  const rows = tried.map(({ item, delivery, failure }) => ({
    proof: item.id,
    sent: delivery.delivered,
    dayIndex: (delivery.delivered ? delivery.answer.dayIndex : failure?.details.dayIndex) ?? null,
    why: delivery.delivered ? null : oneLine(delivery.error.message),
  }));
  const columns: readonly Column<(typeof rows)[number]>[] = [
    { heading: "proof", of: ({ proof }) => proof },
    { heading: "sent", of: ({ sent }) => (sent ? "yes" : "no") },
    { heading: "day", of: ({ dayIndex }) => dayIndex },
    { heading: "why", of: ({ why }) => why },
  ];
  printList(invocation, { items: rows, columns, extra: { left } });
}
