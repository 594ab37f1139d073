import type {
  threads as contract,
  OwnedMessage,
  OwnedThread,
} from "../../../src/contract/console/feedback.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { authors } from "../../store/access/members/authors.ts";
import type { Viewer } from "../../store/access/members/visibility.ts";
import type { Reader } from "../../store/engine/database.ts";
import { removeThread } from "../../store/feedback/feedback-removal.ts";
import { updateThread } from "../../store/feedback/inbox.ts";
import { messages } from "../../store/feedback/messages.ts";
import { threadTags } from "../../store/feedback/tags.ts";
import { mailOriginals } from "../../store/mail/mail-originals.ts";
import { mails, type ReplyMail } from "../../store/mail/mails.ts";
import { createAuditWriter } from "../access/audit-record.ts";
import { oldestOriginal, originalUntil } from "../mail/original-file.ts";
import { mailReply, renewedLink, replyTo } from "../mail/replies.ts";
import { proposalsOf, threadAnswer } from "./feedback-answer.ts";
import { removeFiles } from "./feedback-removal.ts";
import { listInbox } from "./inbox-list.ts";
import { refuseUnseenReply } from "./newer-reply.ts";
import { appOfThread, ownedThread } from "./owned-feedback.ts";
import { assigneeOf } from "./triage/assignment.ts";
import { triage } from "./triage/triage.ts";

export function consoleFeedback(
  deps: Pick<Deps, "clock" | "database" | "keptFiles" | "log" | "newId" | "sealer" | "settings">,
): Handlers<typeof contract> {
  const record = createAuditWriter(deps);
  return {
    list: (request) => listInbox(deps, request),

    read: ({ caller, params }) => read(deps, deps.database, { id: params.id, viewer: caller }),

    update: (request) =>
      request.save(async (tx) => {
        const {
          caller,
          address,
          params: { id },
        } = request;
        const appId = await appOfThread(tx, id, caller);
        const { change, isTriaged } = await triage(deps, tx, { request, appId });
        if (isTriaged && Object.keys(change).length === 0) return read(deps, tx, { id, viewer: caller });
        await updateThread(tx, id, { ...change, at: deps.clock.now().toISOString(), by: caller.userId });
        await record(tx, { caller, address }, { action: "thread.update", appId, target: id });
        return read(deps, tx, { id, viewer: caller });
      }),

    async remove({ caller, address, params: { id }, save }) {
      let files: readonly string[] = [];
      await save(async (tx) => {
        const appId = await appOfThread(tx, id, caller);
        files = (await removeThread(tx, id)).hashes;
        await record(tx, { caller, address }, { action: "thread.delete", appId, target: id });
        return undefined;
      });
      removeFiles(deps, files);
      return undefined;
    },

    addMessage: ({ caller, address, params: { id }, body: { direction, body, ...reply }, save }) =>
      save(async (tx) => {
        const appId = await appOfThread(tx, id, caller);
        const isReply = direction === "outbound";
        if (isReply) await refuseUnseenReply(tx, id, { ...reply, userId: caller.userId });
        const createdAt = deps.clock.now().toISOString();
        const message = {
          id: deps.newId(),
          feedbackId: id,
          author: "team",
          authorId: caller.userId,
          direction,
          body,
          createdAt,
        } as const;
        const sent = isReply ? await replyTo(tx, id, reply) : undefined;
        await messages.insert(tx, { ...message, ...sent?.stored });
        if (sent) await mailReply(deps, tx, { message, reports: sent.reports });
        await record(tx, { caller, address }, { action: `message.${direction}`, appId, target: id });
        return message;
      }),

    renewStatusLink: ({ caller, address, params: { id }, body: { reportId = id }, save }) =>
      save(async (tx) => {
        const appId = await appOfThread(tx, id, caller);
        const statusUrl = await renewedLink(deps, tx, { feedbackId: id, reportId });
        await record(tx, { caller, address }, { action: "thread.update", appId, target: id });
        return { statusUrl };
      }),
  };
}

function withWriter(message: OwnedMessage, writers: ReadonlyMap<string, string>): OwnedMessage {
  const writtenBy = writers.get(message.id);
  return writtenBy === undefined ? message : { ...message, writtenBy };
}

function withMails(message: OwnedMessage, sent: readonly ReplyMail[]): OwnedMessage {
  if (message.direction !== "outbound") return message;
  const own = sent.filter(({ messageId }) => messageId === message.id);
  return own.length === 0 ? message : { ...message, mails: own.map(({ messageId: _, ...mail }) => mail) };
}

function withOriginal(message: OwnedMessage, originals: ReadonlyMap<string, string>): OwnedMessage {
  const originalUntil = originals.get(message.id);
  return originalUntil === undefined ? message : { ...message, originalUntil };
}

async function read(
  { settings, clock }: Pick<Deps, "clock" | "settings">,
  reader: Reader,
  { id, viewer }: { readonly id: string; readonly viewer: Viewer },
): Promise<OwnedThread> {
  const thread = await ownedThread(reader, id, viewer);
  const sent = await mails.listReplies(reader, thread.id);
  const writers = new Map((await authors.ofMessages(reader, thread.id)).map(({ id, email }) => [id, email]));
  const kept = await mailOriginals.ofThread(reader, thread.id, oldestOriginal(clock.now()));
  const originals = new Map(kept.map((row) => [row.id, originalUntil(row)]));
  const { messages: all, ...answer } = threadAnswer(settings, thread, clock.now());
  return {
    ...answer,
    messages: all.map((message) => withOriginal(withMails(withWriter(message, writers), sent), originals)),
    sender: { name: thread.senderName, email: thread.senderEmail },
    assignee: assigneeOf(thread),
    tags: (await threadTags.of(reader, [thread.id])).get(thread.id) ?? [],
    proposals: proposalsOf(thread, clock.now()),
  };
}
