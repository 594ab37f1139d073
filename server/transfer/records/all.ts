import type { TableName } from "../../database/schema/tables.ts";
import { appRecord, audit } from "./access.ts";
import { faqs, pictureUploads, releaseNotes } from "./content.ts";
import { personRecord } from "./deployment.ts";
import { blockedSenders, savedReplies, savedViews, tags, threads } from "./feedback.ts";
import { unsubscribed } from "./mail.ts";
import { type RecordKind, withBelow } from "./record.ts";
import { counts } from "./statistics.ts";
import { listings } from "./testing.ts";

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
