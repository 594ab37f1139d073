import { agent } from "./agent.ts";
import { changelog } from "./changelog.ts";
import { accountLinks } from "./console/account-links.ts";
import { keys } from "./console/api-keys.ts";
import { apps } from "./console/apps.ts";
import { audit } from "./console/audit.ts";
import { consoleChangelog } from "./console/changelog.ts";
import { session } from "./console/console-session.ts";
import { consoleSessions } from "./console/console-sessions.ts";
import { cycles } from "./console/cycles.ts";
import { appData } from "./console/data/app-data.ts";
import { devices } from "./console/devices.ts";
import { failures } from "./console/failures.ts";
import { consoleFaqs } from "./console/faqs.ts";
import { threads } from "./console/feedback.ts";
import { incomingMails } from "./console/inbox/mails.ts";
import { readMarks } from "./console/inbox/read-marks.ts";
import { listings } from "./console/listings.ts";
import { invitations, members } from "./console/members/members.ts";
import { passkeys } from "./console/passkeys.ts";
import { account } from "./console/people/account.ts";
import { people } from "./console/people/people.ts";
import { runs } from "./console/proposals.ts";
import { secondFactor } from "./console/second-factor.ts";
import { slots } from "./console/slots.ts";
import { tokens } from "./console/tokens.ts";
import { blockedSenders } from "./console/triage/blocked-senders.ts";
import { savedReplies } from "./console/triage/saved-replies.ts";
import { tags } from "./console/triage/tags.ts";
import { faqs } from "./faqs.ts";
import { feedback } from "./feedback.ts";
import { signIn } from "./sign-in.ts";
import { sessions } from "./test-sessions.ts";
import { tester } from "./tester.ts";

/** The whole API, by group. */
export const contract = {
  feedback,
  faqs,
  changelog,
  sessions,
  signIn,
  tester,
  agent,
  session,
  accountLinks,
  consoleSessions,
  secondFactor,
  passkeys,
  apps,
  appData,
  members,
  invitations,
  keys,
  tokens,
  threads,
  readMarks,
  tags,
  savedReplies,
  blockedSenders,
  incomingMails,
  failures,
  runs,
  consoleFaqs,
  consoleChangelog,
  listings,
  cycles,
  slots,
  devices,
  audit,
  people,
  account,
} as const;

export type Contract = typeof contract;
