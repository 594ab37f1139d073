import * as z from "zod/mini";
import {
  authors,
  directions,
  Message,
  Proposal,
  Thread,
  ThreadFeedback,
  threadParams,
  threadQuery,
} from "./agent.ts";
import { appParams } from "./apps.ts";
import { endpoint } from "./endpoint.ts";
import { dropReasons, FeedbackType } from "./feedback.ts";
import { boundary, givenInstant, instant, openEnum, pageLimit, text, uuid, webUrl } from "./fields.ts";
import { threadStatuses } from "./find-work.ts";
import { limits } from "./limits.ts";
import { TagName, ThreadTag } from "./tags.ts";

export const ThreadStatus = z.enum(threadStatuses);
export type ThreadStatus = z.output<typeof ThreadStatus>;

const Sender = z.object({ name: z.nullable(z.string()), email: z.nullable(z.string()) });

/** The last message of a thread, or its report. `text` is the beginning, on one line. */
const LastMessage = z.object({
  direction: openEnum(directions),
  author: z.enum(authors),
  /** Who sent the report or the answer; null for a message of the team or of an agent. */
  sender: z.nullable(Sender),
  /** The e-mail address of the member who wrote the message. */
  writtenBy: z.nullable(z.string()),
  writtenByName: z.nullable(z.string()),
  text: z.string(),
  createdAt: instant,
});
export type LastMessage = z.output<typeof LastMessage>;

/** The member to whom a thread is assigned. */
export const Assignee = z.object({ userId: uuid, email: z.string(), name: z.nullable(z.string()) });
export type Assignee = z.output<typeof Assignee>;

/** The parts of a thread in which a search finds lines. */
export const foundIn = [
  ...(["subject", "report", "repeat", "answer", "reply", "note", "plan"] as const),
  ...(["sender", "tag", "file", "metadata", "source"] as const),
] as const;

/** A line of a thread that contains words of a search. */
export const FoundLine = z.object({
  /** The part of the thread that contains the line. */
  in: openEnum(foundIn),
  text: z.string(),
  /** The positions of the words in `text`, in UTF-16 code units. */
  marks: z.array(z.object({ start: z.int(), end: z.int() })),
});
export type FoundLine = z.output<typeof FoundLine>;

/** A thread in the list of the inbox. */
export const ThreadSummary = z.object({
  id: uuid,
  /** The number of the thread in its app. Null if the server could not store it yet. */
  number: z.nullable(z.int()),
  appId: uuid,
  subject: z.string(),
  category: z.string(),
  status: ThreadStatus,
  senderName: z.nullable(z.string()),
  senderEmail: z.nullable(z.string()),
  source: z.nullable(z.string()),
  occurrences: z.int(),
  proposalStatus: z.nullable(z.string()),
  tags: z.array(ThreadTag),
  assignee: z.nullable(Assignee),
  createdAt: instant,
  /** The time of the last activity in the thread. */
  activeAt: instant,
  /** When the snooze of the thread ends. Null if the thread is not snoozed. */
  snoozedUntil: z.nullable(instant),
  /** Whether other people have done something in the thread after the caller's account last read it. */
  unread: z.boolean(),
  lastMessage: LastMessage,
  /** The line that a search found. Only set in a search. Null if the query has no words. */
  found: z.optional(z.nullable(FoundLine)),
});
export type ThreadSummary = z.output<typeof ThreadSummary>;

/** A thread that a search found. */
export const SearchedThread = z.extend(ThreadSummary, { appName: z.string() });

export type SearchedThread = z.output<typeof SearchedThread>;

/** A number of threads, or a text such as `500+` if the server did not count all. */
export const Count = z.union([z.int(), z.string()]);

/** An unknown operator in a query, or an operator with an unknown value. Both are searched as ordinary words. */
export const UnknownValue = z.object({
  /** The operator, such as `type`. */
  operator: z.string(),
  value: z.string(),
  /**
   * The possible values, such as `type:bug`, or examples for a date. For an unknown operator, the list has an
   * example of each operator.
   */
  allowed: z.array(z.string()),
});
export type UnknownValue = z.output<typeof UnknownValue>;

/** A tag that does not exist in the searched apps, or an assignee who has no threads in these apps. */
export const MissingValue = z.object({ operator: openEnum(["tag", "assignee"]), value: z.string() });
export type MissingValue = z.output<typeof MissingValue>;

/** Facts about a whole search. Only the first page of the search contains these facts. */
export const SearchFacts = z.object({
  /** The number of found threads of each status, including statuses that were not requested. */
  counts: z.object({ open: Count, in_progress: Count, resolved: Count, archived: Count }),
  /** A corrected query, with words that exist. Only set if a word of the query is in no thread. */
  didYouMean: z.nullable(z.string()),
  /** True if the index is incomplete, such as in the first minutes after an update. */
  indexing: z.boolean(),
  /** The unknown operators and the operators with unknown values, if there are any. */
  unknownValues: z.optional(z.array(UnknownValue)),
  /** The tags that do not exist in the searched apps, and the assignees who have no threads in these apps. */
  missing: z.optional(z.array(MissingValue)),
});
export type SearchFacts = z.output<typeof SearchFacts>;

export const search = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/console/search",
    summary: "Search the feedback of all your apps",
    auth: "console",
    role: "viewer",
    scope: "feedback:read",
    query: z.object({
      q: text(1, limits.feedbackSearch),
      appId: z.optional(uuid),
      status: z.optional(z.enum(threadStatuses)),
      type: z.optional(FeedbackType),
      from: z.optional(boundary),
      to: z.optional(boundary),
      cursor: z.optional(text(1, 500)),
      limit: pageLimit(limits.listPage),
    }),
    success: {
      status: 200,
      body: z.object({
        items: z.array(SearchedThread),
        nextCursor: z.nullable(z.string()),
        /** Facts about the search. Only set on the first page. */
        search: z.optional(SearchFacts),
      }),
    },
    errors: [],
  }),
} as const;

/**
 * The endpoints that mark threads as read. Other accounts cannot see which threads an account has read.
 * (rules F50, F52)
 */
export const readMarks = {
  update: endpoint({
    method: "PUT",
    path: "/api/v1/console/feedback/:id/read",
    summary: "Mark a thread as read or as unread, for your account only",
    auth: "console",
    role: "viewer",
    scope: "feedback:write",
    params: threadParams,
    body: z.object({ read: z.boolean() }),
    success: { status: 200, body: z.object({ unread: z.boolean() }) },
    errors: ["not_found"],
    example: { request: { read: true }, answer: { unread: false } },
  }),
  updateAll: endpoint({
    method: "PUT",
    path: "/api/v1/console/apps/:appId/feedback/read",
    summary: "Mark all threads with a given status or type as read, for your account only",
    auth: "console",
    role: "viewer",
    scope: "feedback:write",
    params: appParams,
    body: z.object({
      status: z.optional(ThreadStatus),
      type: z.optional(FeedbackType),
      /** Activity after this time stays unread. An example is a message that the page has not shown yet. */
      until: z.optional(givenInstant),
    }),
    success: { status: 204 },
    errors: ["not_found"],
    example: { request: { status: "open", until: "2026-05-01T09:00:00.000Z" } },
  }),
} as const;

export const mailStatuses = ["waiting", "sent", "bounced", "failed"] as const;

/** A mail that sends a reply to one address. */
export const ReplyMail = z.object({
  to: z.string(),
  status: openEnum(mailStatuses),
  /** The reason why the mail server refused the mail, or why the mail is not sent yet. */
  reason: z.nullable(z.string()),
  settledAt: z.nullable(instant),
});

export type ReplyMail = z.output<typeof ReplyMail>;

/**
 * Why a receiver gets no reply. With `no_address`, the receiver has given no address. With `no_mail`, the
 * server sends no mail.
 */
export const missedReasons = ["no_address", "no_mail"] as const;

/** How a reply is delivered. `mails` of the message shows whether a mail still waits or has bounced. */
export const ReplyDelivery = z.object({
  /** The addresses to which the reply is mailed. */
  mailedTo: z.array(z.string()),
  /** Whether the receivers can read the reply on their pages. */
  onPage: z.boolean(),
  /** The number of receivers who get the reply neither by mail nor on a sender's page. */
  missed: z.int(),
  /** Why the reply does not reach the receivers in `missed`. Null if it reaches all receivers. */
  reason: z.nullable(openEnum(missedReasons)),
});

export type ReplyDelivery = z.output<typeof ReplyDelivery>;

/** An entry of a report's metadata that the server did not store. */
export const DroppedMetadata = z.object({ name: z.string(), reason: openEnum(dropReasons) });

export type DroppedMetadata = z.output<typeof DroppedMetadata>;

/** The first entries of metadata that were not stored. Missing if all entries were stored. (rule F6) */
const metadataDropped = z.optional(z.array(DroppedMetadata));

/** A message as members read it. Only repeated reports have `sender`. Only replies have `mails`. */
export const OwnedMessage = z.extend(Message, {
  sender: z.optional(Sender),
  /** The e-mail address of the member who wrote the message. */
  writtenBy: z.optional(z.string()),
  writtenByName: z.optional(z.nullable(z.string())),
  /** The id of the report whose sender gets the reply, or whose sender wrote the answer. */
  reportId: z.optional(uuid),
  everyone: z.optional(z.boolean()),
  /**
   * The author's address of a mailed answer. Only set if nothing proves that the author is the report's sender.
   */
  foreignFrom: z.optional(z.string()),
  /** The time at which the original mail of this answer will be deleted. Missing if no original mail is stored. */
  originalUntil: z.optional(instant),
  mails: z.optional(z.array(ReplyMail)),
  /** How the reply is delivered. Only set for a reply. */
  delivery: z.optional(ReplyDelivery),
  /** The merged thread in which the message was written. */
  mergedFrom: z.optional(uuid),
  metadataDropped,
});

export type OwnedMessage = z.output<typeof OwnedMessage>;

const EarlierThread = z.object({ id: uuid, consoleUrl: z.string(), subject: z.string(), createdAt: instant });

export type EarlierThread = z.output<typeof EarlierThread>;

/** A thread that was merged into another thread. Its first report is now a message, also with the id `id`. */
export const MergedThread = z.object({
  id: uuid,
  /** The number of the thread in its app. Null if the server could not store it yet. */
  number: z.nullable(z.int()),
  /** Null if the report was erased. */
  subject: z.nullable(z.string()),
  mergedAt: instant,
  /** The e-mail address of the member who merged the thread. Null if the account was deleted. */
  mergedBy: z.nullable(z.string()),
  mergedByName: z.nullable(z.string()),
  /** The time until which the merge can be undone. Null if it cannot be undone any more. */
  undoUntil: z.nullable(instant),
});

export type MergedThread = z.output<typeof MergedThread>;

/** A thread with all fields that an agent reads, and the fields that only members of the app may read. */
export const OwnedThread = z.extend(Thread, {
  feedback: z.extend(ThreadFeedback, {
    /** The number of the thread in its app. Null if the server could not store it yet. */
    number: z.nullable(z.int()),
    /** When the snooze of the thread ends. Null if the thread is not snoozed. */
    snoozedUntil: z.nullable(instant),
    metadataDropped,
  }),
  sender: Sender,
  tags: z.array(ThreadTag),
  assignee: z.nullable(Assignee),
  /** The newest thread with the same `dedupeKey` that was resolved before this thread began. Null if there is none. */
  earlier: z.nullable(EarlierThread),
  /** The threads that were merged into this thread, directly or through other threads, in the order of the merges. */
  merged: z.array(MergedThread),
  /** A value that identifies the receivers of a reply to everyone. It changes when the receivers change. */
  receivers: z.optional(z.string()),
  messages: z.array(OwnedMessage),
  proposals: z.array(Proposal),
});

export type OwnedThread = z.output<typeof OwnedThread>;

/** The kinds of events that this version uses. */
export const threadEventKinds = [
  ...["status", "assignee", "tags", "subject", "type", "issue"],
  ...["merge", "snooze", "decision", "release_note"],
] as const;

/** An event of a thread that is not a message. */
export const ThreadEvent = z.object({
  at: instant,
  /** The member's e-mail address. Null if no member caused the event, or if the account was deleted. */
  by: z.nullable(z.string()),
  byName: z.nullable(z.string()),
  /** True if an answer of a sender caused the event. Otherwise missing. */
  bySender: z.optional(z.literal(true)),
  kind: openEnum(threadEventKinds),
  /** The field that changed, with its value before and after. */
  field: z.optional(z.string()),
  from: z.optional(z.nullable(z.string())),
  to: z.optional(z.nullable(z.string())),
  /** The maintainer token that caused the event. Missing if a person caused it in the console. */
  tokenId: z.optional(z.string()),
  /** The proposal that was decided. */
  runId: z.optional(uuid),
  /** The release note that contains the id of the thread. */
  entryId: z.optional(uuid),
});

export type ThreadEvent = z.output<typeof ThreadEvent>;

/** A thread that contains the same rare words as another thread. */
export const SimilarThread = z.object({
  ...z.pick(ThreadSummary, {
    ...{
      id: true,
      number: true,
      subject: true,
      category: true,
      status: true,
      createdAt: true,
      activeAt: true,
    },
  }).shape,
  /** The words that are in both threads and in few other threads, the rarest word first. */
  shared: z.array(z.string()),
});

export type SimilarThread = z.output<typeof SimilarThread>;

const tagNames = z.optional(z.array(TagName).check(z.maxLength(limits.threadTags)));

/** The fields of a thread that can be changed. */
export const threadChanges = z.object({
  status: z.optional(ThreadStatus),
  category: z.optional(FeedbackType),
  subject: z.optional(text(1, limits.subject)),
  /** The issue to which a person links the thread. Null removes the link. (rule F22) */
  githubIssueUrl: z.optional(z.nullable(webUrl(limits.url))),
  /** Names of tags. An unknown name creates a tag. Other tags of the thread do not change. */
  addTags: tagNames,
  removeTags: tagNames,
  /** The assignee: `me`, the id or the e-mail address of a member, null for nobody. */
  assignee: z.optional(z.nullable(text(1, limits.email))),
  /**
   * The assignee id that the caller has read, or null. The server refuses the request if the assignee has
   * changed.
   */
  expectedAssignee: z.optional(z.nullable(uuid)),
  /** Snoozes an open thread until this time, for at most a year. Null ends the snooze. */
  snoozedUntil: z.optional(z.nullable(givenInstant)),
});

export type ThreadChange = z.output<typeof threadChanges>;

export const listOrders = ["created", "activity", "oldest_activity"] as const;

export type ListOrder = (typeof listOrders)[number];

/** The filters of a list of threads. */
export const threadFilters = z.object({
  status: z.optional(ThreadStatus),
  type: z.optional(FeedbackType),
  /** Names of tags, separated by commas. Finds threads that have all these tags. */
  tag: z.optional(text(1, 1_000)),
  /** The assignee: `me`, `none`, or the id or the e-mail address of a member. */
  assignee: z.optional(text(1, limits.email)),
  /**
   * Finds unfinished threads. `sender` finds the threads whose last message is a reply. `us` finds all others.
   * Notes do not count. (rule F44)
   */
  waitingOn: z.optional(z.enum(["us", "sender"])),
  /** `true` finds only threads that are open or in progress. */
  unfinished: z.optional(z.enum(["true"])),
  /** `true` finds only snoozed threads. `false` finds only threads that are not snoozed. */
  snoozed: z.optional(z.enum(["true", "false"])),
  /**
   * Finds the threads whose first report has this e-mail address. Ignores upper and lower case, and the Unicode
   * form.
   */
  sender: z.optional(text(1, limits.email)),
  q: z.optional(text(1, limits.feedbackSearch)),
  /** Finds the thread with this number. Cannot be combined with `q` or `unread`. */
  number: z.optional(
    z.string().check(z.regex(/^[1-9]\d{0,8}$/, "must be a whole number from 1 to 999999999")),
  ),
  from: z.optional(boundary),
  to: z.optional(boundary),
  /**
   * `created` (default): newest report first. `activity`: latest activity first. `oldest_activity`: longest
   * time without activity first. Searches have their own order.
   */
  order: z.optional(z.enum(listOrders)),
  /**
   * `true` finds threads unread by the caller's account, by default last active first. Cannot be combined with
   * `q`.
   */
  unread: z.optional(z.enum(["true"])),
  cursor: z.optional(text(1, 500)),
  limit: pageLimit(limits.listPage),
});

export type ThreadFilters = z.output<typeof threadFilters>;

/**
 * A note or a reply. `reportId` or `everyone` selects who gets the reply. By default, the first sender gets it.
 */
const NewMessage = z.object({
  direction: z.enum(["note", "outbound"]),
  body: text(1, limits.message),
  reportId: z.optional(uuid),
  everyone: z.optional(z.boolean()),
  /** The id of the newest read message, or null. A reply is refused if another person has written later. */
  expectedMessageId: z.optional(z.nullable(uuid)),
  /**
   * The newest merged thread that the caller read, or null. After a later merge, a reply to everyone is
   * refused.
   */
  expectedMergeId: z.optional(z.nullable(uuid)),
  /** The value `receivers` that the caller has read. If it has changed, a reply to everyone is refused. */
  expectedReceivers: z.optional(text(1, 100)),
  /** A change of the thread that is saved together with the message. If one of them fails, nothing is saved. */
  change: z.optional(threadChanges),
});

const path = "/api/v1/console/feedback/:id";

export const threads = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/console/apps/:appId/feedback",
    summary: "List, filter and search the feedback of an app, newest first, or by activity",
    auth: "console",
    role: "viewer",
    scope: "feedback:read",
    params: appParams,
    query: threadFilters,
    success: {
      status: 200,
      body: z.object({
        items: z.array(ThreadSummary),
        nextCursor: z.nullable(z.string()),
        /** Facts about the search. They are set only on the first page of a search. */
        search: z.optional(SearchFacts),
      }),
    },
    errors: ["not_found"],
  }),
  listAll: endpoint({
    method: "GET",
    path: "/api/v1/console/feedback",
    summary: "List the feedback of all your apps, newest first, or by activity",
    auth: "console",
    role: "viewer",
    scope: "feedback:read",
    query: z.extend(
      z.pick(threadFilters, {
        ...{ status: true, type: true, waitingOn: true, unfinished: true, snoozed: true, unread: true },
        ...{ order: true, cursor: true, limit: true },
      }),
      { assignee: z.optional(z.enum(["me", "none"])) },
    ),
    success: {
      status: 200,
      body: z.object({
        items: z.array(z.extend(ThreadSummary, { appName: z.string() })),
        nextCursor: z.nullable(z.string()),
        /** The number of threads that match. Only set on the first page. */
        count: z.optional(Count),
      }),
    },
    errors: [],
  }),
  read: endpoint({
    method: "GET",
    path,
    summary: "Read a thread with its sender and all its proposals",
    large: true,
    auth: "console",
    role: "viewer",
    scope: "feedback:read",
    params: threadParams,
    query: threadQuery,
    success: { status: 200, body: OwnedThread },
    errors: ["not_found"],
  }),
  events: endpoint({
    method: "GET",
    path: `${path}/events`,
    summary: "List who changed what in a thread, oldest first",
    auth: "console",
    role: "viewer",
    scope: "feedback:read",
    params: threadParams,
    success: { status: 200, body: z.object({ items: z.array(ThreadEvent) }) },
    errors: ["not_found"],
  }),
  similar: endpoint({
    method: "GET",
    path: `${path}/similar`,
    summary: "Find up to three threads of the app that share rare words with a thread",
    auth: "console",
    role: "viewer",
    scope: "feedback:read",
    params: threadParams,
    success: { status: 200, body: z.object({ items: z.array(SimilarThread) }) },
    errors: ["not_found"],
  }),
  update: endpoint({
    method: "PATCH",
    path,
    summary: "Change a thread's status, category, subject, linked issue, tags, assignee or snooze",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params: threadParams,
    body: threadChanges,
    success: { status: 200, body: OwnedThread },
    errors: ["not_found", "assignee_changed", "wrong_state", "merged"],
    example: { request: { status: "in_progress", addTags: ["crash"] } },
  }),
  remove: endpoint({
    method: "DELETE",
    path,
    summary: "Delete a thread and its files permanently",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params: threadParams,
    success: { status: 204 },
    errors: ["not_found", "merged"],
  }),
  merge: endpoint({
    method: "POST",
    path: `${path}/merge`,
    summary:
      "Merge a thread into another thread of its app; after that, a read of the merged thread returns the other thread",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params: threadParams,
    body: z.object({ into: uuid }),
    success: { status: 200, body: OwnedThread },
    errors: ["not_found", "merged", "run_open", "wrong_state"],
    example: { request: { into: "01a1fda4-237d-759b-ad89-7cf5663516dd" } },
  }),
  unmerge: endpoint({
    method: "POST",
    path: `${path}/unmerge`,
    summary: "Undo the merge of a thread within 30 days; the messages of its reports move back to it",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params: threadParams,
    success: { status: 200, body: OwnedThread },
    errors: ["not_found", "wrong_state"],
  }),
  addMessage: endpoint({
    method: "POST",
    path: "/api/v1/console/feedback/:id/messages",
    summary: "Add an internal note or a reply to the sender; can also change the thread",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params: threadParams,
    body: NewMessage,
    success: { status: 201, body: z.extend(Message, { delivery: z.optional(ReplyDelivery) }) },
    errors: ["not_found", "answered", "assignee_changed", "wrong_state", "merged"],
    example: { request: { direction: "note", body: "Seen on tablets, too." } },
  }),
  renewStatusLink: endpoint({
    method: "POST",
    path: "/api/v1/console/feedback/:id/status-link",
    summary: "Create a new link to the page of a report's sender; older links to this page stop working",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params: threadParams,
    body: z.object({ reportId: z.optional(uuid) }),
    success: { status: 201, body: z.object({ statusUrl: z.string() }) },
    errors: ["not_found"],
    answersSecret: true,
    example: {
      request: {},
      answer: { statusUrl: "http://127.0.0.1:4700/p/t/AZH9o9zudEe23kLIw8gvjQAAAAAAkUeXyGO6rYQWLmW1oXbP9A" },
    },
  }),
} as const;

export type FoundIn = (typeof foundIn)[number];
