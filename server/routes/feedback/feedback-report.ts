import type { NewFeedback } from "../../../src/contract/feedback.ts";
import { fitMetadata } from "../../../src/contract/metadata.ts";
import type { Deps } from "../../deps.ts";
import { subjectOf } from "../../domain/feedback/feedback-subject.ts";
import type { NewThread } from "../../store/feedback/feedback.ts";
import { type FeedbackFile, filesJson } from "./feedback-files.ts";

/** A report as it is kept: the thread that it begins, unless it repeats another. */
export interface FeedbackReport {
  readonly thread: NewThread;
  /** The subject as the sender wrote it; null where there was none. */
  readonly ownSubject: string | null;
  readonly files: readonly FeedbackFile[];
  /** What is not kept of it, as the answer names it. */
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

/** Where files stood in the body. */
const pathsOf = (files: readonly FeedbackFile[]): string[] =>
  files.map((file, at) => {
    const before = files.slice(0, at).filter(({ place }) => place === file.place);
    return `${file.place}.${before.length}`;
  });
