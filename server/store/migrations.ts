import type { Migration } from "./migrate.ts";
import { feedbackAndContent } from "./migrations/001-feedback-and-content.ts";
import { requests } from "./migrations/002-requests.ts";
import { closedTesting } from "./migrations/003-closed-testing.ts";
import { sessionsBySeat } from "./migrations/004-sessions-by-seat.ts";
import { growth } from "./migrations/005-growth.ts";
import { repeats } from "./migrations/010-repeats.ts";
import { bytesOfApps } from "./migrations/011-bytes-of-apps.ts";
import { deployment } from "./migrations/012-deployment.ts";
import { lastTime } from "./migrations/014-last-time.ts";
import { messageAuthors } from "./migrations/016-message-authors.ts";
import { editedReleaseNotes } from "./migrations/018-edited-release-notes.ts";
import { auditFilters } from "./migrations/019-audit-filters.ts";

/** All migrations, in their order. One that was released never changes: what it should have been is a new one. */
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
];
