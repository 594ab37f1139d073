import { ApiError } from "../../../src/contract/errors.ts";
import type { feedback as contract } from "../../../src/contract/feedback.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { uploads } from "../../files/store.ts";
import type { Handlers, Request } from "../../http/handler.ts";
import { statusUrlOf } from "../../mail/sender-page/links.ts";
import { noteOngoing, recordEvent } from "../../webhooks/events/record.ts";
import { blockedSenders } from "../blocked-senders/store.ts";
import { failures } from "../failures/store.ts";
import { messages } from "../messages/store.ts";
import { threadUrl } from "../threads/answer.ts";
import { feedbackThreads as rows } from "../threads/store/threads.ts";
import { type FeedbackReport, feedbackFilesOf, feedbackReportOf } from "./report.ts";
import { createAppStorage } from "./uploads.ts";

export const feedback = (
  deps: Pick<Deps, "clock" | "database" | "keptFiles" | "newId" | "sealer" | "settings">,
): Handlers<typeof contract> => {
  const storage = createAppStorage(deps);
  return {
    async submit(request) {
      const { caller, body } = request;
      // An owner can turn off feedback for an app. (rule F8)
      if (!caller.feedbackEnabled) throw new ApiError("feedback_disabled");
      const files = feedbackFilesOf(body);
      const blockedBy = caller.blocksSenders
        ? await blockedSenders.blocking(deps.database, caller.appId, [body.email])
        : undefined;
      if (files.length === 0)
        return save(
          deps,
          request,
          feedbackReportOf(deps, caller.appId, { body, files, hasRoom: true, blockedBy }),
        );
      const bytes = files.reduce((sum, { upload }) => sum + upload.size, 0);
      return storage.withRoom(caller.appId, bytes, (hasRoom) => {
        const report = feedbackReportOf(deps, caller.appId, { body, files, hasRoom, blockedBy });
        const received = report.files.map((file) => file.received);
        return deps.keptFiles.keepFor(received, () => save(deps, request, report));
      });
    },
  };
};

/** Stores a report with its files in a new or an earlier thread. The answer has the thread's `id`. (rule F9) */
function save(
  deps: Pick<Deps, "clock" | "keptFiles" | "newId" | "sealer" | "settings">,
  request: Request<typeof contract.submit>,
  report: FeedbackReport,
) {
  const { thread, files, dropped } = report;
  const answer = (id: string, reportId?: string) => ({
    success: true,
    id,
    consoleUrl: threadUrl(deps.settings, thread.appId, id),
    ...(reportId !== undefined && request.caller.senderPages
      ? { statusUrl: statusUrlOf(deps, { reportId, counter: 0, mailed: false }) }
      : {}),
    ...dropped,
  });
  const hasListeners = (request.caller.hasReceivers || deps.settings.dev) && thread.blockedBy === undefined;
  if (files.length === 0 && thread.dedupeKey === null && !hasListeners)
    return request.saveRow((into) => rows.insert(into, thread), answer(thread.id, thread.id));
  const received = files.map((file) => file.received);
  let earlier: string | undefined;
  let failureId: string = thread.id;
  let resolved: string | undefined;
  const first = async (tx: Transaction) => {
    await deps.keptFiles.secure(tx, received);
    ({ earlier, resolved, failureId = thread.id } = await findEarlier(tx, report));
  };
  const rateLimit = () => (earlier === undefined ? "feedback" : "feedbackRepeats");
  const write = async (tx: Transaction) => {
    if (earlier === undefined) await rows.insert(tx, thread);
    const isNew = await storeFailure(tx, failureId, report);
    if (earlier !== undefined && !isNew) return { ...answer(earlier), deduplicated: true };
    const repeatId = deps.newId();
    if (earlier !== undefined) await addRepeat(deps, tx, { repeatId, id: earlier, failureId }, report);
    const { appId, createdAt } = thread;
    for (const { upload } of files)
      await uploads.insert(tx, { ...upload, appId, feedbackId: earlier ?? thread.id, createdAt });
    if (hasListeners) await storeEvent(deps, tx, { report, earlier, repeatId });
    if (earlier !== undefined && thread.blockedBy === undefined)
      await noteOngoing(tx, {
        ...{ appId, kind: "storm", subjectId: earlier, feedbackId: earlier, at: createdAt },
      });
    return earlier === undefined
      ? { ...answer(thread.id, thread.id), ...returnedFrom(deps, appId, resolved) }
      : { ...answer(earlier, repeatId), deduplicated: true };
  };
  return request.save(write, { first, rateLimit });
}

/**
 * Records the event of a new or repeated report. Call this function only if the app has receivers of events.
 * (rule O25)
 */
async function storeEvent(
  { clock, newId }: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  {
    report: { thread },
    earlier,
    repeatId,
  }: { readonly report: FeedbackReport; readonly earlier: string | undefined; readonly repeatId: string },
): Promise<void> {
  const { appId, category: type } = thread;
  const at = clock.now().toISOString();
  await recordEvent(
    { newId },
    tx,
    earlier === undefined
      ? { appId, type: "feedback.created", subjectId: thread.id, facts: { type }, at }
      : { appId, type: "feedback.repeated", subjectId: earlier, facts: { messageId: repeatId, type }, at },
  );
}

interface EarlierThreads {
  /** The id of the open thread to which the report is added. */
  readonly earlier?: string | undefined;
  /** The id of the thread that was created for the failure, even if this thread was merged. */
  readonly failureId?: string | undefined;
  /** The id of the last resolved thread of the failure, if no thread of the failure is open. */
  readonly resolved?: string | undefined;
}

/**
 * Finds the open thread, or else the last resolved one, for a `dedupeKey`. Locks the `dedupeKey` first.
 * (rule F10)
 */
async function findEarlier(tx: Transaction, { thread }: FeedbackReport): Promise<EarlierThreads> {
  if (thread.dedupeKey === null) return {};
  await failures.lock(tx, thread.appId, thread.dedupeKey);
  const earlier = await rows.findRepeated(tx, thread, thread.dedupeKey);
  if (earlier) return { earlier: earlier.id, failureId: earlier.failureId };
  return { resolved: (await rows.findResolved(tx, thread, thread.dedupeKey))?.id };
}

const returnedFrom = ({ settings }: Pick<Deps, "settings">, appId: string, id: string | undefined) =>
  id === undefined ? {} : { earlier: { id, consoleUrl: threadUrl(settings, appId, id) } };

/**
 * Records a failure of `run`. Returns false if `run` reported the failure before, and the failure has not
 * passed since. (rule F23)
 */
async function storeFailure(tx: Transaction, feedbackId: string, report: FeedbackReport): Promise<boolean> {
  const { thread, scope, run, parts } = report;
  // A report of a blocked sender must not change a failure.
  if (thread.dedupeKey === null || thread.blockedBy !== undefined) return true;
  const reportedAt = thread.createdAt;
  return failures.report(tx, { feedbackId, appId: thread.appId, scope, run, parts, reportedAt });
}

async function addRepeat(
  { clock }: Pick<Deps, "clock">,
  tx: Transaction,
  { repeatId, id, failureId }: { readonly repeatId: string; readonly id: string; readonly failureId: string },
  report: FeedbackReport,
): Promise<void> {
  const { thread, ownSubject: subject } = report;
  const { message: body, blockedBy } = thread;
  await messages.lock(tx, id);
  // `createdAt` is read after the lock, so that it is later than all messages that a person has seen.
  const createdAt = clock.now().toISOString();
  const direction = blockedBy === undefined ? "inbound" : "blocked";
  if (direction === "inbound") await rows.repeat(tx, id);
  const originId = failureId === id ? null : failureId;
  const message = { id: repeatId, feedbackId: id, originId, direction, body, createdAt, blockedBy } as const;
  await messages.insertRepeat(tx, message, { ...thread, subject });
}
