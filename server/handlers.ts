import type { Contract } from "../src/contract/index.ts";
import { iconUrlOf } from "./console/assets/icon-url.ts";
import type { Deps } from "./deps.ts";
import type { HandlersOf } from "./http/handler.ts";
import { accountLinkHandlers } from "./routes/access/account-links/account-links.ts";
import { apiKeyHandlers } from "./routes/access/api-keys.ts";
import { apps } from "./routes/access/apps.ts";
import { audit } from "./routes/access/audit.ts";
import { consoleSession } from "./routes/access/console-session.ts";
import { consoleSessionList } from "./routes/access/console-sessions.ts";
import { devices } from "./routes/access/devices.ts";
import { invitations } from "./routes/access/members/invitations.ts";
import { members } from "./routes/access/members/members.ts";
import { account } from "./routes/access/people/account.ts";
import { people } from "./routes/access/people/people.ts";
import { passkeyHandlers } from "./routes/access/second-factor/passkeys.ts";
import { secondFactorHandlers } from "./routes/access/second-factor/second-factor.ts";
import { signIn } from "./routes/access/sign-in.ts";
import { tokens } from "./routes/access/tokens.ts";
import { appData } from "./routes/access/transfer/app-data.ts";
import { changelog } from "./routes/content/changelog.ts";
import { consoleChangelog } from "./routes/content/console-changelog.ts";
import { consoleFaqs } from "./routes/content/console-faqs.ts";
import { faqs } from "./routes/content/faqs.ts";
import { consoleFeedback } from "./routes/feedback/console-feedback.ts";
import { failures } from "./routes/feedback/failures.ts";
import { feedback } from "./routes/feedback/feedback.ts";
import { readMarks } from "./routes/feedback/read-marks.ts";
import { agent } from "./routes/feedback/runs/agent.ts";
import { consoleProposals } from "./routes/feedback/runs/console-proposals.ts";
import { blockedSenders } from "./routes/feedback/triage/blocked-senders.ts";
import { savedReplies } from "./routes/feedback/triage/saved-replies.ts";
import { tags } from "./routes/feedback/triage/tags.ts";
import { incomingMails } from "./routes/mail/incoming-mails.ts";
import { cycles } from "./routes/testing/cycles.ts";
import { listings } from "./routes/testing/listings.ts";
import { slots } from "./routes/testing/slots.ts";
import { testSessionHandlers } from "./routes/testing/test-sessions.ts";
import { tester } from "./routes/testing/tester.ts";

/** A handler for every endpoint of the contract. The API and the console's pages use the same ones. */
export const createHandlers = (deps: Deps): HandlersOf<Contract> => ({
  feedback: feedback(deps),
  faqs: faqs(deps),
  changelog: changelog(deps),
  sessions: testSessionHandlers(deps),
  signIn: signIn(deps),
  tester: tester(deps, iconUrlOf(deps.settings)),
  agent: agent(deps),
  session: consoleSession(deps),
  accountLinks: accountLinkHandlers(deps),
  consoleSessions: consoleSessionList(deps),
  secondFactor: secondFactorHandlers(deps),
  passkeys: passkeyHandlers(deps),
  apps: apps(deps),
  appData: appData(deps),
  members: members(deps),
  invitations: invitations(deps),
  keys: apiKeyHandlers(deps),
  tokens: tokens(deps),
  threads: consoleFeedback(deps),
  readMarks: readMarks(deps),
  tags: tags(deps),
  blockedSenders: blockedSenders(deps),
  incomingMails: incomingMails(deps),
  savedReplies: savedReplies(deps),
  failures: failures(deps),
  runs: consoleProposals(deps),
  consoleFaqs: consoleFaqs(deps),
  consoleChangelog: consoleChangelog(deps),
  listings: listings(deps),
  cycles: cycles(deps),
  slots: slots(deps),
  devices: devices(deps),
  audit: audit(deps),
  people: people(deps),
  account: account(deps),
});
