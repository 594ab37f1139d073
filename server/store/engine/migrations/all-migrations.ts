import { feedbackAndContent } from "./001-feedback-and-content.ts";
import { requests } from "./002-requests.ts";
import { closedTesting } from "./003-closed-testing.ts";
import { sessionsBySeat } from "./004-sessions-by-seat.ts";
import { growth } from "./005-growth.ts";
import { repeats } from "./010-repeats.ts";
import { bytesOfApps } from "./011-bytes-of-apps.ts";
import { deployment } from "./012-deployment.ts";
import { lastTime } from "./014-last-time.ts";
import { messageAuthors } from "./016-message-authors.ts";
import { editedReleaseNotes } from "./018-edited-release-notes.ts";
import { auditFilters } from "./019-audit-filters.ts";
import { pushedFaqs } from "./020-pushed-faqs.ts";
import { feedbackOfReleaseNotes } from "./021-feedback-of-release-notes.ts";
import { failureRuns } from "./022-failure-runs.ts";
import type { Migration } from "./migrate.ts";

/** All migrations in their order. A released migration never changes: a correction is a new migration. */
export const migrations: readonly Migration[] = [
  feedbackAndContent,
  requests,
  closedTesting,
  sessionsBySeat,
  growth,
  repeats,
  bytesOfApps,
  deployment,
  lastTime,
  messageAuthors,
  editedReleaseNotes,
  auditFilters,
  pushedFaqs,
  feedbackOfReleaseNotes,
  failureRuns,
];
