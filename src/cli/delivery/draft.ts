import { stat } from "node:fs/promises";
import type { SentFile } from "../../client/file-content.ts";
import { issuesOf, ownMessages } from "../../contract/issues.ts";
import { proofImages } from "../../contract/limits.ts";
import { NewProof } from "../../contract/tester.ts";
import type { Invocation } from "../core/context.ts";
import { readTexts } from "../core/input.ts";
import { type Checked, flagOf, type InputFault, inputFaultsError } from "../core/input-fault.ts";
import { checkSentFiles } from "./files.ts";
import type { Proof } from "./proof.ts";

/** The flags of the content. */
export interface DraftFlags {
  readonly image?: readonly string[];
  readonly note?: string;
  readonly capturedAt?: string;
}

/** Checks all input before anything is sent. Throws one usage error that names every fault. */
export async function draftOf(
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
