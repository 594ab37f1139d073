import { ApiError } from "../../src/contract/errors.ts";
import type { feedback as contract, NewFeedback } from "../../src/contract/feedback.ts";
import type { Deps } from "../deps.ts";
import { subjectOf } from "../domain/subject.ts";
import type { Handlers, Request } from "../http/handler.ts";
import type { Transaction } from "../store/database.ts";
import { type NewThread, feedback as rows } from "../store/feedback.ts";
import { messages } from "../store/messages.ts";
import { uploads } from "../store/uploads.ts";
import { type FeedbackFile, feedbackFilesOf, filesJson } from "./feedback-files.ts";
import { threadUrl } from "./thread-answer.ts";

export const feedback = (deps: Deps): Handlers<typeof contract> => ({
  async submit(request) {
    const { caller, body } = request;
    if (!caller.feedbackEnabled) throw new ApiError("feedback_disabled");
    const files = feedbackFilesOf(body);
    const thread = newThread(deps, caller.appId, body, files);
    const received = files.map((file) => file.received);
    return deps.keptFiles.keepFor(received, () => save(deps, request, thread, files));
  },
});

/** A report as the thread that it begins, unless it repeats another. */
interface Report extends NewThread {
  /** As the sender wrote it. */
  readonly ownSubject: string | null;
}

function save(deps: Deps, request: Request<typeof contract.submit>, thread: Report, files: FeedbackFile[]) {
  const answer = {
    success: true,
    id: thread.id,
    consoleUrl: threadUrl(deps.settings, thread.appId, thread.id),
  };
  if (files.length === 0 && thread.dedupeKey === null) {
    return request.saveRow((into) => rows.insert(into, thread), answer);
  }
  const received = files.map((file) => file.received);
  const first = (tx: Transaction) => deps.keptFiles.secure(tx, received);
  const write = async (tx: Transaction) => {
    const id = (await repeat(deps, tx, thread)) ?? thread.id;
    if (id === thread.id) await rows.insert(tx, thread);
    for (const file of files)
      await uploads.insert(tx, {
        ...file.upload,
        appId: thread.appId,
        feedbackId: id,
        createdAt: thread.createdAt,
      });
    if (id === thread.id) return answer;
    return { success: true, id, consoleUrl: threadUrl(deps.settings, thread.appId, id), deduplicated: true };
  };
  return request.save(write, { first });
}

/** Adds the report to the thread of the same failure, where one is under way. Gives that thread's id. */
async function repeat({ newId }: Deps, tx: Transaction, report: Report): Promise<string | undefined> {
  if (report.dedupeKey === null) return undefined;
  await tx.lock(`dedupe:${report.appId}:${report.dedupeKey}`);
  const earlier = await rows.findRepeated(tx, report.appId, report.dedupeKey);
  if (!earlier) return undefined;
  await rows.repeat(tx, earlier.id);
  const { message: body, createdAt, ownSubject: subject } = report;
  const message = { id: newId(), feedbackId: earlier.id, direction: "inbound", body, createdAt } as const;
  await messages.insertRepeat(tx, message, { ...report, subject });
  return earlier.id;
}

function newThread({ newId, clock }: Deps, appId: string, body: NewFeedback, files: FeedbackFile[]): Report {
  return {
    id: newId(),
    appId,
    subject: body.subject || subjectOf(body.type, body.message),
    ownSubject: body.subject || null,
    message: body.message,
    category: body.type,
    source: body.source || null,
    senderName: body.name || null,
    senderEmail: body.email || null,
    metadata: JSON.stringify(body.metadata ?? {}),
    files: filesJson(files),
    dedupeKey: body.dedupeKey || null,
    createdAt: clock.now().toISOString(),
  };
}
