import type { TableName } from "../../database/schema/tables.ts";
import { appRecord, audit } from "./access.ts";
import { faqs, pictureUploads, releaseNotes } from "./content.ts";
import { personRecord } from "./deployment.ts";
import { blockedSenders, savedReplies, savedViews, tags, threads } from "./feedback.ts";
import { unsubscribed } from "./mail.ts";
import { type RecordKind, withBelow } from "./record.ts";
import { counts } from "./statistics.ts";
import { listings } from "./testing.ts";

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
