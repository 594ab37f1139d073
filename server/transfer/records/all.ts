import * as z from "zod/mini";
import { NewApp } from "../../../src/contract/apps.ts";
import { AuditChange } from "../../../src/contract/audit.ts";
import { limits } from "../../../src/contract/limits.ts";
import * as access from "../../database/schema/access.ts";
import * as deployment from "../../database/schema/deployment.ts";
import * as mail from "../../database/schema/mail.ts";
import type { TableName } from "../../database/schema/tables.ts";
import {
  accepted,
  actor,
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
import { faqs, pictureUploads, releaseNotes } from "./content.ts";
import { blockedSenders, counts, savedReplies, savedViews, tags, threads } from "./feedback.ts";
import { type RecordKind, recordOf, withBelow } from "./record.ts";
import { listings } from "./testing.ts";

/** The settings of the app. They are the first record of a file. */
const appRecord = recordOf(access.apps, {
  type: "app",
  parent: "id",
  order: [],
  columns: {
    name: accepted(NewApp.shape.name, "the name of an app"),
    feedback_enabled: flag,
    changelog_enabled: flag,
    sender_pages: flag,
    github_repository: orNull(accepted(NewApp.shape.githubRepository, "a repository in the form owner/name")),
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
    chat_format: "it is useless without the address of the chat, which is a secret",
    faqs_version: "counts changes in one database",
    changelog_version: "counts changes in one database",
    retention_days: "the new owner decides how long threads are kept, so that an import deletes none",
    events_read_at: "it records who reads the events of one server",
    start_put_away_at: "an imported app is new on its server",
  },
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
 * The addresses that unsubscribed from mails. An export does not say which addresses were confirmed, because the new
 * server must not trust a file about this. (rule X6)
 */
const unsubscribed = recordOf(mail.mailAddresses, {
  type: "unsubscribed",
  parent: "app_id",
  order: ["recipient"],
  columns: { recipient: text(2 * limits.email), unsubscribed_at: instant },
  where: "unsubscribed_at IS NOT NULL",
  left: { confirmed_at: "an address must be confirmed on each server" },
});

/** The records of an app in the order of the file. A record comes after the records to which it refers. */
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

/** The people that other records name. An import stores their addresses, but creates no accounts. (rule X6) */
export const personRecord = recordOf(deployment.importedPeople, {
  type: "person",
  parent: "app_id",
  order: ["id"],
  columns: { id, email: text(2 * limits.email) },
});

/** All kinds of records that an import stores. */
export const allRecords: readonly RecordKind[] = [...rootRecords.flatMap(withBelow), personRecord];

type Exported = TablesOf<(typeof rootRecords)[number] | typeof personRecord>;

type TablesOf<Kind> = Kind extends RecordKind<infer Tables> ? Tables : never;

/** The tables that an export does not contain, and why. */
export const leftOutTables: Readonly<Record<Exclude<TableName, Exported>, string>> = {
  users:
    "accounts belong to people and not to apps; the lines `person` and `member` name the people of the app",
  identities: "they belong to accounts",
  second_factors: "they belong to accounts",
  recovery_codes: "they belong to accounts",
  passkeys: "they belong to accounts",
  preferences: "they belong to accounts",
  sessions: "they belong to accounts",
  account_links: "they belong to accounts",
  sign_in_codes: "they belong to accounts",
  devices: "they belong to accounts",
  former_apps: "they belong to deleted apps",
  app_members:
    "the lines `member` contain them; an import does not store these lines, because it makes nobody a member",
  erasures: "they are receipts for erasures on one server",
  thread_looks: "they record what members have read",
  bulk_changes: "they can be undone for ten minutes only",
  bulk_threads: "they can be undone for ten minutes only",
  bulk_parts: "they belong to a request of one server",
  answering_members: "they record which members type an answer at this moment",
  app_keys: "they contain secrets",
  tokens: "they contain secrets",
  oauth_clients: "they belong to one server",
  oauth_codes: "they contain secrets",
  oauth_tokens: "they contain secrets",
  invitations: "they contain secrets",
  outbox: "they are messages that are not sent yet",
  mails: "they are mails that are not sent yet",
  mail_originals: "they are kept for 30 days on one server; their texts and files are in the messages",
  mailboxes: "they belong to one server",
  events: "they were sent to receivers of one server",
  webhooks: "they contain secrets",
  webhook_deliveries: "they were sent to receivers of one server",
  notice_choices: "they are the notices that members have chosen; an import makes nobody a member",
  notice_causes: "they are causes of notices that are not created yet",
  notices: "they are notices that are not sent yet",
  push_keys: "they belong to one server",
  notice_browsers: "they are browsers of members, with secrets",
  notice_pushes: "they are notices that are not sent to browsers yet",
  idempotency: "they are answers of one server",
  rate_limits: "they belong to one server",
  byte_uses: "they belong to one server",
  deployment: "they belong to one server",
  last_times: "they belong to one server",
  thread_changes: "it counts changes in one database",
  threads_set_apart: "an import adds the words of its threads to the index of its server",
  threads_to_index: "an import adds the words of its threads to the index of its server",
  change_counts: "it counts changes in one database",
  imports: "they describe imports that are running",
  drafts: "they contain texts that members typed and did not send",
};
