import type { NewFeedback } from "../../../src/contract/feedback.ts";
import { fitMetadata } from "../../../src/contract/metadata.ts";
import type { Deps } from "../../deps.ts";
import { subjectOf } from "../../domain/feedback/feedback-subject.ts";
import type { NewThread } from "../../store/feedback/feedback.ts";
import { type FeedbackFile, filesJson } from "./feedback-files.ts";

/** A report as it is stored: as a new thread, or as a message of an earlier thread. */
export interface FeedbackReport {
  readonly thread: NewThread;
  /** The subject as the sender wrote it, or null. */
  readonly ownSubject: string | null;
  readonly files: readonly FeedbackFile[];
  /** The parts that are not stored, as the answer names them. */
  readonly dropped: { readonly metadataDropped?: string[]; readonly filesDropped?: string[] };
}

interface Given {
  readonly body: NewFeedback;
  readonly files: readonly FeedbackFile[];
  /** Whether the app's quota has room for the files. */
  readonly hasRoom: boolean;
}

export function feedbackReportOf(
  { newId, clock }: Pick<Deps, "newId" | "clock">,
  appId: string,
  { body, files: given, hasRoom }: Given,
): FeedbackReport {
  const files = hasRoom ? given : [];
  const metadata = fitMetadata(body.metadata ?? {});
  return {
    thread: {
      id: newId(),
      appId,
      subject: body.subject || subjectOf(body.type, body.message),
      message: body.message,
      category: body.type,
      source: body.source || null,
      senderName: body.name || null,
      senderEmail: body.email || null,
      metadata: metadata.json,
      files: filesJson(files),
      dedupeKey: body.dedupeKey || null,
      createdAt: clock.now().toISOString(),
    },
    ownSubject: body.subject || null,
    files,
    dropped: {
      ...(metadata.dropped.length === 0 ? {} : { metadataDropped: [...metadata.dropped] }),
      ...(hasRoom ? {} : { filesDropped: pathsOf(given) }),
    },
  };
}

/** The paths of files in the body. */
const pathsOf = (files: readonly FeedbackFile[]): string[] =>
  files.map((file, at) => {
    const before = files.slice(0, at).filter(({ field }) => field === file.field);
    return `${file.field}.${before.length}`;
  });
