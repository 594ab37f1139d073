import * as z from "zod/mini";
import { NewApp } from "../../../src/contract/apps.ts";
import { AuditChange } from "../../../src/contract/audit.ts";
import {
  BodyFormat,
  EditedChangelogEntry,
  NewChangelogEntry,
  ReleaseType,
} from "../../../src/contract/changelog.ts";
import { canonicalLanguage, feedbackIdsIn } from "../../../src/contract/content-text.ts";
import { NewListing } from "../../../src/contract/cycles.ts";
import { utcOf } from "../../../src/contract/fields.ts";
import { imageTypes, limits } from "../../../src/contract/limits.ts";
import { timeZone } from "../../../src/contract/sign-in.ts";
import { sessionReasons } from "../../../src/contract/test-sessions.ts";
import { cycleStatuses, slotStatuses } from "../../../src/contract/tester.ts";
import * as access from "../../database/schema/access.ts";
import * as content from "../../database/schema/content.ts";
import * as deployment from "../../database/schema/deployment.ts";
import * as feedback from "../../database/schema/feedback.ts";
import * as mail from "../../database/schema/mail.ts";
import type { TableName } from "../../database/schema/tables.ts";
import * as tables from "../../database/schema/testing.ts";
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
  showing,
  text,
  textWithIds,
  uploadColumns,
  whole,
} from "../fields.ts";
import { feedbackRecords } from "./feedback.ts";
import { type RecordKind, recordOf, type StoredRow } from "./record.ts";

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
 * The unsubscribed addresses. Confirmations are not exported, because no server may trust confirmations in a
 * file. (rule X6)
 */
const unsubscribed = recordOf(mail.mailAddresses, {
  type: "unsubscribed",
  parent: "app_id",
  order: ["recipient"],
  columns: { recipient: text(2 * limits.email), unsubscribed_at: instant },
  where: "unsubscribed_at IS NOT NULL",
  left: { confirmed_at: "an address must be confirmed on each server" },
});

/** The pictures of the FAQ and of release notes. In the file they come before the texts that show them. */
const pictureUploads = recordOf(feedback.uploads, {
  type: "picture",
  parent: "app_id",
  order: ["created_at", "name"],
  columns: { ...uploadColumns, name: picture, media_type: oneOf(...imageTypes) },
  where: "feedback_id IS NULL AND proof_id IS NULL AND media_type <> 'message/rfc822'",
  left: { feedback_id: "only files of reports have it", proof_id: "only pictures of proofs have it" },
});

const FaqText = z.object({ question: z.string(), answer: z.string() });

/** Returns a schema for texts by language. Each language must be a canonical language tag. */
const byLanguage = <Text extends z.ZodMiniType>(text: Text) =>
  z.record(z.string(), text).check(
    z.refine((texts) => Object.keys(texts).every((tag) => canonicalLanguage(tag) === tag)),
    z.refine((texts) => Object.keys(texts).length <= limits.languages),
  );

/** The data that is stored about each translation. */
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

/** The columns of an earlier version of a published text. */
const version = { id, at: instant, written_by: orNull(id) };

const faqVersions = recordOf(content.contentVersions, {
  type: "faqVersion",
  parent: "faq_id",
  order: ["id"],
  columns: { ...version, content: faqText },
  app: ["app_id"],
  people: ["written_by"],
  left: { entry_id: "only texts of release notes have it" },
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
    text_at: newer(orNull(instant), null),
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

/**
 * Returns a copy of `field`. The import replaces old thread ids in the copy's text with new ids. (rule C17)
 */
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

/** Replaces quotes and escaped line feeds in JSON with line feeds, so that each line of a text stands alone. */
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
  left: { faq_id: "only texts of FAQ entries have it" },
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
  // `told_at` is set, because the old server has already sent the mails about these release notes.
  adjusted: (row, now) => ({ ...row, told_at: row.published_at === null ? null : now }),
  people: ["updated_by", "draft_by"],
  left: { told_at: "it records which mails one server has sent" },
  below: [namedThreads, releaseVersions],
});

const day = whole(0, 1_000);

const listing = NewListing.shape;

const listOf = (field: Field, most: number) => ({
  safeParse: (value: unknown) => ({
    success:
      Array.isArray(value) &&
      value.length <= most &&
      value.every((element) => field.fault(element) === undefined),
  }),
});

const calendarDay = {
  safeParse: (value: unknown) => ({ success: utcOf(`${value}T00:00:00.000Z`) !== undefined }),
};

const sessions = recordOf(tables.testSessions, {
  type: "testSession",
  parent: "slot_id",
  order: ["id"],
  columns: {
    id,
    day_index: orNull(day),
    started_at: instant,
    ended_at: instant,
    screens: json(listOf(text(2 * limits.screenName), 1_000), "a list of names of screens"),
    app_version: orNull(text(1_000)),
    reason: orNull(oneOf(...sessionReasons)),
    received_at: instant,
  },
});

/** The pictures of a proof. */
const proofUploads = recordOf(feedback.uploads, {
  type: "proofImage",
  parent: "proof_id",
  order: ["created_at", "name"],
  columns: uploadColumns,
  app: ["app_id"],
  left: { feedback_id: "only files of reports have it" },
});

const proofs = recordOf(tables.proofs, {
  type: "proof",
  parent: "slot_id",
  order: ["id"],
  columns: {
    id,
    day_index: day,
    captured_at: instant,
    queued_at: orNull(instant),
    note: orNull(text(2 * limits.proofNote)),
    created_at: instant,
  },
  below: [proofUploads],
});

const countedDays = recordOf(tables.countedDays, {
  type: "countedDay",
  parent: "slot_id",
  order: ["day_index"],
  columns: { day_index: day, kind: oneOf("session", "proof"), evidence_id: id, counted_at: instant },
});

/** The slots of a cycle. No imported slot is active, because test keys are not exported. (rule X6) */
const slots = recordOf(tables.slots, {
  type: "slot",
  parent: "cycle_id",
  order: ["seat", "created_at", "id"],
  columns: {
    id,
    seat: whole(0, 10_000),
    status: oneOf(...slotStatuses),
    imported_tester: orNull(id),
    request_expires_at: orNull(instant),
    activated_at: orNull(instant),
    active_from_day: orNull(day),
    ended_at: orNull(instant),
    missed_days: whole(0, 1_000),
    counted: matching(/^,(\d{1,4},)*$/, "a list of day numbers such as ,1,2,"),
    join_check_pending: flag,
    created_at: instant,
  },
  read: { imported_tester: { sql: "coalesce(tester_id, imported_tester)", name: "tester" } },
  people: ["imported_tester"],
  left: {
    tester_id: "the file contains the tester as a person, because an import gives no account a slot",
    key_hash: "a hash of a secret",
    key_sealed: "a secret",
  },
  adjusted: ended,
  below: [sessions, proofs, countedDays],
});

/**
 * The cycles of a listing. An import cancels cycles that have not ended, because test keys are not exported.
 * (rule X6)
 */
const cycles = recordOf(tables.cycles, {
  type: "cycle",
  parent: "listing_id",
  order: ["created_at", "id"],
  columns: {
    id,
    status: oneOf(...cycleStatuses),
    starts_on: accepted(calendarDay, "a day such as 2026-01-31"),
    timezone: accepted(timeZone, "a time zone"),
    duration_days: whole(1, 1_000),
    max_missed_days: whole(0, 1_000),
    day_starts: json(listOf(instant, 1_001), "a list of instants"),
    closed_days: whole(0, 1_001),
    created_at: instant,
  },
  fixed: { next_at: () => null },
  disagreement: ({ dayStarts, durationDays }) =>
    Array.isArray(dayStarts) && dayStarts.length === Number(durationDays) + 1
      ? undefined
      : "`dayStarts` must have one instant more than there are days",
  adjusted: (row) =>
    row.status === "recruiting" || row.status === "running" ? { ...row, status: "cancelled" } : row,
  below: [slots],
});

/** The listings of an app with their cycles, and everything that testers did in them. */
const listings = recordOf(tables.listings, {
  type: "listing",
  parent: "app_id",
  order: ["created_at", "id"],
  columns: {
    id,
    app_name: text(2 * limits.appName),
    icon_url: orNull(accepted(listing.iconUrl, "a web address")),
    package_name: accepted(listing.packageName, "the name of a package"),
    opt_in_url: accepted(listing.optInUrl, "a web address"),
    test_brief: text(2 * limits.testBrief),
    screens: json(listing.screens, "a list of names of screens"),
    seats: whole(1, 10_000),
    duration_days: whole(1, 1_000),
    max_missed_days: whole(1, 1_000),
    verification_tier: accepted(listing.verificationTier, "a way to verify days"),
    created_at: instant,
    updated_at: instant,
  },
  below: [cycles],
});

/** The records of an app in file order. A record comes after the records to which it refers. */
export const rootRecords = [
  ...[appRecord, pictureUploads, faqs, ...feedbackRecords, releaseNotes, listings, audit, unsubscribed],
];

/**
 * The people to whom other records refer. An import stores their addresses, but creates no accounts. (rule X6)
 */
export const personRecord = recordOf(deployment.importedPeople, {
  type: "person",
  parent: "app_id",
  order: ["id"],
  columns: { id, email: text(2 * limits.email) },
});

/** Returns a kind of record and all kinds below it. Parents come first. */
const withBelow = (kind: RecordKind): RecordKind[] => [kind, ...(kind.below ?? []).flatMap(withBelow)];

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

function ended(row: StoredRow, now: string): StoredRow {
  if (row.status === "requested")
    return { ...row, status: "open", imported_tester: null, request_expires_at: null };
  return row.status === "active" || row.status === "at_risk"
    ? { ...row, status: "removed", ended_at: now }
    : row;
}
