import type { Reader } from "../../../server/database/database.ts";
import { findThreads, type Search } from "../../../server/feedback/agent-work/store/work.ts";
import { hiddenFeedback } from "../../../server/feedback/blocked-senders/store.ts";
import { firstThreads, listThreads } from "../../../server/feedback/inbox/store.ts";
import { retention } from "../../../server/feedback/threads/store/removal.ts";
import { changesSince, unreadCounts } from "../../../server/feedback/unread/store/news.ts";

/** A token for all apps of a person. */
export const owner = { userId: "owner", appId: null, needs: "owner", kind: "agentToken" } as const;

const period = { from: "2026-01-01T00:00:00.000Z", to: "2026-02-01T00:00:00.000Z" };
const filters = (given: object = {}) => ({ userId: "owner", ...given });
export const fromTop = { position: ["9999", ""], limit: 51 };
const fromOldest = { position: ["", ""], limit: 51 };

/** Queries that must not scan all threads of an app, and the index of each. */
export const hotReads: readonly (readonly [
  name: string,
  index: string,
  read: (reader: Reader, appId: string) => Promise<unknown>,
])[] = [
  [
    "the count of threads that await a decision",
    "feedback_by_waiting(_and_activity)?",
    (reader) => unreadCounts(reader, "owner"),
  ],
  ["the count of unread threads", "feedback_by_activity", (reader) => unreadCounts(reader, "owner")],
  [
    "the changes since a time",
    "feedback_by_activity",
    (reader, appId) => changesSince(reader, { appId, userId: "owner", since: "2026-01-01T00:00:00.000Z" }),
  ],
  ["the inbox", "feedback_by_app", (reader, appId) => listThreads(reader, { appId, ...filters() }, fromTop)],
  [
    "the inbox of a status",
    "feedback_by_status",
    (reader, appId) => listThreads(reader, { appId, ...filters({ status: "open" }) }, fromTop),
  ],
  [
    "the inbox of a type",
    "feedback_by_category",
    (reader, appId) => listThreads(reader, { appId, ...filters({ type: "bug" }) }, fromTop),
  ],
  [
    "the inbox of a status and a type",
    "feedback_by_status_and_category",
    (reader, appId) => listThreads(reader, { appId, ...filters({ status: "open", type: "bug" }) }, fromTop),
  ],
  [
    "the inbox of a status and a type in a period",
    "feedback_by_status_and_category",
    (reader, appId) =>
      listThreads(reader, { appId, ...filters({ status: "open", type: "bug", ...period }) }, fromTop),
  ],
  [
    "the inbox of a type in a period",
    "feedback_by_category",
    (reader, appId) => listThreads(reader, { appId, ...filters({ type: "bug", ...period }) }, fromTop),
  ],
  [
    "the threads of a sender",
    "feedback_of_sender",
    (reader, appId) => listThreads(reader, { appId, ...filters({ sender: "ada@example.org" }) }, fromTop),
  ],
  [
    "the inbox of an assignee",
    "feedback_by_assignee_and_age",
    (reader, appId) => listThreads(reader, { appId, ...filters({ assignee: "owner" }) }, fromTop),
  ],
  [
    "the inbox of an assignee by activity",
    "feedback_by_assignee",
    (reader, appId) =>
      listThreads(reader, { appId, ...filters({ assignee: "owner", order: "activity" }) }, fromTop),
  ],
  [
    "the inbox of snoozed threads",
    "feedback_snoozed_by_age",
    (reader, appId) => listThreads(reader, { appId, ...filters({ snoozed: "true" }) }, fromTop),
  ],
  [
    "the inbox of snoozed threads by activity",
    "feedback_snoozed_by_activity",
    (reader, appId) =>
      listThreads(reader, { appId, ...filters({ snoozed: "true", order: "activity" }) }, fromTop),
  ],
  [
    "the inbox of threads that wait for the sender",
    "feedback_by_turn",
    (reader, appId) =>
      listThreads(reader, { appId, ...filters({ waitingOn: "sender", order: "activity" }) }, fromTop),
  ],
  ...oldestReads([
    ["of threads that wait for the team", "feedback_by_turn", { waitingOn: "us" }],
    ["of threads without an assignee", "feedback_unassigned", { assignee: null, unfinished: "true" }],
    ["of an assignee", "feedback_by_assignee", { assignee: "owner" }],
    ["of snoozed threads", "feedback_snoozed_by_activity", { snoozed: "true" }],
    ["of a sender", "feedback_of_sender", { sender: "ada@example.org" }],
  ]),
  [
    "the count of threads that wait for the team",
    "feedback_by_turn",
    (reader, appId) =>
      firstThreads(reader, { appId, ...filters({ waitingOn: "us", order: "activity" }) }, { most: 501 }),
  ],
  [
    "the count of threads without an assignee",
    "feedback_unassigned",
    (reader, appId) =>
      firstThreads(
        reader,
        { appId, ...filters({ assignee: null, unfinished: "true", order: "activity" }) },
        { most: 501 },
      ),
  ],
  [
    "the inbox of threads without an assignee",
    "feedback_by_app",
    (reader, appId) => listThreads(reader, { appId, ...filters({ assignee: null }) }, fromTop),
  ],
  [
    "the reports of blocked senders",
    "feedback_(by_status|blocked)",
    (reader, appId) => hiddenFeedback.list(reader, appId, 100),
  ],
  [
    "the count of threads that a retention deletes",
    "feedback_by_state_and_activity",
    (reader, appId) =>
      retention.countDue(reader, appId, { days: 30, now: new Date("2027-01-01"), most: 100 }),
  ],
  ...activityReads(),
  ...agentReads(),
];

/** Queries that must not read all threads of a tag, nor all read marks of a member, and the index of each. */
export const hotTeamReads: typeof hotReads = [
  [
    "the count of threads that are marked as unread",
    "thread_looks_marked",
    (reader) => unreadCounts(reader, "owner"),
  ],
  [
    "the inbox of threads that are marked as unread",
    "thread_looks_marked",
    (reader, appId) =>
      listThreads(reader, { appId, ...filters({ order: "activity", unread: "true" }) }, fromTop),
  ],
  [
    "the inbox of a tag",
    "thread_tags_by_age",
    (reader, appId) => listThreads(reader, { appId, ...filters({ tags: ["hot"] }) }, fromTop),
  ],
  [
    "the inbox of a tag by activity",
    "thread_tags_by_activity",
    (reader, appId) =>
      listThreads(reader, { appId, ...filters({ tags: ["hot"], order: "activity" }) }, fromTop),
  ],
  [
    "the inbox of a tag and an assignee",
    "thread_tags_by_assignee_and_age",
    (reader, appId) =>
      listThreads(reader, { appId, ...filters({ tags: ["hot"], assignee: "owner" }) }, fromTop),
  ],
  [
    "the inbox of a tag and an assignee by activity",
    "thread_tags_by_assignee",
    (reader, appId) =>
      listThreads(
        reader,
        { appId, ...filters({ tags: ["hot"], assignee: "owner", order: "activity" }) },
        fromTop,
      ),
  ],
  ...oldestReads([
    ["of a tag", "thread_tags_by_activity", { tags: ["hot"] }],
    ["of a tag and an assignee", "thread_tags_by_assignee", { tags: ["hot"], assignee: "owner" }],
  ]),
  ...agentTagReads(),
];

/** The inbox that begins with the oldest activity: a row for each filter. */
function oldestReads(rows: readonly (readonly [name: string, index: string, filters: object])[]) {
  return rows.map(([name, index, given]) => {
    const read = (reader: Reader, appId: string) =>
      listThreads(reader, { appId, ...filters({ order: "oldest_activity", ...given }) }, fromOldest);
    return [`the inbox ${name}, the oldest activity first`, index, read] as const;
  });
}

/** The inbox by activity: a row for each filter. */
function activityReads() {
  const rows: readonly [string, string, object][] = [
    ["the inbox", "feedback_by_activity", {}],
    ["the inbox of a status", "feedback_by_state_and_activity", { status: "open" }],
    ["the inbox of a type", "feedback_by_state_and_activity", { type: "bug" }],
    ["the inbox of a status and a type", "feedback_by_state_and_activity", { status: "open", type: "bug" }],
    ["unread threads", "feedback_by_activity", { unread: "true" }],
    ["unread threads of a status", "feedback_by_state_and_activity", { unread: "true", status: "open" }],
  ];
  return rows.flatMap(([name, index, given]) =>
    [
      { order: "activity", page: fromTop, words: "by activity" },
      { order: "oldest_activity", page: fromOldest, words: "by activity, the oldest first" },
    ].map(({ order, page, words }) => {
      const read = (reader: Reader, appId: string) =>
        listThreads(reader, { appId, ...filters({ order, ...given }) }, page);
      return [`${name} ${words}`, index, read] as const;
    }),
  );
}

/** The lists of an agent with tags: a row for each order. */
function agentTagReads() {
  const updatedSince = "2026-01-01T00:00:00.000Z";
  const rows: readonly [string, string, Search["filters"]][] = [
    ["threads of a tag", "thread_tags_by_age", { tags: ["hot"] }],
    ["threads of two tags", "thread_tags_by_age", { tags: ["hot", "cold"] }],
    ["open threads of a tag", "thread_tags_by_age", { tags: ["hot"], status: "open" }],
    ["threads of a tag with activity", "thread_tags_by_activity", { tags: ["hot"], updatedSince }],
  ];
  return rows.map(([name, index, given]) => {
    const read = (reader: Reader) => findThreads(reader, { viewer: owner, filters: given }, fromTop);
    return [`an agent's list of ${name}`, index, read] as const;
  });
}

/** The lists of an agent: a row for each order and filter. */
function agentReads() {
  const since = "2026-01-01T00:00:00.000Z";
  const rows: readonly [string, string, Search["filters"]][] = [
    ["all threads", "feedback_by_app", {}],
    ["threads of a status", "feedback_by_status", { status: "open" }],
    ["threads of a type", "feedback_by_category", { type: "bug" }],
    ["threads of a status and a type", "feedback_by_status_and_category", { status: "open", type: "bug" }],
    ["threads that wait for approval", "feedback_by_waiting", { waiting: "approval" }],
    ["open threads without a proposal", "feedback_by_status", { status: "open", waiting: "none" }],
    ["threads with activity", "feedback_by_activity", { updatedSince: since }],
    [
      "threads with work, with activity",
      "feedback_by_waiting_and_activity",
      { waiting: "outcome", updatedSince: since },
    ],
  ];
  return rows.map(([name, index, given]) => {
    const search = { viewer: owner, filters: given };
    const read = (reader: Reader) => findThreads(reader, search, fromTop);
    return [`an agent's list of ${name}`, index, read] as const;
  });
}
