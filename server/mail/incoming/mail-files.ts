import { feedbackFiles } from "../../../src/contract/limits.ts";
import { receivedFile } from "../../../src/contract/received-file.ts";
import type { Deps } from "../../deps.ts";
import { uploadOf } from "../../feedback/reports/received-upload.ts";
import type { FeedbackFile } from "../../feedback/reports/report.ts";
import type { ThreadFiles } from "../../feedback/threads/answer.ts";
import type { IncomingFile } from "./read-mail.ts";
import { textFileOf } from "./text-files.ts";

const fields = ["images", "videos", "attachments"] as const;
const mostAttachments = 30;
const unnamed = "a file without a name";

export interface MailFiles {
  readonly kept: readonly FeedbackFile[];
  /** The names of files that are of no allowed kind, too large, or too many. */
  readonly dropped: readonly string[];
}

/** The attachments of a mail by the rules for files of feedback: kinds by their bytes, sizes and numbers. (rule M14) */
export async function mailFiles(
  { files }: Pick<Deps, "files">,
  attachments: readonly IncomingFile[],
): Promise<MailFiles> {
  const kept: FeedbackFile[] = [];
  const dropped: string[] = [];
  for (const { name } of attachments.slice(mostAttachments)) dropped.push(name || unnamed);
  for (const attachment of attachments.slice(0, mostAttachments)) {
    const file = await storedFile(files, attachment);
    if (file && kept.filter(({ field }) => field === file.field).length < feedbackFiles[file.field].most)
      kept.push(file);
    else dropped.push(attachment.name || unnamed);
    if (file && !kept.includes(file)) await files.dropTemporary([file.received.path]);
  }
  return { kept, dropped };
}

/** Undefined for a file of another kind, or one that is too large for its kind. */
/** The names of files that are not kept, because the app has no room for them. */
export const noneKept = (attachments: readonly IncomingFile[]): MailFiles => ({
  kept: [],
  dropped: attachments.map(({ name }) => name || unnamed),
});

async function storedFile(files: Deps["files"], file: IncomingFile): Promise<FeedbackFile | undefined> {
  const stored = await fileOfKind(files, file);
  const text = stored ? undefined : textFileOf(file);
  return stored ?? (text && (await fileOfKind(files, text)));
}

async function fileOfKind(
  files: Deps["files"],
  { name, bytes }: IncomingFile,
): Promise<FeedbackFile | undefined> {
  const temporary = files.createTemporary(bytes.length);
  temporary.write(bytes);
  const written = await temporary.finish();
  const field = fieldOf(written.detectedType, bytes.length);
  if (field === undefined || written.detectedType === null) {
    await files.dropTemporary([written.path]);
    return undefined;
  }
  const received = receivedFile({ ...written, declaredType: null, name, fault: null });
  return { field, received, upload: uploadOf(received, written.detectedType, name) };
}

function fieldOf(type: string | null, size: number): keyof ThreadFiles | undefined {
  return fields.find((field) => {
    const { types, bytes } = feedbackFiles[field];
    return types.some((each) => each === type) && size <= bytes;
  });
}
