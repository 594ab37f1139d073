import * as z from "zod/mini";
import { authors, directions } from "../../../src/contract/agent.ts";
import { dedupeParts, FeedbackType } from "../../../src/contract/feedback.ts";
import { anyObject, uuid, webUrl } from "../../../src/contract/fields.ts";
import { threadStatuses } from "../../../src/contract/find-work.ts";
import { limits } from "../../../src/contract/limits.ts";
import { outcomeStatuses, runDecisions, runStatuses, runWork } from "../../../src/contract/runs.ts";
import { TagName, tagColours } from "../../../src/contract/tags.ts";
import { DroppedMetadata } from "../../../src/contract/threads.ts";
import { ViewQuery } from "../../../src/contract/views.ts";
import * as feedback from "../../database/schema/feedback.ts";
import * as statistics from "../../database/schema/statistics.ts";
import { tagKeyOf } from "../../feedback/tags/rules.ts";
import {
  accepted,
  type Field,
  flag,
  id,
  instant,
  json,
  matching,
  newer,
  oneOf,
  orNull,
  reportFiles,
  text,
  uploadColumns,
  whole,
} from "../fields.ts";
import { recordOf } from "./record.ts";

/** Returns a field for text of at most `most` characters. A character has at most two UTF-16 units. */
const characters = (most: number) => text(2 * most);

const metadata = json(anyObject, "an object", 4 * limits.metadataBytes);

const droppedEntries = json(z.array(DroppedMetadata), "a list of dropped entries", 20_000);

/** The columns that a thread and a repeated report have in common. */
const report = {
  source: orNull(characters(limits.source)),
  sender_name: orNull(characters(limits.senderName)),
  sender_email: orNull(characters(limits.email)),
};

/** The files of reports. */
const threadUploads = recordOf(feedback.uploads, {
  type: "upload",
  parent: "feedback_id",
  order: ["created_at", "name"],
  columns: uploadColumns,
  // The originals of mails are not exported, because they are encrypted with the secret of this server.
  where: "media_type <> 'message/rfc822'",
  app: ["app_id"],
  left: { proof_id: "only pictures of proofs have it" },
});

const progress = recordOf(feedback.runProgress, {
  type: "progress",
  parent: "claim_id",
  order: ["created_at", "id"],
  columns: { id, text: characters(limits.progress), created_at: instant },
});

const claims = recordOf(feedback.runClaims, {
  type: "claim",
  parent: "run_id",
  order: ["claimed_at", "id"],
  columns: {
    id,
    token_id: id,
    worker: characters(limits.worker),
    claimed_at: instant,
    released_at: orNull(instant),
    released_by: orNull(id),
    resumed_as: orNull(id),
    progress_count: whole(0, 1_000_000),
    progress_text: orNull(characters(limits.progress)),
    progress_at: orNull(instant),
    outcome_status: orNull(oneOf(...outcomeStatuses)),
    outcome_summary: orNull(characters(limits.outcome)),
    outcome_links: orNull(json(runWork.reportOutcome.body.shape.links, "a list of addresses")),
    outcome_at: orNull(instant),
  },
  people: ["released_by"],
  left: {
    user_id: "no worker carries out an imported claim",
    silence_told: "no worker carries out an imported claim",
  },
  below: [progress],
});

/**
 * The proposals of a thread. An import calls `settle`, which ends approvals that were not carried out.
 * (rule X6)
 */
const runs = recordOf(feedback.runs, {
  type: "run",
  parent: "feedback_id",
  order: ["created_at", "id"],
  columns: {
    id,
    status: oneOf(...runStatuses),
    summary: characters(limits.summary),
    plan: characters(limits.plan),
    decision: orNull(oneOf(...runDecisions)),
    decision_note: orNull(characters(2 * limits.decisionNote)),
    decided_at: orNull(instant),
    decided_by: orNull(id),
    approved_by: orNull(id),
    approved_at: orNull(instant),
    approval_note: orNull(characters(2 * limits.decisionNote)),
    first_read_at: orNull(instant),
    replaced_by: orNull(id),
    created_at: instant,
    origin_id: newer(orNull(id), null),
  },
  app: ["app_id"],
  people: ["decided_by", "approved_by"],
  left: { expires_at: "no imported approval is open" },
  below: [claims],
});

const messages = recordOf(feedback.messages, {
  type: "message",
  parent: "feedback_id",
  order: ["created_at", "id"],
  columns: {
    id,
    direction: oneOf(...directions),
    author: oneOf(...authors),
    author_id: orNull(id),
    body: text(100_000),
    created_at: instant,
    report_id: orNull(id),
    everyone: flag,
    foreign_from: orNull(characters(limits.email)),
    category: orNull(characters(100)),
    subject: orNull(characters(limits.subject)),
    ...report,
    metadata: orNull(metadata),
    files: orNull(reportFiles),
    origin_id: newer(orNull(id), null),
    before_merge: newer(orNull(whole(1, 1e9)), null),
    metadata_dropped: newer(orNull(droppedEntries), null),
  },
  people: ["author_id"],
  disagreement: ({ category, direction, metadata, files }) =>
    category === null || (direction === "inbound" && metadata !== null && files !== null)
      ? undefined
      : "must be `inbound` and have `metadata` and `files` if it has a `category`",
  where: "direction <> 'blocked'",
  left: {
    link_counter: "links of senders stop working, because they contain ids of the old server",
    blocked_by: "hidden feedback is not exported",
  },
});

const failures = recordOf(feedback.failureRuns, {
  type: "failure",
  parent: "feedback_id",
  order: ["scope", "run"],
  columns: {
    scope: characters(limits.dedupeScope),
    run: characters(limits.dedupeRun),
    reported_at: instant,
    passed_at: orNull(instant),
    parts: orNull(
      json(
        dedupeParts,
        "a list of dedupe keys or their beginnings",
        8 * limits.dedupeParts * limits.dedupeKey,
      ),
    ),
  },
  app: ["app_id"],
});

const listOfIds = json(z.array(uuid).check(z.maxLength(limits.threadTags)), "a list of ids");

/** The merge of a thread that has the status `merged`. */
const threadMerge = recordOf(feedback.threadMerges, {
  type: "merge",
  parent: "feedback_id",
  order: [],
  columns: {
    into_id: id,
    number: whole(1, 1e9),
    status: oneOf(...threadStatuses),
    tags: {
      ...listOfIds,
      stored: (value, { idOf }) =>
        JSON.stringify(Array.isArray(value) ? value.map((one) => idOf(String(one))) : []),
    },
    merged_at: instant,
    merged_by: orNull(id),
    erased: flag,
  },
  app: ["app_id"],
  people: ["merged_by"],
  left: { reopened: "the new server cannot find out what has happened in the thread since the merge" },
});

const merged = "merged";

/** The status of a thread. The database stores a merged thread as `blocked`, like the reports of blocked senders. */
const threadStatus: Field = {
  ...oneOf(...threadStatuses, merged),
  stored: (value) => (value === merged ? "blocked" : String(value)),
};

/** The tags of a thread. */
const threadTags = recordOf(feedback.threadTags, {
  type: "threadTag",
  parent: "feedback_id",
  order: ["tag_id"],
  columns: {
    tag_id: id,
    created_at: instant,
    active_at: instant,
    status: oneOf("open", "in_progress", "resolved", "archived"),
  },
  left: { assignee_id: "a member of the old server" },
});

/** When a thread got its first reply, and when it was resolved. */
const times = recordOf(statistics.threadTimes, {
  type: "threadTimes",
  parent: "feedback_id",
  order: [],
  columns: { first_reply_at: orNull(instant), resolved_at: orNull(instant) },
});

/** A time as the number of quarter-hours or days since 1970. */
const sinceEpoch = whole(0, 1e9);

const count = whole(-1e12, 1e12);

const span = whole(1, statistics.quartersOfDay);

/** The numbers of repeated reports of a thread in each period. */
const repeats = recordOf(statistics.repeatCounts, {
  type: "repeatCount",
  parent: "feedback_id",
  order: ["span", "at"],
  columns: { span, at: sinceEpoch, count },
  app: ["app_id"],
});

/** The threads of an app and everything in them. */
const threads = recordOf(feedback.feedback, {
  type: "thread",
  parent: "app_id",
  order: ["created_at", "id"],
  columns: {
    id,
    subject: characters(limits.subject),
    message: characters(limits.message),
    category: accepted(FeedbackType, "a type of feedback"),
    status: threadStatus,
    ...report,
    metadata,
    files: reportFiles,
    dedupe_key: orNull(characters(limits.dedupeKey)),
    occurrences: whole(1, 1e12),
    github_issue_url: orNull(accepted(webUrl(limits.url), "a web address")),
    active_at: orNull(instant),
    created_at: instant,
    number: newer(orNull(whole(1, 1e9)), null),
    snoozed_until: newer(orNull(instant), null),
    answered: newer(flag, 0),
    merged_into: newer(orNull(id), null),
    metadata_dropped: newer(orNull(droppedEntries), null),
  },
  read: {
    status: {
      sql: `CASE WHEN merged_into IS NULL THEN status ELSE '${merged}' END`,
      name: "status",
    },
  },
  disagreement: ({ status, mergedInto = null }) =>
    (status === merged) === (mergedInto !== null) ? undefined : `must have \`mergedInto\` if it is ${merged}`,
  fixed: { indexed: () => 1 },
  where: "(status <> 'blocked' OR merged_into IS NOT NULL)",
  left: {
    assignee_id: "a member of the old server",
    blocked_by: "hidden feedback is not exported",
    activity_count: "it counts what members have not read",
    seq: "the position in the order of arrival in one database",
    proposal_status: "follows from the proposals",
    waiting: "follows from the proposals",
    link_counter: "links of senders stop working, because they contain ids of the old server",
  },
  below: [messages, failures, runs, threadUploads, threadTags, times, repeats, threadMerge],
});

/** The name of a tag. An import refuses names that the console would refuse or change. */
const tagName = accepted(
  { safeParse: (name) => ({ success: TagName.safeParse(name).data === name }) },
  "the name of a tag, without commas and invisible characters",
);

/** The tags of an app. In the file they come before the threads that have them. */
const tags = recordOf(feedback.tags, {
  type: "tag",
  parent: "app_id",
  order: ["id"],
  columns: {
    id,
    name: tagName,
    colour: orNull(oneOf(...tagColours)),
    created_at: instant,
  },
  adjusted: (row) => ({ ...row, name_key: tagKeyOf(String(row.name)) }),
  left: { name_key: "an import creates it from the name", threads: "an import counts the threads" },
});

const savedReplies = recordOf(feedback.savedReplies, {
  type: "savedReply",
  parent: "app_id",
  order: ["id"],
  columns: {
    id,
    title: text(2 * limits.savedReplyTitle),
    body: text(2 * limits.message),
    updated_by: orNull(id),
    created_at: instant,
    updated_at: instant,
  },
  people: ["updated_by"],
});

const savedViews = recordOf(feedback.savedViews, {
  type: "view",
  parent: "app_id",
  order: ["id"],
  where: "user_id IS NULL",
  columns: {
    id,
    name: text(2 * limits.viewName),
    query: json(ViewQuery, "filters of a list", 20_000),
    created_at: instant,
    updated_at: instant,
  },
  left: { user_id: "only shared views are exported" },
});

const blockedSenders = recordOf(feedback.blockedSenders, {
  type: "blockedSender",
  parent: "app_id",
  order: ["id"],
  columns: {
    id,
    kind: oneOf("address", "domain"),
    sender: text(2 * limits.email),
    created_by: orNull(id),
    created_at: instant,
  },
  people: ["created_by"],
});

/** The counts for the statistics of an app. The counts also include threads that were deleted. (rule F60) */
const counts = [
  recordOf(statistics.reportCounts, {
    type: "reportCount",
    parent: "app_id",
    order: ["quarter", "slot"],
    columns: {
      quarter: sinceEpoch,
      slot: sinceEpoch,
      ...{ bug: count, feature: count, question: count, general: count },
      ...{ repeats: count, resolved: count, replies: count },
    },
  }),
  recordOf(statistics.measureCounts, {
    type: "measureCount",
    parent: "app_id",
    order: ["span", "at", "measure", "slot"],
    columns: {
      span,
      at: sinceEpoch,
      measure: matching(
        /^(?:(?:reply|decision):\d{1,2}|agents:[a-z]{1,20}|version:(?:bug|other):[\d.]{1,20})$/,
        "the name of a measure",
      ),
      slot: sinceEpoch,
      count,
    },
  }),
];

/** The records of the feedback of an app, in the order of the file. */
export const feedbackRecords = [...[tags, savedReplies, savedViews, blockedSenders, threads], ...counts];
