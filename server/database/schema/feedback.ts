import { appMembers, apps, users } from "./access.ts";
import {
  type AnyTable,
  erased,
  flag,
  id,
  index,
  instant,
  integer,
  json,
  loweredAddress,
  other,
  ref,
  type Statement,
  sequence,
  table,
  text,
  withEach,
} from "./table.ts";
import { proofs } from "./testing.ts";

/** The columns for the short texts of a report. Both threads and repeats have these columns. */
const reportTextColumns = {
  source: text("text").null(),
};

export const feedback = table(
  "feedback",
  {
    /** A number that increases with each new thread. It shows the order in which threads were created. */
    seq: sequence(),
    id: text("plain").unique(),
    app_id: ref(apps, "cascade"),
    subject: text("text"),
    message: text("text"),
    category: text("plain"),
    status: text("plain"),
    ...reportTextColumns,
    sender_name: text("name").null(),
    sender_email: text("address").null(),
    metadata: json("json"),
    files: json("json"),
    dedupe_key: text("key").null(),
    occurrences: integer(),
    github_issue_url: text("text").null(),
    proposal_status: text("plain").null(),
    /** No longer used. The table `threads_to_index` has the threads that are missing in the search index. */
    indexed: flag(),
    created_at: instant(),
    /** The action that the newest proposal waits for. */
    waiting: text("plain").null(),
    /** The time of the last activity. Null if nothing has happened after the thread was created. */
    active_at: instant().null(),
    /** A number that increases with each new link to the sender's page. */
    link_counter: integer().default(0),
    /** A number that increases with each activity in the thread. */
    activity_count: integer().default(0),
    /** The member who is responsible for the thread. */
    assignee_id: ref(users, "set null").null(),
    blocked_by: text("plain").null(),
    /** The number of the thread in its app. Null until somebody reads the threads of the app. */
    number: integer().null().since(119),
    /** The time at which the snooze ends. After that, this time counts as the last activity of the thread. */
    snoozed_until: instant().null().since(122),
    /** 1 if the last message to or from a sender is a reply of the team. */
    answered: flag().default(0).since(125),
    /** The thread into which this thread was merged. This row is hidden with the status `blocked`. */
    merged_into: text("plain").null().since(135),
    /** The entries of the metadata that were left out, as a JSON list. Null if there are none. */
    metadata_dropped: json("json").null().since(141),
  },
  {
    of: "app",
    erase:
      "A thread that has only reports of the person is deleted with its files. If other people have also reported, the texts of the person's report are deleted.",
    searched: { by: ["id"] },
    indexes: [
      index("feedback_by_app", "app_id, created_at, id"),
      index("feedback_by_status", "app_id, status, created_at, id"),
      index("feedback_by_category", "app_id, category, created_at, id"),
      index("feedback_to_index", "seq", { where: "indexed = 0", only: "sqlite" }),
      index("feedback_by_status_and_category", "app_id, status, category, created_at, id"),
      // Each report needs the newest thread with its `dedupe_key`. Without `created_at`, SQLite might read all
      // threads of the app.
      index("feedback_by_dedupe_key", "app_id, dedupe_key, created_at", { where: "dedupe_key IS NOT NULL" }),
      // A filter uses `status` and `category`. With `includes`, PostgreSQL counts from the index alone.
      index(
        "feedback_by_activity",
        "app_id, coalesce(active_at, created_at), id, status, category, waiting",
        { includes: "active_at, created_at" },
      ),
      // A filter by status reads this index once for each type. A filter by type reads it for each status.
      index(
        "feedback_by_state_and_activity",
        "app_id, status, category, coalesce(active_at, created_at), id",
      ),
      index("feedback_by_number", "app_id, number", {
        where: "number IS NOT NULL",
        since: 119,
      }),
      index("feedback_without_number", "app_id, seq", {
        where: "number IS NULL AND status <> 'blocked'",
        since: 119,
      }),
      index("feedback_blocked", "app_id, created_at", { where: "status = 'blocked'" }),
      index("feedback_merged", "merged_into", { where: "merged_into IS NOT NULL", since: 135 }),
      index("feedback_by_turn", "app_id, answered, coalesce(active_at, created_at), id, status, category", {
        where: "status IN ('open', 'in_progress')",
        since: 125,
      }),
      index("feedback_unassigned", "app_id, coalesce(active_at, created_at), id, status, category", {
        where: "assignee_id IS NULL AND status IN ('open', 'in_progress')",
        since: 125,
      }),
      index("feedback_snoozed", "snoozed_until, id", { where: "snoozed_until IS NOT NULL", since: 122 }),
      index("feedback_snoozed_by_age", "app_id, created_at, id, status, category", {
        where: "snoozed_until IS NOT NULL",
        since: 122,
      }),
      index("feedback_snoozed_by_activity", "app_id, coalesce(active_at, created_at), id, status, category", {
        where: "snoozed_until IS NOT NULL",
        since: 122,
      }),
      index(
        "feedback_by_assignee",
        "assignee_id, app_id, coalesce(active_at, created_at), id, status, category",
        { where: "assignee_id IS NOT NULL" },
      ),
      index("feedback_by_assignee_and_age", "assignee_id, app_id, created_at, id, status, category", {
        where: "assignee_id IS NOT NULL",
      }),
      index(
        "feedback_by_sender",
        withEach(loweredAddress, (lowered) => `(${lowered("sender_email")}), app_id, id`),
        { where: "sender_email IS NOT NULL", until: 139 },
      ),
      // With `created_at`, PostgreSQL reads a sender's newest threads in order. Without it, PostgreSQL might read all
      // threads of the app.
      index(
        "feedback_of_sender",
        withEach(loweredAddress, (lowered) => `(${lowered("sender_email")}), app_id, created_at, id`),
        { where: "sender_email IS NOT NULL", since: 139 },
      ),
      index("feedback_by_waiting", "app_id, waiting, created_at, id, status, category", {
        where: "waiting IS NOT NULL",
      }),
      index(
        "feedback_by_waiting_and_activity",
        "app_id, waiting, coalesce(active_at, created_at), id, status, category",
        { where: "waiting IS NOT NULL" },
      ),
    ],
  },
);

/** The last change of each thread. */
export const threadChanges = table(
  "thread_changes",
  {
    feedback_seq: integer(),
    app_id: text("plain"),
    /** On SQLite a number that increases in the order of commits. On PostgreSQL the id of the transaction. */
    number: other<number>({ sqlite: "INTEGER", postgres: "XID8" }),
  },
  {
    of: "deployment",
    erase: erased.withThread,
    notInBackup: "the numbers of changes belong to one database",
    made: {
      sqlite: `CREATE TABLE thread_changes (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        feedback_seq BIGINT NOT NULL UNIQUE REFERENCES feedback (seq) ON DELETE CASCADE, app_id TEXT NOT NULL)`,
      postgres: `CREATE TABLE thread_changes (
        feedback_seq BIGINT PRIMARY KEY REFERENCES feedback (seq) ON DELETE CASCADE, app_id TEXT NOT NULL,
        number XID8 NOT NULL)`,
    },
    indexes: [index("thread_changes_in_order", "number, feedback_seq", { only: "postgres" })],
  },
);

/**
 * The name of the current numbering in `thread_changes`. A restored database begins a new numbering with a new name.
 */
export const changeCounts = table(
  "change_counts",
  { name: text("plain") },
  {
    of: "deployment",
    erase: "Contains only a random name.",
    notInBackup: "the numbers of changes belong to one database",
  },
);

/** The messages of threads. A message with a `category` is a repeated report or a merged report. */
export const messages = table(
  "messages",
  {
    id: id(),
    feedback_id: ref(feedback, "cascade"),
    direction: text("plain"),
    body: text("text"),
    created_at: instant(),
    category: text("plain").null(),
    subject: text("text").null(),
    ...reportTextColumns,
    sender_name: text("name").null(),
    sender_email: text("address").null(),
    metadata: json("json").null(),
    files: json("json").null(),
    author: text("plain").default("sender"),
    /** The account that wrote the message. Null if a sender, an agent or an app key wrote it. */
    author_id: text("author").null(),
    /** The report of the sender who gets this reply or wrote this answer. */
    report_id: text("plain").null(),
    everyone: flag().default(0),
    link_counter: integer().default(0),
    /** The address from which an answer was sent, if it is not the address of the sender. */
    foreign_from: text("address").null(),
    blocked_by: text("plain").null(),
    /** The thread in which the message was written, if a merge has moved the message to another thread. */
    origin_id: text("plain").null().since(135),
    /**
     * The number of the first merge after this reply to everyone. Senders whom this merge adds cannot see this
     * reply.
     */
    before_merge: integer().null().since(135),
    metadata_dropped: json("json").null().since(141),
  },
  {
    of: "app",
    erase: "Reports and answers of the person, and the replies to them, are deleted with their files.",
    searched: { app: "(SELECT f.app_id FROM feedback f WHERE f.id = t.feedback_id)" },
    indexes: [
      index("messages_by_feedback", "feedback_id, created_at, id"),
      index("messages_blocked", "created_at", { where: "direction = 'blocked'" }),
      index(
        "messages_by_sender",
        withEach(loweredAddress, (lowered) => `(${lowered("sender_email")}), feedback_id, id`),
        { where: "sender_email IS NOT NULL" },
      ),
      index(
        "messages_by_foreign_sender",
        withEach(loweredAddress, (lowered) => `(${lowered("foreign_from")}), feedback_id, id`),
        { where: "foreign_from IS NOT NULL" },
      ),
    ],
  },
);

export const uploads = table(
  "uploads",
  {
    name: text("plain").primary(),
    app_id: ref(apps, "cascade"),
    feedback_id: ref(feedback, "cascade").null(),
    sha256: text("plain"),
    media_type: text("plain"),
    size: integer(),
    file_name: text("text").null(),
    created_at: instant(),
    proof_id: ref(proofs, "cascade").null(),
  },
  {
    of: "app",
    erase:
      "Deleted together with the report, the answer, the proof, the FAQ entry or the release note that has the file.",
    indexes: [
      index("uploads_by_sha256", "sha256"),
      index("uploads_by_feedback", "feedback_id"),
      index("uploads_by_proof", "proof_id", { where: "proof_id IS NOT NULL" }),
      index("uploads_by_app", "app_id, size"),
      // This index contains the pictures of FAQ entries and release notes.
      index("uploads_of_content", "name", { where: "feedback_id IS NULL AND proof_id IS NULL", since: 121 }),
    ],
  },
);

/** The test runs that reported a failure. `scope` is what a run covers, such as one CI job. */
export const failureRuns = table(
  "failure_runs",
  {
    feedback_id: ref(feedback, "cascade"),
    app_id: ref(apps, "cascade"),
    scope: text("key"),
    run: text("key"),
    reported_at: instant(),
    passed_at: instant().null(),
    /** The report's tests that still fail, as a JSON list. Each entry is the beginning of dedupe keys. */
    parts: text("key").null(),
  },
  {
    of: "app",
    erase: erased.texts,
    primary: ["feedback_id", "scope", "run"],
    indexes: [index("failing_scopes", "app_id, scope", { where: "passed_at IS NULL" })],
  },
);

/**
 * Proposals and their runs. Columns such as `decided_at` can be overwritten. The columns `approved_…` keep the
 * approval.
 */
export const runs = table(
  "runs",
  {
    id: id(),
    feedback_id: ref(feedback, "cascade"),
    status: text("plain"),
    summary: text("text"),
    plan: text("text"),
    decision_note: text("text").null(),
    decided_at: instant().null(),
    decided_by: text("author").null(),
    replaced_by: text("plain").null(),
    created_at: instant(),
    /** The decision on the proposal, such as `approve`. Null if there is no decision yet. */
    decision: text("plain").null(),
    /** The time until which an agent can claim the approved proposal. */
    expires_at: instant().null(),
    /** The time at which an agent first read the approval. */
    first_read_at: instant().null(),
    app_id: text("plain").null(),
    approved_by: text("author").null(),
    approved_at: instant().null(),
    approval_note: text("text").null(),
    /** The thread for which the proposal was made, if a merge has moved the proposal to another thread. */
    origin_id: text("plain").null().since(135),
  },
  {
    of: "app",
    erase: erased.texts,
    indexes: [
      index("runs_by_feedback", "feedback_id, created_at, id"),
      index(
        "runs_of_thread",
        "feedback_id, (CASE WHEN origin_id IS NULL THEN 1 ELSE 0 END), created_at, id",
        { since: 135 },
      ),
      index("one_awaiting_run", "feedback_id", { unique: true, where: "status = 'awaiting_approval'" }),
      index("runs_by_expiry", "expires_at", { where: "status = 'approved'" }),
      index("runs_by_app", "app_id, created_at, id"),
      index("runs_by_status", "app_id, status, created_at, id"),
      index("runs_sent_back", "decided_at, id", { where: "decision = 'request_changes'" }),
    ],
  },
);

/** Claims of approved runs. A claim belongs to the account of its token. */
export const runClaims = table(
  "run_claims",
  {
    id: id(),
    run_id: ref(runs, "cascade"),
    token_id: text("plain"),
    worker: text("text"),
    claimed_at: instant(),
    released_at: instant().null(),
    released_by: text("author").null(),
    progress_count: integer().default(0),
    progress_text: text("text").null(),
    progress_at: instant().null(),
    outcome_status: text("plain").null(),
    outcome_summary: text("text").null(),
    outcome_links: json("json").null(),
    outcome_at: instant().null(),
    user_id: text("author").null(),
    /** The claim that replaced this claim. */
    resumed_as: text("plain").null(),
    /** Members got a notice that the worker was silent since this time. Null if no notice was sent. */
    silence_told: instant().null().since(134),
  },
  {
    of: "app",
    erase: erased.texts,
    searched: { app: "(SELECT r.app_id FROM runs r WHERE r.id = t.run_id)" },
    indexes: [
      index("one_claim_of_run", "run_id", { unique: true, where: "released_at IS NULL" }),
      index("run_claims_at_work", "claimed_at, id", {
        where: "released_at IS NULL AND outcome_status IS NULL",
      }),
      index("run_claims_failed", "outcome_at, id", { where: "outcome_status = 'failed'" }),
      index("run_claims_by_run", "run_id"),
    ],
  },
);

export const runProgress = table(
  "run_progress",
  { id: id(), claim_id: ref(runClaims, "cascade"), text: text("text"), created_at: instant() },
  {
    of: "app",
    erase: erased.texts,
    searched: {
      app: "(SELECT r.app_id FROM run_claims c JOIN runs r ON r.id = c.run_id WHERE c.id = t.claim_id)",
    },
    indexes: [index("run_progress_by_claim", "claim_id, created_at, id")],
  },
);

export const tags = table(
  "tags",
  {
    id: id(),
    app_id: ref(apps, "cascade"),
    name: text("text"),
    name_key: text("text"),
    colour: text("plain").null(),
    created_at: instant(),
    /** How many threads have the tag. Triggers update this count, because the inbox shows the counts of all tags. */
    threads: integer().default(0),
  },
  {
    of: "app",
    erase: erased.texts,
    searched: { by: ["app_id", "name_key"] },
    unique: [["app_id", "name_key"]],
  },
);

/**
 * The tags of threads, with copies of columns of `feedback` for sorting and filtering. Triggers update the
 * copies.
 */
export const threadTags = table(
  "thread_tags",
  {
    feedback_id: ref(feedback, "cascade"),
    tag_id: ref(tags, "cascade"),
    created_at: instant(),
    active_at: instant(),
    status: text("plain"),
    assignee_id: text("account").null(),
  },
  {
    of: "app",
    erase: erased.withThread,
    primary: ["feedback_id", "tag_id"],
    indexes: [
      index("thread_tags_by_age", "tag_id, created_at, feedback_id, status"),
      index("thread_tags_by_activity", "tag_id, active_at, feedback_id, status"),
      index("thread_tags_by_assignee", "tag_id, assignee_id, active_at, feedback_id, status", {
        where: "assignee_id IS NOT NULL",
      }),
      index("thread_tags_by_assignee_and_age", "tag_id, assignee_id, created_at, feedback_id, status", {
        where: "assignee_id IS NOT NULL",
      }),
    ],
  },
);

/**
 * Which threads a member has seen or marked as unread. All activity before `app_members.read_until` counts as seen,
 * too.
 */
export const threadLooks = table(
  "thread_looks",
  {
    app_id: text("plain"),
    user_id: text("account"),
    feedback_id: ref(feedback, "cascade"),
    /**
     * How many activities the member has seen. -1 marks the thread as unread, -2 a `blocked` thread as unread.
     */
    seen_count: integer(),
    looked_at: instant().null(),
    /** The time of the last view before the member's newest visit to the thread. A visit has several views. */
    since_at: instant().null(),
    active_at: instant().default(""),
  },
  {
    of: "app",
    erase: "Deleted together with the membership, the account or the thread.",
    primary: ["app_id", "user_id", "feedback_id"],
    foreign: { columns: ["app_id", "user_id"], of: appMembers },
    indexes: [
      index("thread_looks_by_thread", "feedback_id"),
      index("thread_looks_current", "app_id, user_id, active_at", { where: "seen_count >= 0" }),
      index("thread_looks_marked", "app_id, user_id, active_at", { where: "seen_count = -1" }),
    ],
  },
);

/** The members who are writing an answer now. A person can write in only one thread at a time. (rule F36) */
export const answeringMembers = table(
  "answering_members",
  {
    user_id: text("account").primary(),
    app_id: text("plain"),
    feedback_id: ref(feedback, "cascade"),
    noted_at: instant(),
  },
  {
    of: "app",
    erase: "Deleted after ten minutes, or together with the membership, the account or the thread.",
    notInBackup: "people who were typing an answer at the time of the backup are no longer typing",
    foreign: { columns: ["app_id", "user_id"], of: appMembers },
    indexes: [index("answering_members_by_thread", "feedback_id")],
  },
);

export const savedReplies = table(
  "saved_replies",
  {
    id: id(),
    app_id: ref(apps, "cascade"),
    title: text("text"),
    body: text("text"),
    updated_by: text("author").null(),
    created_at: instant(),
    updated_at: instant(),
  },
  {
    of: "app",
    erase: erased.texts,
    indexes: [index("saved_replies_by_app", "app_id, title")],
  },
);

/** Changes of many threads at once that can still be undone. */
export const bulkChanges = table(
  "bulk_changes",
  {
    id: id(),
    app_id: text("plain"),
    user_id: text("account"),
    /** The role of the member who made the change. */
    role: text("plain"),
    created_at: instant(),
    /** A text that identifies the request and its repeats. Null if the request has no Idempotency-Key. */
    request: text("plain").null().since(131),
    /** The fingerprint of the request. */
    content: text("plain").null().since(131),
    /**
     * The answer to the request. While the change is running, the answer covers only the threads that are
     * already changed.
     */
    tally: json("plain").null().since(131),
    /** The end of the change. Null while some of the threads must still be changed. */
    ended_at: instant().null().since(131),
    /** A text that identifies the request which undoes the change. */
    undo_request: text("plain").null().since(131),
    undo_tally: json("plain").null().since(131),
  },
  {
    of: "app",
    erase:
      "Deleted by the first bulk change that is made more than ten minutes later, or together with the membership or the account.",
    since: 128,
    notInBackup: "a change can be undone for only ten minutes",
    foreign: { columns: ["app_id", "user_id"], of: appMembers },
    indexes: [
      index("bulk_changes_by_time", "created_at"),
      index("bulk_changes_by_request", "request", { unique: true, where: "request IS NOT NULL", since: 131 }),
    ],
  },
);

/** The parts of bulk changes that must still be done. */
export const bulkParts = table(
  "bulk_parts",
  {
    change_id: ref(bulkChanges, "cascade"),
    part: integer(),
    /** The ids of the threads that this part of the bulk change covers, as JSON. */
    threads: json("plain"),
  },
  {
    of: "app",
    erase: "Contains only ids of threads. Deleted together with the change.",
    since: 131,
    notInBackup: "a change can be undone for only ten minutes",
    primary: ["change_id", "part"],
  },
);

/** The threads of a bulk change, with their states before the change and just after it. */
export const bulkThreads = table(
  "bulk_threads",
  {
    change_id: ref(bulkChanges, "cascade"),
    feedback_id: ref(feedback, "cascade"),
    before: json("plain"),
    after: json("plain"),
  },
  {
    of: "app",
    erase: erased.withThread,
    since: 128,
    notInBackup: "a change can be undone for only ten minutes",
    primary: ["change_id", "feedback_id"],
    indexes: [index("bulk_threads_by_thread", "feedback_id")],
  },
);

/** Views: saved filters of the list of threads. A view without `user_id` is shared with all members of the app. */
export const savedViews = table(
  "saved_views",
  {
    id: id(),
    app_id: ref(apps, "cascade"),
    user_id: text("account").null(),
    name: text("text"),
    query: json("json"),
    created_at: instant(),
    updated_at: instant(),
  },
  {
    of: "app",
    erase: erased.texts,
    since: 125,
    foreign: { columns: ["app_id", "user_id"], of: appMembers },
    indexes: [index("saved_views_by_app", "app_id, name")],
  },
);

/** The blocked senders of apps. Their threads and messages are hidden, and `blocked_by` refers to the block. */
export const blockedSenders = table(
  "blocked_senders",
  {
    id: id(),
    app_id: ref(apps, "cascade"),
    kind: text("plain"),
    sender: text("text"),
    created_by: text("author").null(),
    created_at: instant(),
  },
  {
    of: "app",
    erase: "The block of the person is deleted, so that the address is no longer stored.",
    unique: [["app_id", "sender", "kind"]],
  },
);

/** The threads that are merged into others, with the values that an unmerge restores. (rule F46) */
export const threadMerges = table(
  "thread_merges",
  {
    feedback_id: ref(feedback, "cascade").primary(),
    app_id: ref(apps, "cascade"),
    /**
     * The thread that a member chose for this merge. After further merges, `feedback.merged_into` has the last
     * thread.
     */
    into_id: text("plain"),
    /**
     * A number that increases with each merge. It shows the order of merges and replies, independent of clocks.
     */
    number: integer(),
    /** The status before the merge. */
    status: text("plain"),
    /** The ids of the tags before the merge, as a JSON list. */
    tags: json("plain"),
    merged_at: instant(),
    merged_by: text("author").null(),
    /** 1 if data of a person was erased in the thread after the merge. */
    erased: flag().default(0),
    /** The values of the thread `into_id` before and after the merge, as JSON; null without a change. */
    reopened: json("plain").null().since(142),
  },
  {
    of: "app",
    erase: "Contains no texts. The merge can no longer be undone.",
    since: 135,
    indexes: [index("thread_merges_by_app", "app_id")],
  },
);

/** Events in an app that are sent to receivers outside of this server. */
export const events = table(
  "events",
  {
    id: id(),
    app_id: ref(apps, "cascade"),
    type: text("plain"),
    subject_id: text("plain"),
    facts: json("plain"),
    created_at: instant(),
    /** The position in the order of commits: a counter on SQLite, the id of the transaction on PostgreSQL. */
    number: other<number>({ sqlite: "BIGINT", postgres: "XID8" }).null().since(124),
  },
  {
    of: "app",
    erase: "Contains only ids and states.",
    indexes: [
      index("events_by_app", "app_id, created_at, id"),
      index("events_by_time", "created_at"),
      index("events_in_order", "app_id, number, id", { since: 124 }),
      index("events_by_number", "number", { only: "sqlite", since: 124 }),
    ],
  },
);

export const outbox = table(
  "outbox",
  {
    id: id(),
    app_id: ref(apps, "cascade"),
    kind: text("plain"),
    subject_id: text("plain"),
    target: text("sealed"),
    payload: json("json"),
    status: text("plain"),
    attempts: integer(),
    due_at: instant(),
    last_error: text("text").null(),
    created_at: instant(),
    sent_at: instant().null(),
  },
  {
    of: "app",
    erase: erased.texts,
    indexes: [index("outbox_due", "status, due_at"), index("outbox_by_subject", "subject_id")],
  },
);

/** The tables of threads with their messages, files, proposals and tags. */
export const feedbackSchema: readonly (Statement | AnyTable)[] = [
  ...[feedback, threadChanges, changeCounts],
  {
    sqlite: `INSERT INTO change_counts (name) VALUES (lower(hex(randomblob(6))))`,
    postgres: `INSERT INTO change_counts (name) VALUES (left(md5(CAST(random() AS text)), 12))`,
  },
  ...[messages, uploads, failureRuns, runs, runClaims, runProgress, tags, threadTags, threadLooks],
  ...[
    answeringMembers,
    savedReplies,
    savedViews,
    bulkChanges,
    bulkThreads,
    bulkParts,
    blockedSenders,
    threadMerges,
    events,
    outbox,
  ],
];
