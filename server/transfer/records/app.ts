import * as z from "zod/mini";
import { NewApp } from "../../../src/contract/apps.ts";
import { AuditChange } from "../../../src/contract/audit.ts";
import {
  BodyFormat,
  EditedChangelogEntry,
  NewChangelogEntry,
  ReleaseType,
} from "../../../src/contract/changelog.ts";
import { feedbackIdsIn } from "../../../src/contract/feedback-lines.ts";
import { limits } from "../../../src/contract/limits.ts";
import * as access from "../../database/schema/access.ts";
import * as content from "../../database/schema/content.ts";
import * as deployment from "../../database/schema/deployment.ts";
import * as mail from "../../database/schema/mail.ts";
import type { TableName } from "../../database/schema/tables.ts";
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
  orNull,
  text,
  textWithIds,
  whole,
} from "../fields.ts";
import { type RecordKind, recordOf, withBelow } from "./record.ts";
import { listings } from "./testing.ts";
import { blockedSenders, savedReplies, tags, threads } from "./threads.ts";

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
    faqs_version: "counts changes in one database",
    changelog_version: "counts changes in one database",
    retention_days: "an import deletes no threads: the new owner decides how long they are kept",
  },
});

const faqs = recordOf(content.faqs, {
  type: "faq",
  parent: "app_id",
  order: ["created_at", "id"],
  columns: {
    id,
    question: text(2 * limits.question),
    answer: text(2 * limits.answer),
    sort_order: whole(limits.sortOrder.min, limits.sortOrder.max),
    created_at: instant,
    updated_at: instant,
    pushed_hash: orNull(text(200)),
    pushed_sort_order: orNull(whole(limits.sortOrder.min, limits.sortOrder.max)),
    updated_by: orNull(id),
  },
  people: ["updated_by"],
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
    body: naming(text(2 * limits.changelogBody)),
    items: naming(json(NewChangelogEntry.shape.items, "a list of items with type and text")),
    published_at: orNull(instant),
    created_at: instant,
    updated_at: instant,
    edited_fields: json(EditedChangelogEntry.shape.editedFields, "a list of fields"),
    updated_by: orNull(id),
  },
  // `told_at` is set, so that the new server sends no mails about release notes: the old server has sent them.
  adjusted: (row, now) => ({ ...row, told_at: row.published_at === null ? null : now }),
  people: ["updated_by"],
  left: { told_at: "says which mails one server has sent" },
  below: [namedThreads],
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

/** The records of an app in the order of the file. A record comes after those that it refers to. */
export const rootRecords = [
  ...[
    appRecord,
    faqs,
    tags,
    savedReplies,
    blockedSenders,
    threads,
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
  sessions: "of accounts",
  account_links: "of accounts",
  sign_in_codes: "of accounts",
  devices: "of accounts",
  former_apps: "of deleted apps",
  app_members: "in the lines `member`, which an import does not store: it makes nobody a member",
  erasures: "receipts of a server",
  thread_looks: "what members have read",
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
  events: "told to receivers of one server",
  idempotency: "answers of one server",
  rate_limits: "of the server",
  byte_uses: "of the server",
  deployment: "of the server",
  last_times: "of the server",
  thread_changes: "counts changes in one database",
  change_counts: "counts changes in one database",
  imports: "imports that are running",
  drafts: "typed text of members that was not sent",
};
