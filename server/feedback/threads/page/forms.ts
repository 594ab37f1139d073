import { blockedSenders } from "../../../../src/contract/blocked-senders.ts";
import { runs } from "../../../../src/contract/runs.ts";
import { readMarks, threads } from "../../../../src/contract/threads.ts";
import { changedValues, type Fields, givenFor } from "../../../console/form-values.tsx";
import { goTo, type Reply, reshowForm } from "../../../console/reply.ts";
import type { SignedInVisit } from "../../../console/visit.ts";
import { senderKeysOf } from "../../blocked-senders/rules.ts";
import { inboxPositionOf, inboxPositionQuery } from "../../inbox/filters.tsx";
import {
  claimedName,
  currentThread,
  holdsDrafts,
  namesOf,
  recallNoteName,
  seenMessageName,
  type ThreadPart,
} from "../fields.tsx";
import { resolving, withSavedReply } from "./composer.tsx";
import { readThread, showThread } from "./page.tsx";

/** Decides on the proposal that the form showed, never on a newer one. */
export function decide(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  const [runId, decision] = [fields.text("runId"), fields.text("decision")];
  return doPart(visit, "decision", async () => {
    const body = { decision, note: fields.text("note") };
    const proposal = await ask(runs.decide, {
      params: { runId },
      body,
      idempotencyKey: fields.idempotencyKey,
    });
    return { done: doneWords[proposal.decision ?? ""] ?? proposal.status, anchor: "proposal" };
  });
}

const doneWords: Readonly<Record<string, string>> = {
  approve: "approved",
  reject: "rejected",
  request_changes: "changes-asked-for",
};

/** Takes an approval back. */
export function recall(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  const runId = fields.text("recall");
  return doPart(visit, "recall", async () => {
    await ask(runs.recall, {
      params: { runId },
      body: { note: fields.text(recallNoteName(runId)) },
      idempotencyKey: fields.idempotencyKey,
    });
    return { done: "recalled", anchor: "proposal" };
  });
}

/** Ends the claim that the form showed, never that of another worker. */
export function release(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  const runId = fields.text("release");
  return doPart(visit, "release", async () => {
    await ask(runs.release, {
      params: { runId },
      body: { claimedAt: fields.text(claimedName(runId)) },
      idempotencyKey: fields.idempotencyKey,
    });
    return { done: "released", anchor: "proposal" };
  });
}

export function addMessage(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, param } = visit;
  const button = fields.text("direction");
  const note = button === "note";
  return doPart(visit, note ? "note" : "reply", async () => {
    const chosen = await changeIn(visit);
    const change = button === resolving ? { ...chosen, status: "resolved" } : chosen;
    const isChanged = Object.keys(change).length > 0;
    const body = {
      direction: note ? "note" : "outbound",
      body: fields.text(note ? "noteBody" : "replyBody"),
      ...(note ? {} : aboutReply(fields)),
      ...(isChanged ? { change } : {}),
    };
    const { id } = await ask(threads.addMessage, {
      params: { id: param("id") },
      body,
      idempotencyKey: fields.idempotencyKey,
    });
    const done = note ? "noted" : "replied";
    return { done: isChanged ? `${done}-changed` : done, anchor: `message-${id}`, messageId: id };
  });
}

/** Shows the page again with a saved reply in the field of the reply. Nothing is sent to the sender. */
export function insertSavedReply(visit: SignedInVisit): Promise<Reply> {
  const { fields } = visit;
  return reshowForm(
    async () => {
      const filled = await withSavedReply(visit, await readThread(visit));
      return showThread(visit, { sent: { fields: filled, part: "insert" } });
    },
    (refusal) => showThread(visit, { sent: { fields, part: "insert", refusal } }),
  );
}

const aboutReply = (fields: Fields) => ({
  ...receiverIn(fields),
  ...(fields.has(seenMessageName) ? { expectedMessageId: fields.text(seenMessageName) || null } : {}),
});

/** The receivers of a reply, in the form of the API. */
function receiverIn(fields: Fields): { readonly everyone?: boolean; readonly reportId?: string } {
  const receiver = fields.text("replyReceiver");
  if (receiver === "everyone") return { everyone: true };
  return receiver === "" ? {} : { reportId: receiver };
}

export const editThread = (visit: SignedInVisit): Promise<Reply> =>
  doPart(visit, "edit", async () => {
    const { ask, fields, param } = visit;
    const body = await changeIn(visit);
    await ask(threads.update, { params: { id: param("id") }, body, idempotencyKey: fields.idempotencyKey });
    return { done: "changed" };
  });

/** What the fields at the side change, in the form of the API. Throws `bad_request` for what somebody else changed, too. */
async function changeIn(visit: SignedInVisit): Promise<Readonly<Record<string, unknown>>> {
  const { fields } = visit;
  const thread = await readThread(visit);
  const current = currentThread(thread);
  const sent = Object.entries(givenFor(fields, current)).filter(([name]) => fields.has(name));
  const changed = changedValues(fields, Object.fromEntries(sent), current);
  const { addTags = "", assignee, ...rest } = changed;
  return {
    ...rest,
    ...(changed.githubIssueUrl === "" ? { githubIssueUrl: null } : {}),
    ...(assignee === undefined
      ? {}
      : { assignee: assignee || null, expectedAssignee: thread.assignee?.userId ?? null }),
    ...(addTags === "" ? {} : { addTags: tagsIn(addTags) }),
  };
}

const tagsIn = (typed: string): string[] => typed.split(",").filter((name) => name.trim() !== "");

/** Gives the thread to the person at the page, unless somebody else has taken it since the page was shown. */
export function assignToMe(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, param } = visit;
  return doPart(visit, "assign", async () => {
    await ask(threads.update, {
      params: { id: param("id") },
      body: { assignee: "me", expectedAssignee: fields.text("shownAssignee") || null },
      idempotencyKey: fields.idempotencyKey,
    });
    return { done: "assigned" };
  });
}

export function removeTag(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, param } = visit;
  return doPart(visit, "tags", async () => {
    await ask(threads.update, {
      params: { id: param("id") },
      body: { removeTags: [fields.text("removeTag")] },
      idempotencyKey: fields.idempotencyKey,
    });
    return { done: "changed" };
  });
}

export function blockSender(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, param } = visit;
  const [kind, contact] = [fields.text("block"), fields.text("blockedContact")];
  const [domain] = senderKeysOf(contact).domains;
  return doPart(visit, "block", async () => {
    await ask(blockedSenders.create, {
      params: { appId: param("appId") },
      body: { kind, sender: kind === "domain" ? (domain ?? contact) : contact },
      idempotencyKey: fields.idempotencyKey,
    });
    return { done: "blocked" };
  });
}

/** Makes a new link to the sender's page, and shows it once. All typed text stays on the page. */
export function renewStatusLink(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, param } = visit;
  return reshowForm(
    async () => {
      const { statusUrl } = await ask(threads.renewStatusLink, {
        params: { id: param("id") },
        body: {},
        idempotencyKey: fields.idempotencyKey,
      });
      return { ...(await showThread(visit, { sent: { fields, part: "link" }, statusUrl })), sentFields: [] };
    },
    (refusal) => showThread(visit, { sent: { fields, part: "link", refusal } }),
  );
}

/** Marks the thread as unread for this person, and goes back to the inbox: the open thread would be read at once. */
export async function markUnread({ ask, fields, links, param, query }: SignedInVisit): Promise<Reply> {
  await ask(readMarks.update, {
    params: { id: param("id") },
    body: { read: false },
    idempotencyKey: fields.idempotencyKey,
  });
  const { list } = inboxPositionOf({ query, fields });
  const inbox = links.inbox(param("appId"));
  return goTo(list === "" ? inbox : `${inbox}?${new URLSearchParams(list)}`, "unread");
}

/** The result of a part of the form: the word for its notice, and where to see it on the page. */
interface Done {
  readonly done: string;
  readonly anchor?: string;
  readonly messageId?: string;
}

/** Does one part of the form. If another part holds unsaved text, the next page keeps it. */
function doPart(visit: SignedInVisit, part: ThreadPart, act: () => Promise<Done>): Promise<Reply> {
  const { fields, links, param } = visit;
  return reshowForm(
    async () => {
      const { done, anchor, messageId } = await act();
      const address = links.thread(param("appId"), param("id")) + inboxPositionQuery(inboxPositionOf(visit));
      if (!holdsDrafts(fields, part)) return goTo(address, done, anchor);
      const sent = { fields, part, ...(messageId === undefined ? {} : { messageId }) };
      return { ...(await showThread(visit, { sent, done })), sentFields: namesOf(part, fields) };
    },
    (refusal) => showThread(visit, { sent: { fields, part, refusal } }),
  );
}

export async function deleteThread(visit: SignedInVisit): Promise<Reply> {
  await visit.ask(threads.remove, {
    params: { id: visit.param("id") },
    idempotencyKey: visit.fields.idempotencyKey,
  });
  const { list } = inboxPositionOf(visit);
  const inbox = visit.links.inbox(visit.param("appId"));
  const reply = goTo(list === "" ? inbox : `${inbox}?${new URLSearchParams(list)}`, "thread-deleted");
  // What was typed beside the button was not sent.
  return { ...reply, sentFields: [] };
}
