import { preferences } from "../../../../src/contract/account.ts";
import { consoleChangelog } from "../../../../src/contract/changelog.ts";
import { blockedSenders } from "../../../../src/contract/correspondence.ts";
import { ApiError } from "../../../../src/contract/errors.ts";
import { runs } from "../../../../src/contract/runs.ts";
import { type OwnedThread, readMarks, threads } from "../../../../src/contract/threads.ts";
import {
  type Definitions,
  defineForm,
  definePage,
  type SignedInVisit,
} from "../../../console/definitions.ts";
import { changedValues, everyone, type Fields, givenFor } from "../../../console/forms.tsx";
import { changed, changesNotSaved } from "../../../console/notices.ts";
import { goTo, type Reply, reshowForm } from "../../../console/respond.tsx";
import { senderKeysOf } from "../../blocked-senders/rules.ts";
import { withOpened } from "../../inbox/filters.ts";
import {
  addressAfterDecision,
  inboxPositionOf,
  isFromDecisions,
  listAddress,
  threadAddress,
} from "../../inbox/neighbours.tsx";
import { resolvedWord } from "./delivery.tsx";
import { showDesk } from "./desk.tsx";
import {
  claimedName,
  currentThread,
  hasDrafts,
  namesOf,
  recallNoteName,
  resolving,
  seenMergeName,
  seenMessageName,
  seenReceiversName,
  snoozeEnd,
  type ThreadPart,
  untilDay,
} from "./fields.tsx";
import { showThread, threadPage } from "./page.tsx";
import { refuseDoubtful, withSavedReply } from "./reply.tsx";
import { readThread, type ShownAgain } from "./thread.tsx";

/** Decides on the proposal that the form showed, never on a newer proposal. (rule A52) */
function decide(
  visit: SignedInVisit,
): Promise<Reply<"approved" | "rejected" | "changes-asked-for" | "awaiting_approval">> {
  const { ask, fields, param } = visit;
  const [runId, decision] = [fields.text("runId"), fields.text("decision")];
  return doPart(visit, "decision", async () => {
    const position = inboxPositionOf(visit);
    const next = isFromDecisions(position)
      ? await addressAfterDecision(visit, param("id"), position)
      : undefined;
    const body = { decision, note: fields.text("note") };
    const proposal = await ask(runs.decide, {
      params: { runId },
      body,
      idempotencyKey: fields.idempotencyKey,
    });
    const done = doneWords[proposal.decision ?? ""];
    if (done === undefined) return { done: proposal.status, anchor: "proposal" };
    return { done, anchor: "proposal", ...(next === undefined ? {} : { next }) };
  });
}

const doneWords: Readonly<Record<string, "approved" | "rejected" | "changes-asked-for">> = {
  approve: "approved",
  reject: "rejected",
  request_changes: "changes-asked-for",
};

function recall(visit: SignedInVisit): Promise<Reply<"recalled">> {
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

/** Releases the claim that the form showed, never the claim of another worker. (rule A52) */
function release(visit: SignedInVisit): Promise<Reply<"released">> {
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

function addMessage(
  visit: SignedInVisit,
): Promise<Reply<"noted" | "noted-changed" | "replied" | "replied-changed" | "replied-resolved">> {
  const { ask, fields, param } = visit;
  const button = fields.text("direction");
  const note = button === "note";
  return doPart(visit, note ? "note" : "reply", async () => {
    const thread = await readThread(visit);
    const chosen = changeIn(fields, thread);
    if (!note) await refuseDoubtful(visit, thread);
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
    if (button === resolving) {
      const to = await afterResolving(visit);
      return { done: resolvedWord, anchor: `message-${id}`, messageId: id, to };
    }
    const result = isChanged ? (`${done}-changed` as const) : done;
    return { done: result, anchor: `message-${id}`, messageId: id };
  });
}

/**
 * Returns the address after a reply that resolves a thread. Returns undefined if the person stays on the
 * thread. (rule O32)
 */
async function afterResolving(visit: SignedInVisit): Promise<string | undefined> {
  const { ask, links, param } = visit;
  const { desk, list, next } = inboxPositionOf(visit);
  if (!desk) return undefined;
  const { afterResolving: opens } = await ask(preferences.read);
  if (opens === "stay") return undefined;
  const query = new URLSearchParams(opens === "next" && next ? withOpened(list, next) : list);
  query.set("replied", param("id"));
  return `${links.inbox(param("appId"))}?${query}`;
}

/** Shows the page again, with a saved reply in the reply field. Nothing is sent to the sender. */
function insertSavedReply(visit: SignedInVisit): Promise<Reply> {
  const { fields } = visit;
  return reshowForm(
    async () => {
      const filled = await withSavedReply(visit, await readThread(visit));
      return showAgain(visit, { sent: { fields: filled, part: "insert" } });
    },
    (refusal) => showAgain(visit, { sent: { fields, part: "insert", refusal } }),
  );
}

const aboutReply = (fields: Fields) => ({
  ...receiverIn(fields),
  ...(fields.has(seenMessageName) ? { expectedMessageId: fields.text(seenMessageName) || null } : {}),
  ...(fields.has(seenMergeName) ? { expectedMergeId: fields.text(seenMergeName) || null } : {}),
  ...(fields.has(seenReceiversName) ? { expectedReceivers: fields.text(seenReceiversName) } : {}),
});

/** Returns the receivers of a reply as the API expects them. */
function receiverIn(fields: Fields): { readonly everyone?: boolean; readonly reportId?: string } {
  const receiver = fields.text("replyReceiver");
  if (receiver === everyone) return { everyone: true };
  return receiver === "" ? {} : { reportId: receiver };
}

const editThread = (visit: SignedInVisit): Promise<Reply<"changed">> =>
  doPart(visit, "edit", async () => {
    const { ask, fields, param } = visit;
    const change = changeIn(fields, await readThread(visit));
    // Without scripts, the Enter key in the field `snoozeDay` calls `editThread` instead of `snooze`.
    const isSnooze = Object.keys(change).length === 0 && fields.text("snoozeDay") !== "";
    const body = isSnooze ? { snoozedUntil: await snoozeEnd(visit, untilDay) } : change;
    await ask(threads.update, { params: { id: param("id") }, body, idempotencyKey: fields.idempotencyKey });
    return { done: "changed" };
  });

/**
 * Returns the changed fields of the side column. Throws `bad_request` if another person has also changed one of
 * these fields.
 */
function changeIn(fields: Fields, thread: OwnedThread): Readonly<Record<string, unknown>> {
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

/** Assigns the thread to the signed-in person. The server refuses this if somebody else changed the assignee. */
function assignToMe(visit: SignedInVisit): Promise<Reply<"assigned">> {
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

/** Snoozes the thread, or ends its snooze. (rule F42) */
function snooze(visit: SignedInVisit): Promise<Reply<"snoozed" | "woken">> {
  const { ask, fields, param } = visit;
  return doPart(visit, "snooze", async () => {
    const button = fields.text("snooze");
    const isEnded = button === "end";
    const value = button === untilDay ? untilDay : fields.text("snoozeFor");
    const snoozedUntil = isEnded ? null : await snoozeEnd(visit, value);
    await ask(threads.update, {
      params: { id: param("id") },
      body: { snoozedUntil },
      idempotencyKey: fields.idempotencyKey,
    });
    return { done: isEnded ? "woken" : "snoozed" };
  });
}

function removeTag(visit: SignedInVisit): Promise<Reply<"changed">> {
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

function blockSender(visit: SignedInVisit): Promise<Reply<"blocked">> {
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

/** Shows the thread again after a form was sent. In the inbox, shows the list, too. */
function showAgain(visit: SignedInVisit, shown: ShownAgain): Promise<Reply> {
  const { desk, list } = inboxPositionOf(visit);
  return desk ? showDesk(visit, { list, opened: visit.param("id"), shown }) : showThread(visit, shown);
}

/** Creates a new link to the sender's page, and shows it once. All typed text stays on the page. */
function renewStatusLink(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, param } = visit;
  return reshowForm<never>(
    async () => {
      const { statusUrl } = await ask(threads.renewStatusLink, {
        params: { id: param("id") },
        body: {},
        idempotencyKey: fields.idempotencyKey,
      });
      return { ...(await showAgain(visit, { sent: { fields, part: "link" }, statusUrl })), sentFields: [] };
    },
    (refusal) => showAgain(visit, { sent: { fields, part: "link", refusal } }),
  );
}

/** Marks the thread as unread and shows the list. The page of the thread would mark it as read again. */
async function markUnread({ ask, fields, links, param, query }: SignedInVisit): Promise<Reply<"unread">> {
  await ask(readMarks.update, {
    params: { id: param("id") },
    body: { read: false },
    idempotencyKey: fields.idempotencyKey,
  });
  return goTo(listAddress(links, param("appId"), inboxPositionOf({ query, fields })), "unread");
}

/** Adds the thread to a release note, or opens the form for a new one. Saves nothing else. (rule C32) */
async function addToReleaseNote(visit: SignedInVisit): Promise<Reply<"thread-named">> {
  const { ask, fields, links, param } = visit;
  const { app, feedback } = await readThread(visit);
  const entryId = fields.text("releaseNote");
  if (entryId === "new" || entryId === "") {
    const fixes = feedback.number === null ? feedback.id : `#${feedback.number}`;
    const address = `${links.changelog(app.id, "new")}?${new URLSearchParams({ fixes })}`;
    return { ...goTo(address), sentFields: [] };
  }
  await ask(consoleChangelog.update, {
    params: { entryId },
    body: { fixes: [feedback.id] },
    idempotencyKey: fields.idempotencyKey,
  });
  return { ...goTo(links.entry(param("appId"), entryId), "thread-named"), sentFields: [] };
}

/** The result of a part of the form. */
interface Done<Word extends string> {
  /** The name of a notice. */
  readonly done: Word;
  /** The id of an element to scroll to. */
  readonly anchor?: string;
  readonly messageId?: string;
  /** The address of the next page that shows the notice. Undefined if that page shows the same thread. */
  readonly next?: string;
  /** The address of a next page that shows the result without a notice. */
  readonly to?: string | undefined;
}

/** Saves one part of the form. If other parts have unsaved text, the next page keeps that text. */
function doPart<Word extends string>(
  visit: SignedInVisit,
  part: ThreadPart,
  act: () => Promise<Done<Word>>,
): Promise<Reply<Word>> {
  const { fields, links, param } = visit;
  return reshowForm(
    async () => {
      const { done, anchor, messageId, next, to } = await act();
      const place = { appId: param("appId"), id: param("id") };
      const address = threadAddress(links, place, inboxPositionOf(visit));
      if (!hasDrafts(fields, part)) return to === undefined ? goTo(next ?? address, done, anchor) : goTo(to);
      const sent = { fields, part, ...(messageId === undefined ? {} : { messageId }) };
      return { ...(await showAgain(visit, { sent, done })), sentFields: namesOf(part, fields) };
    },
    (refusal) => showAgain(visit, { sent: { fields, part, refusal } }),
  );
}

async function deleteThread(visit: SignedInVisit): Promise<Reply<"thread-deleted">> {
  await visit.ask(threads.remove, {
    params: { id: visit.param("id") },
    idempotencyKey: visit.fields.idempotencyKey,
  });
  const list = listAddress(visit.links, visit.param("appId"), inboxPositionOf(visit));
  const reply = goTo(list, "thread-deleted");
  // `sentFields` is empty, because the server saved no text that the person had typed.
  return { ...reply, sentFields: [] };
}

/** Redirects from the short address of a thread to its page. Throws `not_found` if the app has no such number. */
const numberedPage = definePage({
  at: (links) => links.numbered(":appId", ":number"),
  needs: "viewer",
  async show({ ask, links, param }) {
    const number = param("number");
    if (!/^[1-9]\d{0,8}$/.test(number)) throw new ApiError("not_found");
    const query = { number };
    const { items } = await ask(threads.list, { params: { appId: param("appId") }, query });
    const [found] = items;
    if (found === undefined) throw new ApiError("not_found");
    return goTo(links.thread(found.appId, found.id));
  },
});

export const definitions: Definitions = [
  threadPage,
  numberedPage,
  defineForm({
    at: (links) => links.thread(":appId", ":id", "unread"),
    page: threadPage,
    act: markUnread,
    done: { unread: "The thread is marked as unread." },
    word: "markUnread",
    notDone: "The thread was not marked as unread.",
  }),
  defineForm({
    at: (links) => links.thread(":appId", ":id", "decision"),
    page: threadPage,
    act: decide,
    done: { approved: null, rejected: null, "changes-asked-for": null, awaiting_approval: null },
    word: "decide",
    notDone: "Your decision was not recorded.",
  }),
  defineForm({
    at: (links) => links.thread(":appId", ":id", "recall"),
    page: threadPage,
    act: recall,
    done: { recalled: "The approval is recalled. The proposal counts as rejected now." },
    word: "recall",
    notDone: "The approval was not recalled.",
  }),
  defineForm({
    at: (links) => links.thread(":appId", ":id", "release"),
    page: threadPage,
    act: release,
    done: { released: "The claim is released. Another worker can claim the approved plan now." },
    word: "release",
    notDone: "The claim was not released.",
  }),
  defineForm({
    at: (links) => links.thread(":appId", ":id", "messages"),
    page: threadPage,
    act: addMessage,
    done: {
      noted: "The note was added to the thread.",
      "noted-changed": "The note was added to the thread. Your changes in the other fields are saved, too.",
      replied: null,
      "replied-changed": null,
      "replied-resolved": null,
    },
    word: "addMessage",
    notDone: "Your note or reply was not added.",
  }),
  defineForm({
    at: (links) => links.thread(":appId", ":id", "edit"),
    page: threadPage,
    act: editThread,
    done: changed,
    ...changesNotSaved,
  }),
  defineForm({
    at: (links) => links.thread(":appId", ":id", "release-note"),
    page: threadPage,
    act: addToReleaseNote,
    done: { "thread-named": "The release note refers to the thread now." },
    word: "nameThread",
    notDone: "The thread was not added to the release note.",
  }),
  defineForm({
    at: (links) => links.thread(":appId", ":id", "status-link"),
    page: threadPage,
    act: renewStatusLink,
    done: {},
    word: "renewLink",
    notDone: "No new link was created.",
  }),
  defineForm({
    at: (links) => links.thread(":appId", ":id", "delete"),
    page: threadPage,
    act: deleteThread,
    done: { "thread-deleted": "The thread and its files are deleted." },
    word: "deleteThread",
    notDone: "The thread was not deleted.",
  }),
  defineForm({
    at: (links) => links.thread(":appId", ":id", "tags"),
    page: threadPage,
    act: removeTag,
    done: changed,
    word: "removeTag",
    notDone: "The tag was not removed from the thread.",
  }),
  defineForm({
    at: (links) => links.thread(":appId", ":id", "assign"),
    page: threadPage,
    act: assignToMe,
    done: { assigned: "You are the assignee of this thread now." },
    word: "assign",
    notDone: "The thread was not assigned to you.",
  }),
  defineForm({
    at: (links) => links.thread(":appId", ":id", "snooze"),
    page: threadPage,
    act: snooze,
    done: { snoozed: "The thread is snoozed.", woken: "The thread is no longer snoozed." },
    word: "snooze",
    notDone: "The snooze was not changed.",
  }),
  defineForm({
    at: (links) => links.thread(":appId", ":id", "saved-reply"),
    page: threadPage,
    act: insertSavedReply,
    done: {},
    word: "insertReply",
    notDone: "The saved reply was not inserted.",
  }),
  defineForm({
    at: (links) => links.thread(":appId", ":id", "block"),
    page: threadPage,
    act: blockSender,
    done: { blocked: "The sender is blocked. New messages of the sender are hidden." },
    word: "blockSender",
    notDone: "The sender was not blocked.",
  }),
];
