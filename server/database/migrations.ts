import type { Migration, Replaced } from "./migrate.ts";
import { accountLinks, apps, preferences, users } from "./schema/access.ts";
import { changelogEntries, contentVersions, faqs } from "./schema/content.ts";
import {
  bulkChanges,
  bulkParts,
  bulkThreads,
  events,
  feedback,
  messages,
  runClaims,
  runs,
  savedViews,
  threadMerges,
  uploads,
} from "./schema/feedback.ts";
import { mails } from "./schema/mail.ts";
import { browserNoticeSchema, noticeBrowsers, noticeSchema, notices } from "./schema/notices.ts";
import {
  plannedSearchFunction,
  searchWithoutList,
  threadsSetApart,
  wordSearch,
  wordsOfFiles,
} from "./schema/search.ts";
import { limitedVersions, mergeStatistics, statisticsStatements } from "./schema/statistics.ts";
import { addedSince, isTable, type Statement, statementsFor, statementsOf } from "./schema/table.ts";
import { schema } from "./schema/tables.ts";
import { webhookDeliveries, webhookSchema, webhooks as webhooksTable } from "./schema/webhooks.ts";

const searchFunction: Migration = {
  number: 118,
  name: "plan the function of the search once",
  statements: { sqlite: [], postgres: [plannedSearchFunction] },
};

const numbersOfThreads = [
  ...addedSince(apps, 119),
  ...addedSince(feedback, 119),
  `UPDATE feedback SET number = numbered.number FROM (
     SELECT seq, row_number() OVER (PARTITION BY app_id ORDER BY seq) AS number
     FROM feedback WHERE status <> 'blocked') AS numbered
   WHERE numbered.seq = feedback.seq`,
  `UPDATE apps SET last_thread_number =
     coalesce((SELECT max(f.number) FROM feedback f WHERE f.app_id = apps.id), 0)`,
];

const threadNumbers: Migration = {
  number: 119,
  name: "numbers of threads",
  statements: {
    sqlite: statementsFor(numbersOfThreads, "sqlite"),
    postgres: statementsFor(numbersOfThreads, "postgres"),
  },
};

const searchOfWholeThreads: Migration = {
  number: 120,
  name: "search whole threads",
  // This migration drops an index, so it runs before `threadNumbers`. Otherwise PostgreSQL would update that
  // index for each numbered thread.
  runsBefore: threadNumbers.number,
  statements: {
    sqlite: statementsFor(wordSearch, "sqlite"),
    postgres: statementsFor(wordSearch, "postgres"),
  },
};

const contentPictures: Migration = {
  number: 121,
  name: "pictures of the FAQ and of release notes",
  statements: {
    sqlite: statementsFor(addedSince(uploads, 121), "sqlite"),
    postgres: statementsFor(addedSince(uploads, 121), "postgres"),
  },
};

const snoozedThreads: Migration = {
  number: 122,
  name: "snoozed threads",
  statements: {
    sqlite: statementsFor(addedSince(feedback, 122), "sqlite"),
    postgres: statementsFor(addedSince(feedback, 122), "postgres"),
  },
};

const statistics: Migration = {
  number: 123,
  name: "counts for the statistics of apps",
  statements: statisticsStatements,
};

const webhookStatements = [
  ...addedSince(apps, 124),
  ...addedSince(events, 124),
  ...webhookSchema.flatMap((each) => statementsOf(each)),
];

const webhooks: Migration = {
  number: 124,
  name: "webhooks",
  statements: {
    sqlite: statementsFor(webhookStatements, "sqlite"),
    postgres: statementsFor(webhookStatements, "postgres"),
  },
};

const views = [
  ...addedSince(feedback, 125),
  `UPDATE feedback SET answered = 1 WHERE id IN (
     SELECT o.feedback_id FROM messages o WHERE o.direction = 'outbound' AND NOT EXISTS (
       SELECT 1 FROM messages i WHERE i.feedback_id = o.feedback_id AND i.direction = 'inbound'
         AND (i.created_at, i.id) > (o.created_at, o.id)))`,
  ...statementsOf(savedViews),
];

const viewsOfThreads: Migration = {
  number: 125,
  name: "views, and whose turn it is in a thread",
  statements: { sqlite: statementsFor(views, "sqlite"), postgres: statementsFor(views, "postgres") },
};

const searchOfFileNames: Migration = {
  number: 126,
  name: "search names of files",
  statements: {
    sqlite: statementsFor(wordsOfFiles, "sqlite"),
    postgres: statementsFor(wordsOfFiles, "postgres"),
  },
};

const draftsOfContent = [
  ...addedSince(faqs, 127),
  ...addedSince(changelogEntries, 127),
  ...statementsOf(contentVersions),
];

const contentDrafts: Migration = {
  number: 127,
  name: "drafts and versions of the FAQ and of release notes",
  statements: {
    sqlite: statementsFor(draftsOfContent, "sqlite"),
    postgres: statementsFor(draftsOfContent, "postgres"),
  },
};

const bulk = [...statementsOf(bulkChanges), ...statementsOf(bulkThreads)];

const bulkChangesOfThreads: Migration = {
  number: 128,
  name: "changes of many threads that can be undone",
  statements: { sqlite: statementsFor(bulk, "sqlite"), postgres: statementsFor(bulk, "postgres") },
};

const preferencesOfPeople: Migration = {
  number: 129,
  name: "how the console works for a person",
  statements: {
    sqlite: statementsFor(statementsOf(preferences), "sqlite"),
    postgres: statementsFor(statementsOf(preferences), "postgres"),
  },
};

const webhookParts = [...addedSince(webhooksTable, 130), ...addedSince(webhookDeliveries, 130)];

const webhooksInParts: Migration = {
  number: 130,
  name: "webhooks are switched off and deleted in parts",
  statements: {
    sqlite: statementsFor(webhookParts, "sqlite"),
    postgres: statementsFor(webhookParts, "postgres"),
  },
};

const continued = [...addedSince(bulkChanges, 131), ...statementsOf(bulkParts)];

const bulkChangesThatGoOn: Migration = {
  number: 131,
  name: "changes of many threads go on after an interruption",
  statements: {
    sqlite: statementsFor(continued, "sqlite"),
    postgres: statementsFor(continued, "postgres"),
  },
};

const threadsApart: Migration = {
  number: 132,
  name: "threads that could not be indexed",
  statements: {
    sqlite: statementsFor(statementsOf(threadsSetApart), "sqlite"),
    postgres: statementsFor(statementsOf(threadsSetApart), "postgres"),
  },
};

const versionsOfDay: Migration = {
  number: 133,
  name: "a limit for the versions that are counted in a day",
  statements: limitedVersions,
};

const noticeStatements = [
  ...addedSince(users, 134),
  ...addedSince(runClaims, 134),
  ...noticeSchema.flatMap((each) => statementsOf(each)),
];

const noticesOfMembers: Migration = {
  number: 134,
  name: "notices for members",
  statements: {
    sqlite: statementsFor(noticeStatements, "sqlite"),
    postgres: statementsFor(noticeStatements, "postgres"),
  },
};

const merges = [
  ...addedSince(feedback, 135),
  ...addedSince(messages, 135),
  ...addedSince(runs, 135),
  ...statementsOf(threadMerges),
];

const mergesOfThreads: Migration = {
  number: 135,
  name: "threads that are merged into others",
  statements: {
    sqlite: [...statementsFor(merges, "sqlite"), ...mergeStatistics.sqlite],
    postgres: [...statementsFor(merges, "postgres"), ...mergeStatistics.postgres],
  },
};

const formatsOfChats: Migration = {
  number: 136,
  name: "formats of chats",
  statements: {
    sqlite: statementsFor(addedSince(apps, 136), "sqlite"),
    postgres: statementsFor(addedSince(apps, 136), "postgres"),
  },
};

const firstMinutes = [
  ...addedSince(apps, 137),
  // The home page shows the first steps only for apps that are created after this migration.
  "UPDATE apps SET start_put_away_at = created_at",
];

const firstMinutesOfApps: Migration = {
  number: 137,
  name: "the first steps with an app",
  statements: {
    sqlite: statementsFor(firstMinutes, "sqlite"),
    postgres: statementsFor(firstMinutes, "postgres"),
  },
};

const languagesOfContent = [...addedSince(faqs, 138), ...addedSince(changelogEntries, 138)];

const contentLanguages: Migration = {
  number: 138,
  name: "translations of the FAQ and of release notes",
  statements: {
    sqlite: statementsFor(languagesOfContent, "sqlite"),
    postgres: statementsFor(languagesOfContent, "postgres"),
  },
};

const threadsOfSenders: Migration = {
  number: 139,
  name: "an index of the threads of senders by age",
  statements: {
    sqlite: statementsFor(addedSince(feedback, 139), "sqlite"),
    postgres: statementsFor(addedSince(feedback, 139), "postgres"),
  },
};

const noticesInBrowsers: Migration = {
  number: 140,
  name: "notices in browsers",
  statements: {
    sqlite: statementsFor(
      browserNoticeSchema.flatMap((each) => statementsOf(each)),
      "sqlite",
    ),
    postgres: statementsFor(
      browserNoticeSchema.flatMap((each) => statementsOf(each)),
      "postgres",
    ),
  },
};

const droppedOfReports = [...addedSince(feedback, 141), ...addedSince(messages, 141)];

const droppedMetadata: Migration = {
  number: 141,
  name: "metadata of reports that was left out",
  statements: {
    sqlite: statementsFor(droppedOfReports, "sqlite"),
    postgres: statementsFor(droppedOfReports, "postgres"),
  },
};

const reopenedThreads = addedSince(threadMerges, 142);

const threadsThatMergesReopen: Migration = {
  number: 142,
  name: "threads that a merge opens again",
  statements: {
    sqlite: statementsFor(reopenedThreads, "sqlite"),
    postgres: statementsFor(reopenedThreads, "postgres"),
  },
};

const namesOfMembers: Migration = {
  number: 143,
  name: "names of members",
  statements: {
    sqlite: statementsFor(addedSince(users, 143), "sqlite"),
    postgres: statementsFor(addedSince(users, 143), "postgres"),
  },
};

const viewsOfHiddenThreads = [
  "DELETE FROM thread_looks WHERE feedback_id IN (SELECT id FROM feedback WHERE merged_into IS NOT NULL)",
];

const viewsOfMergedThreads: Migration = {
  number: 144,
  name: "no views of merged threads",
  statements: { sqlite: viewsOfHiddenThreads, postgres: viewsOfHiddenThreads },
};

const waitingNotices = `FROM (
  SELECT id, row_number() OVER (PARTITION BY user_id, app_id, way, kind ORDER BY created_at, id) AS place,
    count(*) OVER (PARTITION BY user_id, app_id, way, kind) AS total
  FROM notices WHERE queued_at IS NULL AND mail_id IS NULL AND further IS NULL) AS waiting`;

const countedNotices = [
  ...addedSince(notices, 145),
  `UPDATE notices SET further = counted.further, subject_id = app_id, feedback_id = NULL
   FROM (SELECT id, total - 100 AS further ${waitingNotices} WHERE place = 101) AS counted
   WHERE counted.id = notices.id`,
  `DELETE FROM notices WHERE id IN (SELECT id ${waitingNotices} WHERE place > 100)`,
];

const noticesThatAreCounted: Migration = {
  number: 145,
  name: "very many waiting notices are counted",
  statements: {
    sqlite: statementsFor(countedNotices, "sqlite"),
    postgres: statementsFor(countedNotices, "postgres"),
  },
};

const searchWithoutPendingList: Migration = {
  number: 146,
  name: "no list of new words before the search index",
  statements: {
    sqlite: statementsFor(searchWithoutList, "sqlite"),
    postgres: statementsFor(searchWithoutList, "postgres"),
  },
};

const pausesOfBrowsers: Migration = {
  number: 147,
  name: "pauses of push services",
  statements: {
    sqlite: statementsFor(addedSince(noticeBrowsers, 147), "sqlite"),
    postgres: statementsFor(addedSince(noticeBrowsers, 147), "postgres"),
  },
};

const invitationsOfLinks: Migration = {
  number: 148,
  name: "mailed links that lead on to an invitation",
  statements: {
    sqlite: statementsFor(addedSince(accountLinks, 148), "sqlite"),
    postgres: statementsFor(addedSince(accountLinks, 148), "postgres"),
  },
};

const timesOfTexts: Migration = {
  number: 149,
  name: "times of the texts of FAQ entries",
  statements: {
    sqlite: statementsFor(addedSince(faqs, 149), "sqlite"),
    postgres: statementsFor(addedSince(faqs, 149), "postgres"),
  },
};

const mailsThatWait: Migration = {
  number: 150,
  name: "indexes of waiting mails",
  statements: {
    sqlite: statementsFor(addedSince(mails, 150), "sqlite"),
    postgres: statementsFor(addedSince(mails, 150), "postgres"),
  },
};

const statements: readonly Statement[] = schema.flatMap((part) => {
  if (!isTable(part)) return [part];
  return part.since === undefined ? statementsOf(part) : [];
});

/** The migrations 1 to 116. Some numbers were not used. */
export const replaced: Replaced = {
  commit: "9e515d813a6c140ea003fe4a98bf16459e29f142",
  count: 67,
  last: 116,
  names: "7bff0c7a54b67660b607738ada4244c660a4ef9a0f0975b216c7b7e8baf4a472",
  checksums: {
    sqlite: "d668faacf8b19115b1824ab1373be851a6aa32da1ce5c1987b4cb8d57d8d022f",
    postgres: "b2efbac3006cb1b6d80413537124deb5c0a880007be17aa74e313cd0265e3741",
  },
};

/**
 * Creates the same schema as the migrations 1 to 116. The statements may be rewritten. A test checks the
 * schema.
 */
export const baseline: Migration = {
  number: 117,
  name: "baseline",
  statements: {
    sqlite: statementsFor(statements, "sqlite"),
    postgres: statementsFor(statements, "postgres"),
  },
  replaces: replaced,
};

/**
 * All migrations in their order. A released migration never changes. A correction must be a new migration.
 */
export const migrations: readonly Migration[] = [
  ...[baseline, searchFunction, threadNumbers, searchOfWholeThreads, contentPictures],
  ...[snoozedThreads, statistics, webhooks, viewsOfThreads, searchOfFileNames],
  ...[
    contentDrafts,
    bulkChangesOfThreads,
    preferencesOfPeople,
    webhooksInParts,
    bulkChangesThatGoOn,
    threadsApart,
    versionsOfDay,
    noticesOfMembers,
    mergesOfThreads,
    formatsOfChats,
    firstMinutesOfApps,
    contentLanguages,
    threadsOfSenders,
    noticesInBrowsers,
    droppedMetadata,
    threadsThatMergesReopen,
    namesOfMembers,
    viewsOfMergedThreads,
    noticesThatAreCounted,
    searchWithoutPendingList,
    pausesOfBrowsers,
    invitationsOfLinks,
    timesOfTexts,
    mailsThatWait,
  ],
];
