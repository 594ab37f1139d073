import type { Fault } from "./fault.ts";

/** Mistakes in SQL. */
export const storeFaults: readonly Fault[] = [
  {
    name: "a page of the inbox repeats or leaves out threads of the same instant",
    file: "server/feedback/inbox/store.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file.
    right: "      order: `${at} ${direction}, ${id} ${direction}`,",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file.
    wrong: "      order: `${at} ${direction}, ${id}`,",
    tests: ["test/feedback/reports/console-feedback-search", "test/feedback/reports/console-feedback"],
  },
  {
    name: "the end of a period belongs to the period",
    file: "server/feedback/inbox/store.ts",
    right: '...given("f.created_at < ?", to),',
    wrong: '...given("f.created_at <= ?", to),',
    tests: ["test/feedback/reports/console-feedback-search", "test/feedback/reports/console-feedback"],
  },
  {
    name: "the list of one person's threads is sorted instead of read in the order of an index",
    file: "server/feedback/inbox/store.ts",
    right: 'order === "created" ? "feedback_by_assignee_and_age"',
    wrong: 'order === "activity" ? "feedback_by_assignee_and_age"',
    tests: [
      "test/feedback/agent-work/store",
      "test/feedback/proposals",
      "test/feedback/reports",
      "test/feedback/search",
      "test/feedback/threads",
    ],
  },
  {
    name: "a token for one app reads the threads of all apps of its person",
    file: "server/access/members/visibility.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file.
    right: "v.user_id = ${userId} AND v.app_id = coalesce(${appId}, v.app_id)",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file.
    wrong: "v.user_id = ${userId} AND v.app_id = coalesce(v.app_id, ${appId})",
    tests: [
      "test/transfer/erase-imported",
      "test/transfer/export",
      "test/transfer/round-trip",
      "test/access",
    ],
  },
  {
    name: "an old plan is claimed although a newer one was approved and recalled",
    file: "server/feedback/proposals/store.ts",
    right: "AND decision IN ('approve', 'recalled', 'expired')",
    wrong: "AND decision = 'approve'",
    tests: ["test/feedback/agent-work", "test/feedback/unread"],
  },
  {
    name: "an invitation still works after its author is no owner any more",
    file: "server/access/members/store.ts",
    right: "m.user_id = invitations.invited_by AND m.role = 'owner')",
    wrong: "m.user_id = invitations.invited_by)",
    tests: ["test/access/members"],
  },
  {
    name: "a sign-in code is used up by two devices at once",
    file: "server/access/sign-in/store.ts",
    right: "WHERE code_hash = ? AND used_at IS NULL AND replaced_at IS NULL AND expires_at > ?",
    wrong: "WHERE code_hash = ? AND replaced_at IS NULL AND expires_at > ?",
    tests: ["test/access/identity-providers", "test/access/sign-in"],
  },
  {
    name: "apps keep the FAQ that they have, because a change gives it no new version",
    file: "server/content/faqs/store.ts",
    right: "UPDATE apps SET faqs_version = faqs_version + 1 WHERE id = ?",
    wrong: "UPDATE apps SET changelog_version = changelog_version + 1 WHERE id = ?",
    tests: ["test/content/changelog", "test/content/faqs"],
  },
  {
    name: "a sender reads the replies to the senders of other reports of the same failure",
    file: "server/mail/sender-page/store.ts",
    right: "direction = 'outbound' AND everyone = 1 AND created_at >= ?",
    wrong: "direction = 'outbound' AND created_at >= ?",
    tests: ["test/mail", "test/feedback"],
  },
  {
    name: "a search finds a thread by its old subject and not by its new one",
    file: "server/database/schema/search.ts",
    right: 'const reportColumns = "subject, source,',
    wrong: 'const reportColumns = "source,',
    tests: ["test/feedback/reports/console-feedback-search", "test/feedback/reports/console-feedback"],
  },
];
