import { open, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { FeedbackFile, FeedbackFiles } from "../../client/feedback-body.ts";
import { feedbackFiles } from "../../contract/limits.ts";
import { detectMediaType, signatureBytes } from "../../contract/media-type.ts";
import { reasonOf } from "../text-flag.ts";
import type { Checked, Fault } from "./fault.ts";
import { kindOf, kindsOf } from "./kinds.ts";
import { flagOfField } from "./report.ts";

type Field = keyof FeedbackFiles;

/** The paths that were given for each field. */
export type Chosen = Readonly<Record<Field, readonly string[]>>;

/** Looks at every file that was chosen: whether it can be read, how large it is, and of which kind by its bytes. */
export async function checkFiles(cwd: string, chosen: Chosen): Promise<Checked<FeedbackFiles>> {
  const [images, videos, attachments] = await Promise.all([
    checkField(cwd, "images", chosen.images),
    checkField(cwd, "videos", chosen.videos),
    checkField(cwd, "attachments", chosen.attachments),
  ]);
  return {
    value: { images: images.value, videos: videos.value, attachments: attachments.value },
    faults: [...images.faults, ...videos.faults, ...attachments.faults],
  };
}

async function checkField(
  cwd: string,
  field: Field,
  paths: readonly string[],
): Promise<Checked<readonly FeedbackFile[]>> {
  const { most } = feedbackFiles[field];
  const flag = flagOfField[field];
  const tooMany: Fault[] =
    paths.length > most ? [{ flag, message: `at most ${most} can be sent; there are ${paths.length}` }] : [];
  const looks = await Promise.all(paths.map((path) => lookAt(resolve(cwd, path), field)));
  return {
    value: looks.flatMap((look) => ("file" in look ? [look.file] : [])),
    faults: [
      ...tooMany,
      ...looks.flatMap((look, at) =>
        "faults" in look ? look.faults.map((message) => ({ flag: `${flag} ${paths[at]}`, message })) : [],
      ),
    ],
  };
}

type Look = { readonly file: FeedbackFile } | { readonly faults: readonly string[] };

async function lookAt(path: string, field: Field): Promise<Look> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return { faults: ["is no regular file"] };
    if (found.size === 0) return { faults: ["is empty"] };
    const detected = detectMediaType(await headOf(path));
    const faults = [sizeFault(found.size, field), kindFault(detected, field)].filter(
      (fault) => fault !== undefined,
    );
    if (faults.length > 0 || detected === null) return { faults };
    return { file: { path, name: basename(path), mediaType: detected, bytes: found.size } };
  } catch (cause) {
    return { faults: [`cannot be read (${reasonOf(cause)})`] };
  }
}

async function headOf(path: string): Promise<Buffer> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(signatureBytes), 0, signatureBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function sizeFault(bytes: number, field: Field): string | undefined {
  const most = feedbackFiles[field].bytes;
  return bytes > most
    ? `must be at most ${most / 1_048_576} MB (${most} bytes); it has ${bytes} bytes`
    : undefined;
}

function kindFault(detected: string | null, field: Field): string | undefined {
  const types: readonly string[] = feedbackFiles[field].types;
  if (detected !== null && types.includes(detected)) return undefined;
  const wanted = `must be ${kindsOf(field)}`;
  const elsewhere = otherField(detected);
  if (detected === null || !elsewhere) return `${wanted}; its bytes are of no kind that can be sent`;
  return `${wanted}; its bytes are ${kindOf(detected)}: send it with ${flagOfField[elsewhere]}`;
}

const otherField = (detected: string | null): Field | undefined =>
  fields.find((field) => feedbackFiles[field].types.some((type) => type === detected));

const fields = ["images", "videos", "attachments"] as const;
