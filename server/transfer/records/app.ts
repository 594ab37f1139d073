import * as z from "zod/mini";
import { authors, directions } from "../../../src/contract/agent.ts";
import { NewApp } from "../../../src/contract/apps.ts";
import { AuditChange } from "../../../src/contract/audit.ts";
import {
  BodyFormat,
  EditedChangelogEntry,
  NewChangelogEntry,
  ReleaseType,
} from "../../../src/contract/changelog.ts";
import { dedupeParts, FeedbackType } from "../../../src/contract/feedback.ts";
import { feedbackIdsIn } from "../../../src/contract/feedback-lines.ts";
import { anyObject, uuid, webUrl } from "../../../src/contract/fields.ts";
import { threadStatuses } from "../../../src/contract/find-work.ts";
import { canonicalLanguage } from "../../../src/contract/language-tags.ts";
import { imageTypes, limits } from "../../../src/contract/limits.ts";
import { outcomeStatuses, runDecisions, runStatuses, runWork } from "../../../src/contract/runs.ts";
import { TagName, tagColours } from "../../../src/contract/tags.ts";
import { DroppedMetadata } from "../../../src/contract/threads.ts";
import { ViewQuery } from "../../../src/contract/views.ts";
import * as access from "../../database/schema/access.ts";
import * as content from "../../database/schema/content.ts";
import * as deployment from "../../database/schema/deployment.ts";
import * as feedback from "../../database/schema/feedback.ts";
import * as mail from "../../database/schema/mail.ts";
import * as statistics from "../../database/schema/statistics.ts";
import type { TableName } from "../../database/schema/tables.ts";
import { tagKeyOf } from "../../feedback/tags/rules.ts";
import {
  accepted,
  actor,
  type Field,
  flag,
  id,
  instant,
  json,
  matching,
  newer,
  oneOf,
  orNull,
  picture,
  reportFiles,
  showing,
  text,
  textWithIds,
  uploadColumns,
  whole,
} from "../fields.ts";
import { type RecordKind, recordOf, withBelow } from "./record.ts";
import { listings } from "./testing.ts";

/** The settings of the app: the first record of a file. */
const appRecord = recordOf(access.apps, {
  type: "app",
  parent: "id",
  order: [],
  columns: {
    name: accepted(NewApp.shape.name, "the name of an app"),
    feedback_enabled: flag,
    changelog_enabled: flag,
    sender_pages: flag,
    github_repository: orNull(accepted(NewApp.shape.githubRepository, "of the form owner/name")),
    approval_hours: orNull(whole(1, limits.approvalHours)),
    updated_by: orNull(id),
    updated_at: orNull(instant),
    created_at: instant,
    last_thread_number: newer(whole(0, 1e9), 0),
  },
  fixed: { owner_id: ({ ownerId }) => ownerId },
  people: ["updated_by"],
  left: {
    chat_webhook_url: "a secret",
    chat_format: "of the chat, whose address is a secret",
    faqs_version: "counts changes in one database",
    changelog_version: "counts changes in one database",
    retention_days: "an import deletes no threads: the new owner decides how long they are kept",
    events_read_at: "says who reads the events of one server",
    start_put_away_at: "an imported app is new on its server",
  },
});

/** Pictures of the FAQ and of release notes. They come before the texts that show them. */
const pictureUploads = recordOf(feedback.uploads, {
  type: "picture",
  parent: "app_id",
  order: ["created_at", "name"],
  columns: { ...uploadColumns, name: picture, media_type: oneOf(...imageTypes) },
  where: "feedback_id IS NULL AND proof_id IS NULL AND media_type <> 'message/rfc822'",
  left: { feedback_id: "of the files of reports", proof_id: "of the pictures of proofs" },
});

const FaqText = z.object({ question: z.string(), answer: z.string() });

/** Texts by language. Each language is a canonical tag. */
const byLanguage = <Text extends z.ZodMiniType>(text: Text) =>
  z.record(z.string(), text).check(
    z.refine((texts) => Object.keys(texts).every((tag) => canonicalLanguage(tag) === tag)),
    z.refine((texts) => Object.keys(texts).length <= limits.languages),
  );

/** The stored data of a translation besides its text. */
const aboutTranslation = {
  base: z.string().check(z.maxLength(64)),
  at: z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)),
  pushedHash: z.optional(z.string().check(z.maxLength(200))),
};

const faqText = showing(
  json(
    z.extend(FaqText, { translations: z.optional(byLanguage(z.nullable(FaqText))) }),
    "a question and an answer",
    12 * limits.answer + limits.translations,
  ),
);

const faqTranslations = showing(
  json(byLanguage(z.extend(FaqText, aboutTranslation)), "translations by language", limits.translations),
);

/** The columns of an earlier published text. */
const version = { id, at: instant, written_by: orNull(id) };

const faqVersions = recordOf(content.contentVersions, {
  type: "faqVersion",
  parent: "faq_id",
  order: ["id"],
  columns: { ...version, content: faqText },
  app: ["app_id"],
  people: ["written_by"],
  left: { entry_id: "of release notes" },
});

const faqs = recordOf(content.faqs, {
  type: "faq",
  parent: "app_id",
  order: ["created_at", "id"],
  columns: {
    id,
    question: text(2 * limits.question),
    answer: showing(text(2 * limits.answer)),
    sort_order: whole(limits.sortOrder.min, limits.sortOrder.max),
    created_at: instant,
    updated_at: instant,
    pushed_hash: orNull(text(200)),
    pushed_sort_order: orNull(whole(limits.sortOrder.min, limits.sortOrder.max)),
    updated_by: orNull(id),
    unpublished: newer(flag, 0),
    draft: newer(orNull(faqText), null),
    draft_base: newer(orNull(faqText), null),
    draft_at: newer(orNull(instant), null),
    draft_by: newer(orNull(id), null),
    translations: newer(orNull(faqTranslations), null),
  },
  people: ["updated_by", "draft_by"],
  below: [faqVersions],
});

const namedThreads = recordOf(content.changelogFeedback, {
  type: "namedThread",
  parent: "entry_id",
  order: ["feedback_id"],
  columns: { feedback_id: id },
});

/** A field of a release note. An import replaces the ids of threads in it. (rule C17) */
const naming = (field: Field): Field => ({
  ...field,
  stored(value, place) {
    const stored = String(field.stored(value, place));
    return feedbackIdsIn(linesIn(stored)).reduce(
      (text, old) => text.replaceAll(old, place.idOf(old)),
      stored,
    );
  },
});

/** Returns the JSON with each text on a separate line, and with line feeds in place of escaped ones. */
const linesIn = (stored: string): string => stored.replaceAll(/\\n|(?<!\\)"/g, "\n");

const ReleaseText = z.pick(NewChangelogEntry, {
  ...{ title: true, version: true, versions: true, releaseType: true },
  ...{ bodyFormat: true, body: true, items: true },
});

const TranslatedRelease = z.object({
  ...{
    title: z.string(),
    body: z.string(),
    items: z.array(z.object({ type: z.string(), text: z.string() })),
  },
});

const mostOfRelease = 4_000_000;

const releaseText = showing(
  naming(
    json(
      z.extend(ReleaseText, { translations: z.optional(byLanguage(z.nullable(TranslatedRelease))) }),
      "the text of a release note",
      mostOfRelease,
    ),
  ),
);

const releaseTranslations = showing(
  naming(
    json(
      byLanguage(z.extend(TranslatedRelease, aboutTranslation)),
      "translations by language",
      limits.translations,
    ),
  ),
);

const releaseVersions = recordOf(content.contentVersions, {
  type: "releaseVersion",
  parent: "entry_id",
  order: ["id"],
  columns: { ...version, content: releaseText },
  app: ["app_id"],
  people: ["written_by"],
  left: { faq_id: "of entries of the FAQ" },
});

const releaseNotes = recordOf(content.changelogEntries, {
  type: "releaseNote",
  parent: "app_id",
  order: ["created_at", "id"],
  columns: {
    id,
    title: text(2 * limits.changelogTitle),
    version: text(2 * limits.version),
    versions: json(NewChangelogEntry.shape.versions, "a list of platforms with their versions"),
    release_type: accepted(ReleaseType, "major, minor or patch"),
    body_format: accepted(BodyFormat, "markdown or items"),
    body: showing(naming(text(2 * limits.changelogBody))),
    items: showing(naming(json(NewChangelogEntry.shape.items, "a list of items with type and text"))),
    published_at: orNull(instant),
    created_at: instant,
    updated_at: instant,
    edited_fields: json(EditedChangelogEntry.shape.editedFields, "a list of fields"),
    updated_by: orNull(id),
    draft: newer(orNull(releaseText), null),
    draft_base: newer(orNull(releaseText), null),
    draft_at: newer(orNull(instant), null),
    draft_by: newer(orNull(id), null),
    translations: newer(orNull(releaseTranslations), null),
  },
  // `told_at` is set, so that the new server sends no mails about release notes: the old server has sent them.
  adjusted: (row, now) => ({ ...row, told_at: row.published_at === null ? null : now }),
  people: ["updated_by", "draft_by"],
  left: { told_at: "says which mails one server has sent" },
  below: [namedThreads, releaseVersions],
});

const audit = recordOf(access.audit, {
  type: "audit",
  parent: "app_id",
  parentSql: "coalesce(app_id, owner_id)",
  order: ["at", "id"],
  columns: {
    id,
    at: instant,
    actor,
    action: matching(/^[a-z_]{1,50}\.[a-z_]{1,50}$/, "an action such as app.create"),
    target: orNull(textWithIds(1_000)),
    address: orNull(text(200)),
    label: orNull(text(1_000)),
    changes: orNull(json(z.array(AuditChange), "a list of changes", 100_000)),
  },
  fixed: { owner_id: ({ ownerId }) => ownerId },
});

/**
 * The addresses that unsubscribed from mail. An export does not contain confirmations of addresses, because a new
 * server must not rely on a file for them. (rule X6)
 */
const unsubscribed = recordOf(mail.mailAddresses, {
  type: "unsubscribed",
  parent: "app_id",
  order: ["recipient"],
  columns: { recipient: text(2 * limits.email), unsubscribed_at: instant },
  where: "unsubscribed_at IS NOT NULL",
  left: { confirmed_at: "an address must be confirmed to each server" },
});

/**
 * The people that other records name. An import stores their addresses, and never creates accounts. (rule X6)
 */
export const personRecord = recordOf(deployment.importedPeople, {
  type: "person",
  parent: "app_id",
  order: ["id"],
  columns: { id, email: text(2 * limits.email) },
});

/** A text of at most `most` characters. A character has at most two UTF-16 units. */
const characters = (most: number) => text(2 * most);

const metadata = json(anyObject, "an object", 4 * limits.metadataBytes);

const droppedEntries = json(z.array(DroppedMetadata), "a list of dropped entries", 20_000);

/** The columns that a thread and a repeat on it have in common. */
const report = {
  source: orNull(characters(limits.source)),
  sender_name: orNull(characters(limits.senderName)),
  sender_email: orNull(characters(limits.email)),
};

/** Files of reports. */
const threadUploads = recordOf(feedback.uploads, {
  type: "upload",
  parent: "feedback_id",
  order: ["created_at", "name"],
  columns: uploadColumns,
  // The originals of mails are not exported, because they are encrypted with the secret of this server.
  where: "media_type <> 'message/rfc822'",
  app: ["app_id"],
  left: { proof_id: "of the pictures of proofs" },
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
  left: { user_id: "no imported claim is at work", silence_told: "no imported claim is at work" },
  below: [progress],
});

/**
 * The proposals of a thread. An import ends approvals that were not carried out: see `settle` in the store. (rule X6)
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
  where: "direction <> 'blocked'",
  left: {
    link_counter: "links of senders end: they name the old server's ids",
    blocked_by: "hidden feedback stays where it is",
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
      json(dedupeParts, "a list of beginnings of keys", 8 * limits.dedupeParts * limits.dedupeKey),
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
  left: { reopened: "the new server does not know what happened in the thread since the merge" },
});

const merged = "merged";

/** The status of a thread. One that was merged is hidden in the table as the reports of blocked senders are. */
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

const times = recordOf(statistics.threadTimes, {
  type: "threadTimes",
  parent: "feedback_id",
  order: [],
  columns: { first_reply_at: orNull(instant), resolved_at: orNull(instant) },
});

/** The number of a quarter of an hour or of a day since 1970. */
const sinceEpoch = whole(0, 1e9);

const count = whole(-1e12, 1e12);

const span = whole(1, statistics.quartersOfDay);

const repeats = recordOf(statistics.repeatCounts, {
  type: "repeatCount",
  parent: "feedback_id",
  order: ["span", "at"],
  columns: { span, at: sinceEpoch, count },
  app: ["app_id"],
});

/** The counts of an app: they also contain what was deleted since. (rule F60) */
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

/** The threads of an app with everything in them. */
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
    github_issue_url: orNull(accepted(webUrl(limits.url), "an address of the web")),
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
    blocked_by: "hidden feedback stays where it is",
    activity_count: "counts what members have not read",
    seq: "the place in the order of arrival in one database",
    proposal_status: "follows from the proposals",
    waiting: "follows from the proposals",
    link_counter: "links of senders end: they name the old server's ids",
  },
  below: [messages, failures, runs, threadUploads, threadTags, times, repeats, threadMerge],
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
  left: { name_key: "made of the name", threads: "counted as the threads get their tags" },
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

/** The records of an app in the order of the file. A record comes after those that it refers to. */
export const rootRecords = [
  ...[
    appRecord,
    pictureUploads,
    faqs,
    tags,
    savedReplies,
    savedViews,
    blockedSenders,
    threads,
    ...counts,
    releaseNotes,
    listings,
    audit,
    unsubscribed,
  ],
];

/** Every kind of record that an import stores. */
export const allRecords: readonly RecordKind[] = [...rootRecords.flatMap(withBelow), personRecord];

type Exported = TablesOf<(typeof rootRecords)[number] | typeof personRecord>;

type TablesOf<Kind> = Kind extends RecordKind<infer Tables> ? Tables : never;

/** The tables that an export does not contain, with the reasons. */
export const leftOutTables: Readonly<Record<Exclude<TableName, Exported>, string>> = {
  users: "accounts belong to people, not to apps; the lines `person` and `member` name those of the app",
  identities: "of accounts",
  second_factors: "of accounts",
  recovery_codes: "of accounts",
  passkeys: "of accounts",
  preferences: "of accounts",
  sessions: "of accounts",
  account_links: "of accounts",
  sign_in_codes: "of accounts",
  devices: "of accounts",
  former_apps: "of deleted apps",
  app_members: "in the lines `member`, which an import does not store: it makes nobody a member",
  erasures: "receipts of a server",
  thread_looks: "what members have read",
  bulk_changes: "they can be undone for ten minutes only",
  bulk_threads: "they can be undone for ten minutes only",
  bulk_parts: "they belong to a request of one server",
  answering_members: "which members type an answer at this moment",
  app_keys: "secrets",
  tokens: "secrets",
  oauth_clients: "of the server",
  oauth_codes: "secrets",
  oauth_tokens: "secrets",
  invitations: "secrets",
  outbox: "messages on their way",
  mails: "mails on their way",
  mail_originals: "kept for 30 days on one server; their texts and files are in the messages",
  mailboxes: "of the server",
  events: "sent to receivers of one server",
  webhooks: "secrets",
  webhook_deliveries: "sent to receivers of one server",
  notice_choices: "the notices that members have chosen; an import makes nobody a member",
  notice_causes: "the causes of notices that are not created yet",
  notices: "on their way to members",
  push_keys: "of the server",
  notice_browsers: "browsers of members, with secrets",
  notice_pushes: "on their way to browsers of members",
  idempotency: "answers of one server",
  rate_limits: "of the server",
  byte_uses: "of the server",
  deployment: "of the server",
  last_times: "of the server",
  thread_changes: "counts changes in one database",
  threads_set_apart: "an import adds the words of its threads to the index of its server",
  threads_to_index: "an import adds the words of its threads to the index of its server",
  change_counts: "counts changes in one database",
  imports: "imports that are running",
  drafts: "typed text of members that was not sent",
};
