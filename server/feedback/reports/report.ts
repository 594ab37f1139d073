import { fitMetadata, type NewFeedback } from "../../../src/contract/feedback.ts";
import { isWithin } from "../../../src/contract/fields.ts";
import { isReceivedFile, type ReceivedFile } from "../../../src/contract/files.ts";
import { limits } from "../../../src/contract/limits.ts";
import { eachReportText } from "../../../src/contract/report-texts.ts";
import type { Deps } from "../../deps.ts";
import { withoutSenderLinks } from "../../mail/sender-page/links.ts";
import type { ThreadFile, ThreadFiles } from "../threads/answer.ts";
import type { NewThread } from "../threads/store/threads.ts";
import { subjectOf } from "./rules.ts";
import { type ReceivedUpload, uploadOf } from "./uploads.ts";

/** A report in its stored form. It becomes a new thread, or a message on an earlier thread. */
export interface FeedbackReport {
  readonly thread: NewThread;
  /** The subject that the sender wrote; null if there was none. */
  readonly ownSubject: string | null;
  /**
   * The scope of the run that reports a failure, and the name of the run. Each is "" if the report does not contain it.
   */
  readonly scope: string;
  readonly run: string;
  /** The tests that the report summarizes, as prefixes of their keys. */
  readonly parts: readonly string[] | undefined;
  readonly files: readonly FeedbackFile[];
  /** The parts of the report that are not stored, with their names in the answer. */
  readonly dropped: {
    readonly metadataDropped?: string[];
    readonly filesDropped?: string[];
    readonly fieldsDropped?: string[];
  };
}

/** Returns the report of a request in its stored form. */
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
    /** The id of the block that hides the report. */
    readonly blockedBy?: string | undefined;
  },
): FeedbackReport {
  const files = hasRoom ? given : [];
  const metadata = fitMetadata(body.metadata ?? {});
  // A shortened address could belong to another person. So an address that is too long is not stored. (rule F2)
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

/** Returns the paths of the files in the body of the request. */
const pathsOf = (files: readonly FeedbackFile[]): string[] =>
  files.map((file, at) => {
    const before = files.slice(0, at).filter(({ field }) => field === file.field);
    return `${file.field}.${before.length}`;
  });

/** A received file of a report, with the values for its upload. */
export interface FeedbackFile {
  readonly field: keyof ThreadFiles;
  readonly received: ReceivedFile;
  readonly upload: ReceivedUpload;
}

/** Returns the files of a valid report, in order. */
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

/** Returns the files in the form in which a thread stores them. */
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
