import { fitMetadata, type NewFeedback } from "../../../src/contract/feedback.ts";
import { isWithin } from "../../../src/contract/fields.ts";
import { isReceivedFile, type ReceivedFile } from "../../../src/contract/files.ts";
import { limits } from "../../../src/contract/limits.ts";
import { eachReportText, withoutSenderLinks } from "../../../src/contract/report-texts.ts";
import type { Deps } from "../../deps.ts";
import type { ThreadFile, ThreadFiles } from "../threads/answer.ts";
import type { NewThread } from "../threads/store/threads.ts";
import { subjectOf } from "./rules.ts";
import { type ReceivedUpload, uploadOf } from "./uploads.ts";

/** A report, ready to be stored. The report becomes a new thread, or a message in an earlier thread. */
export interface FeedbackReport {
  readonly thread: NewThread;
  /** The subject that the sender wrote; null if the sender wrote none. `thread.subject` is never empty. */
  readonly ownSubject: string | null;
  /** The scope of the test run, `""` without a scope. `run` is the name of the test run. */
  readonly scope: string;
  readonly run: string;
  /** The tests that the report summarizes. Each element is the prefix of the dedupe keys of one test. */
  readonly parts: readonly string[] | undefined;
  readonly files: readonly FeedbackFile[];
  /** The fields of the answer that list the parts of the report that are not stored. */
  readonly dropped: {
    readonly metadataDropped?: string[];
    readonly filesDropped?: string[];
    readonly fieldsDropped?: string[];
  };
}

/** Converts the body of a request to a report, ready to be stored. */
export function feedbackReportOf(
  { newId, clock }: Pick<Deps, "newId" | "clock">,
  appId: string,
  {
    body,
    files: given,
    hasRoom,
    blockedBy,
  }: {
    readonly body: NewFeedback;
    readonly files: readonly FeedbackFile[];
    /** Whether the files fit into the app's storage quota. */
    readonly hasRoom: boolean;
    /** The id of the entry in the list of blocked senders that hides the report. */
    readonly blockedBy?: string | undefined;
  },
): FeedbackReport {
  const files = hasRoom ? given : [];
  const metadata = fitMetadata(body.metadata ?? {});
  // An address that is too long is not stored. A shortened address could belong to another person. (rule F2)
  const isTooLong = !isWithin(body.email ?? "", limits.email);
  const message = withoutSenderLinks(body.message);
  const ownSubject = withoutSenderLinks(body.subject ?? "");
  return {
    thread: {
      id: newId(),
      appId,
      subject: ownSubject || subjectOf(body.type, message),
      message,
      category: body.type,
      ...eachReportText((name) => withoutSenderLinks(body[name] ?? "") || null),
      senderName: withoutSenderLinks(body.name ?? "") || null,
      senderEmail: isTooLong ? null : withoutSenderLinks(body.email ?? "") || null,
      metadata: withoutSenderLinks(metadata.json),
      metadataDropped:
        metadata.dropped.length === 0 ? null : withoutSenderLinks(JSON.stringify(metadata.dropped)),
      files: filesJson(files),
      dedupeKey: body.dedupeKey || null,
      createdAt: clock.now().toISOString(),
      blockedBy,
    },
    ownSubject: ownSubject || null,
    scope: body.dedupeScope || "",
    run: body.dedupeRun || "",
    parts: body.dedupeParts?.length ? body.dedupeParts : undefined,
    files,
    dropped: {
      ...(metadata.dropped.length === 0
        ? {}
        : { metadataDropped: metadata.dropped.map(({ name }) => `metadata.${name}`) }),
      ...(hasRoom ? {} : { filesDropped: pathsOf(given) }),
      ...(isTooLong ? { fieldsDropped: ["email"] } : {}),
    },
  };
}

/** Returns the path of each file in the body of the request, such as `images.0`. */
const pathsOf = (files: readonly FeedbackFile[]): string[] =>
  files.map((file, at) => {
    const before = files.slice(0, at).filter(({ field }) => field === file.field);
    return `${file.field}.${before.length}`;
  });

/** A received file of a report. `upload` contains the values that are stored for it. */
export interface FeedbackFile {
  readonly field: keyof ThreadFiles;
  readonly received: ReceivedFile;
  readonly upload: ReceivedUpload;
}

/** Returns the files of a valid report: images first, then videos, then attachments. */
export function feedbackFilesOf({ images, videos, attachments }: NewFeedback): FeedbackFile[] {
  if (!images && !videos && !attachments) return [];
  return [
    ...(images ?? []).flatMap((image) => feedbackFile("images", image)),
    ...(videos ?? []).flatMap((video) => feedbackFile("videos", video)),
    ...(attachments ?? []).flatMap(({ name, data }) =>
      feedbackFile("attachments", data, name?.trim() || "attachment"),
    ),
  ];
}

/** Returns the files as the JSON that is stored in a thread or a message. */
export function filesJson(files: readonly FeedbackFile[]): string {
  if (files.length === 0) return noFiles;
  const at = (field: keyof ThreadFiles) => files.filter((file) => file.field === field).map(threadFile);
  return JSON.stringify({ images: at("images"), videos: at("videos"), attachments: at("attachments") });
}

const noFiles = JSON.stringify({ images: [], videos: [], attachments: [] } satisfies ThreadFiles);

const threadFile = ({ upload }: FeedbackFile): ThreadFile => ({
  upload: upload.name,
  name: upload.fileName ?? upload.name,
  mediaType: upload.mediaType,
  size: upload.size,
});

function feedbackFile(
  field: keyof ThreadFiles,
  file: string | ReceivedFile,
  givenName?: string,
): FeedbackFile[] {
  if (!isReceivedFile(file) || file.detectedType === null) return [];
  return [{ field, received: file, upload: uploadOf(file, file.detectedType, givenName) }];
}
