import { authors, directions } from "../../../src/contract/agent.ts";
import { dedupeParts, FeedbackType } from "../../../src/contract/feedback.ts";
import { anyObject, webUrl } from "../../../src/contract/fields.ts";
import { threadStatuses } from "../../../src/contract/find-work.ts";
import { documentTypes, imageTypes, limits, videoTypes } from "../../../src/contract/limits.ts";
import { outcomeStatuses, runDecisions, runStatuses, runWork } from "../../../src/contract/runs.ts";
import { TagName, tagColours } from "../../../src/contract/tags.ts";
import * as tables from "../../database/schema/feedback.ts";
import { tagKeyOf } from "../../feedback/tags/rules.ts";
import {
  accepted,
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
  upload,
  whole,
} from "../fields.ts";
import { recordOf } from "./record.ts";

/** A text of at most `most` characters. A character has at most two UTF-16 units. */
const characters = (most: number) => text(2 * most);

const metadata = json(anyObject, "an object", 4 * limits.metadataBytes);

/** The columns that a thread and a repeat on it have in common. */
const report = {
  source: orNull(characters(limits.source)),
  sender_name: orNull(characters(limits.senderName)),
  sender_email: orNull(characters(limits.email)),
};

/** The columns of an upload. Its bytes are not part of the records. */
const file = {
  name: upload,
  sha256: matching(/^[\da-f]{64}$/, "a SHA-256 in hex"),
  media_type: oneOf(...imageTypes, ...videoTypes, ...documentTypes),
  size: whole(1, 100 * 1_048_576),
  file_name: orNull(characters(limits.fileName)),
  created_at: instant,
};

/** Files of reports. */
const threadUploads = recordOf(tables.uploads, {
  type: "upload",
  parent: "feedback_id",
  order: ["created_at", "name"],
  columns: file,
  // The originals of mails are not exported, because they are encrypted with the secret of this server.
  where: "media_type <> 'message/rfc822'",
  app: ["app_id"],
  left: { proof_id: "of the pictures of proofs" },
});

/** Pictures of proofs. */
export const proofUploads = recordOf(tables.uploads, {
  type: "proofImage",
  parent: "proof_id",
  order: ["created_at", "name"],
  columns: file,
  app: ["app_id"],
  left: { feedback_id: "of the files of reports" },
});

const progress = recordOf(tables.runProgress, {
  type: "progress",
  parent: "claim_id",
  order: ["created_at", "id"],
  columns: { id, text: characters(limits.progress), created_at: instant },
});

const claims = recordOf(tables.runClaims, {
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
  left: { user_id: "no imported claim is at work" },
  below: [progress],
});

/**
 * The proposals of a thread. An import ends approvals that were not carried out: see `settle` in the store. (rule X6)
 */
const runs = recordOf(tables.runs, {
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
  },
  app: ["app_id"],
  people: ["decided_by", "approved_by"],
  left: { expires_at: "no imported approval is open" },
  below: [claims],
});

const messages = recordOf(tables.messages, {
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
  },
  people: ["author_id"],
  where: "direction <> 'blocked'",
  left: {
    link_counter: "links of senders end: they name the old server's ids",
    blocked_by: "hidden feedback stays where it is",
  },
});

const failures = recordOf(tables.failureRuns, {
  type: "failure",
  parent: "feedback_id",
  order: ["scope", "run"],
  columns: {
    scope: characters(limits.dedupeScope),
    run: characters(limits.dedupeRun),
    reported_at: instant,
    passed_at: orNull(instant),
    parts: orNull(
      json(dedupeParts, "a list of beginnings of keys", 8 * limits.dedupeParts * limits.dedupeKey),
    ),
  },
  app: ["app_id"],
});

/** The tags of a thread. */
const threadTags = recordOf(tables.threadTags, {
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

/** The threads of an app with everything in them. */
export const threads = recordOf(tables.feedback, {
  type: "thread",
  parent: "app_id",
  order: ["created_at", "id"],
  columns: {
    id,
    subject: characters(limits.subject),
    message: characters(limits.message),
    category: accepted(FeedbackType, "a type of feedback"),
    status: oneOf(...threadStatuses),
    ...report,
    metadata,
    files: reportFiles,
    dedupe_key: orNull(characters(limits.dedupeKey)),
    occurrences: whole(1, 1e12),
    github_issue_url: orNull(accepted(webUrl(limits.url), "an address of the web")),
    active_at: orNull(instant),
    created_at: instant,
    number: newer(orNull(whole(1, 1e9)), null),
  },
  fixed: { indexed: () => 0 },
  where: "status <> 'blocked'",
  left: {
    assignee_id: "a member of the old server",
    blocked_by: "hidden feedback stays where it is",
    activity_count: "counts what members have not read",
    seq: "the place in the order of arrival in one database",
    proposal_status: "follows from the proposals",
    waiting: "follows from the proposals",
    link_counter: "links of senders end: they name the old server's ids",
  },
  below: [messages, failures, runs, threadUploads, threadTags],
});

/**
 * The name of a tag. An import refuses a name that the console does not accept, because such a name could look like
 * another one or be invisible.
 */
const tagName = accepted(
  { safeParse: (name) => ({ success: TagName.safeParse(name).data === name }) },
  "the name of a tag, without commas and invisible characters",
);

/** The tags of an app. Threads refer to them. */
export const tags = recordOf(tables.tags, {
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
  left: { name_key: "made of the name", threads: "counted as the threads get their tags" },
});

export const savedReplies = recordOf(tables.savedReplies, {
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

export const blockedSenders = recordOf(tables.blockedSenders, {
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
