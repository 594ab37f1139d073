import type { Migration } from "../migrate.ts";
import { bytesOfApps } from "./access/011-bytes-of-apps.ts";
import { auditFilters } from "./access/019-audit-filters.ts";
import { connections } from "./access/025-connections.ts";
import { members } from "./access/027-members.ts";
import { invitations } from "./access/028-invitations.ts";
import { sessionsOfPeople } from "./access/030-sessions-of-people.ts";
import { secondFactors } from "./access/031-second-factors.ts";
import { accountLinks } from "./access/032-account-links.ts";
import { passkeys } from "./access/033-passkeys.ts";
import { drafts } from "./access/056-drafts.ts";
import { auditByActor } from "./access/065-audit-by-actor.ts";
import { verifiedAddresses } from "./access/074-verified-addresses.ts";
import { changesOfAudit } from "./access/098-changes-of-audit.ts";
import { endsOfTokens } from "./access/101-ends-of-tokens.ts";
import { waitingByActivity } from "./agents/094-waiting-by-activity.ts";
import { claimsOfAccounts } from "./agents/100-claims-of-accounts.ts";
import { editedReleaseNotes } from "./content/018-edited-release-notes.ts";
import { pushedFaqs } from "./content/020-pushed-faqs.ts";
import { feedbackOfReleaseNotes } from "./content/021-feedback-of-release-notes.ts";
import { toldSenders } from "./content/037-told-senders.ts";
import { deployment } from "./deployment/012-deployment.ts";
import { lastTime } from "./deployment/014-last-time.ts";
import { mails } from "./deployment/034-mails.ts";
import { imports } from "./deployment/060-imports.ts";
import { erasures } from "./deployment/062-erasures.ts";
import { addressesOfSenders } from "./deployment/091-addresses-of-senders.ts";
import { attemptsAtMails } from "./deployment/095-attempts-at-mails.ts";
import { originalsOfMails } from "./deployment/096-originals-of-mails.ts";
import { feedbackAndContent } from "./feedback/001-feedback-and-content.ts";
import { growth } from "./feedback/005-growth.ts";
import { repeats } from "./feedback/010-repeats.ts";
import { messageAuthors } from "./feedback/016-message-authors.ts";
import { failureRuns } from "./feedback/022-failure-runs.ts";
import { runLives } from "./feedback/023-run-lives.ts";
import { changesOfThreads } from "./feedback/024-changes-of-threads.ts";
import { workOfAgents } from "./feedback/026-work-of-agents.ts";
import { authors } from "./feedback/029-authors.ts";
import { answersOfSenders } from "./feedback/035-answers-of-senders.ts";
import { answersByMail } from "./feedback/036-answers-by-mail.ts";
import { marksOfSearch } from "./feedback/053-marks-of-search.ts";
import { approvals } from "./feedback/055-approvals.ts";
import { activityOfThreads } from "./feedback/057-activity-of-threads.ts";
import { looks } from "./feedback/058-looks.ts";
import { activityOfLooks } from "./feedback/059-activity-of-looks.ts";
import { retentionOfApps } from "./feedback/063-retention.ts";
import { wordsOfApps } from "./feedback/066-words-of-apps.ts";
import { marksOfLooks } from "./feedback/075-marks-of-looks.ts";
import { timesOfActivity } from "./feedback/083-times-of-activity.ts";
import { partsOfFailures } from "./feedback/115-parts-of-failures.ts";
import { requests } from "./requests/002-requests.ts";
import { leasesOfLimits } from "./requests/082-limit-leases.ts";
import { batchesOfLimits } from "./requests/093-batches-of-limits.ts";
import { limitsInMemory } from "./requests/116-limits-in-memory.ts";
import { rangesOfSearch } from "./search/089-ranges-of-search.ts";
import { closedTesting } from "./testing/003-closed-testing.ts";
import { sessionsBySeat } from "./testing/004-sessions-by-seat.ts";
import { freeSlots } from "./testing/090-free-slots.ts";
import { openCycles } from "./testing/092-open-cycles.ts";
import { tags } from "./triage/069-tags.ts";
import { assignees } from "./triage/070-assignees.ts";
import { savedReplies } from "./triage/071-saved-replies.ts";
import { blockedSenders } from "./triage/072-blocked-senders.ts";
import { answeringMembers } from "./triage/073-answering-members.ts";
import { countsOfTags } from "./triage/076-counts-of-tags.ts";
import { listsOfAssignees } from "./triage/077-lists-of-assignees.ts";
import { timesOfMarks } from "./triage/087-times-of-marks.ts";
import { assigneesOfTags } from "./triage/088-assignees-of-tags.ts";

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
  runLives,
  changesOfThreads,
  connections,
  workOfAgents,
  members,
  invitations,
  authors,
  sessionsOfPeople,
  secondFactors,
  accountLinks,
  passkeys,
  mails,
  answersOfSenders,
  answersByMail,
  toldSenders,
  marksOfSearch,
  approvals,
  drafts,
  activityOfThreads,
  looks,
  activityOfLooks,
  imports,
  erasures,
  retentionOfApps,
  auditByActor,
  wordsOfApps,
  tags,
  assignees,
  savedReplies,
  blockedSenders,
  answeringMembers,
  verifiedAddresses,
  marksOfLooks,
  countsOfTags,
  listsOfAssignees,
  leasesOfLimits,
  timesOfActivity,
  timesOfMarks,
  assigneesOfTags,
  rangesOfSearch,
  freeSlots,
  addressesOfSenders,
  openCycles,
  batchesOfLimits,
  waitingByActivity,
  attemptsAtMails,
  originalsOfMails,
  changesOfAudit,
  claimsOfAccounts,
  endsOfTokens,
  partsOfFailures,
  limitsInMemory,
];
