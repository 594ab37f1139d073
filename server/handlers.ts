import type { Contract } from "../src/contract/index.ts";
import { account, consoleSessionList, devices, preferences } from "./access/accounts/api.ts";
import { apiKeyHandlers, apps } from "./access/apps/api.ts";
import { audit } from "./access/audit/api.ts";
import { invitations, members } from "./access/members/api.ts";
import { accountLinkHandlers, consoleSession, signIn } from "./access/sign-in/api.ts";
import { passkeyHandlers, secondFactorHandlers } from "./access/sign-in-methods/api.ts";
import { start } from "./access/start/api.ts";
import { tokens } from "./access/tokens/api.ts";
import { iconUrlOf } from "./console/assets.ts";
import { changelog, consoleChangelog, releaseDrafts } from "./content/changelog/api.ts";
import { consoleFaqs, faqs } from "./content/faqs/api.ts";
import { texts } from "./content/texts/api.ts";
import type { Deps } from "./deps.ts";
import { people } from "./erasure/api.ts";
import { agent } from "./feedback/agent-work/api.ts";
import { blockedSenders } from "./feedback/blocked-senders/api.ts";
import { bulk } from "./feedback/bulk/api.ts";
import { failures } from "./feedback/failures/api.ts";
import { inbox, views } from "./feedback/inbox/api.ts";
import { live } from "./feedback/live/api.ts";
import { merge } from "./feedback/merge/api.ts";
import { addMessage } from "./feedback/messages/api.ts";
import { consoleProposals } from "./feedback/proposals/api.ts";
import { feedback } from "./feedback/reports/api.ts";
import { savedReplies } from "./feedback/saved-replies/api.ts";
import { search } from "./feedback/search/api.ts";
import { similar } from "./feedback/similar/api.ts";
import { statistics } from "./feedback/statistics/api.ts";
import { tags } from "./feedback/tags/api.ts";
import { readMarks, threads } from "./feedback/threads/api.ts";
import type { HandlersOf } from "./http/handler.ts";
import { incomingMails } from "./mail/incoming/api.ts";
import { noticeBrowsers } from "./notices/browsers/api.ts";
import { notices } from "./notices/choices/api.ts";
import { cycles, slots } from "./testing/cycles/api.ts";
import { listings } from "./testing/listings/api.ts";
import { testSessionHandlers } from "./testing/sessions/api.ts";
import { proofs, tester } from "./testing/tester/api.ts";
import { appData } from "./transfer/api.ts";
import { webhooks } from "./webhooks/endpoints/api.ts";
import { events } from "./webhooks/events/api.ts";

/** Creates a handler for every endpoint. The API and the console's pages use the same handlers. */
export const createHandlers = (deps: Deps): HandlersOf<Contract> => ({
  feedback: feedback(deps),
  faqs: faqs(deps),
  changelog: changelog(deps),
  sessions: testSessionHandlers(deps),
  signIn: signIn(deps),
  tester: { ...tester(deps, iconUrlOf(deps.settings)), ...proofs(deps) },
  agent: agent(deps),
  session: consoleSession(deps),
  accountLinks: accountLinkHandlers(deps),
  consoleSessions: consoleSessionList(deps),
  preferences: preferences(deps),
  secondFactor: secondFactorHandlers(deps),
  passkeys: passkeyHandlers(deps),
  apps: apps(deps),
  appData: appData(deps),
  members: members(deps),
  invitations: invitations(deps),
  keys: apiKeyHandlers(deps),
  start: start(deps),
  tokens: tokens(deps),
  threads: {
    ...threads(deps),
    ...inbox(deps),
    ...merge(deps),
    ...similar(deps),
    addMessage: addMessage(deps),
  },
  search: search(deps),
  readMarks: readMarks(deps),
  statistics: statistics(deps),
  live: live(deps),
  tags: tags(deps),
  blockedSenders: blockedSenders(deps),
  incomingMails: incomingMails(deps),
  savedReplies: savedReplies(deps),
  views: views(deps),
  bulk: bulk(deps),
  failures: failures(deps),
  runs: consoleProposals(deps),
  consoleFaqs: consoleFaqs(deps),
  consoleChangelog: { ...consoleChangelog(deps), ...releaseDrafts(deps) },
  texts: texts(deps),
  listings: listings(deps),
  cycles: cycles(deps),
  slots: slots(deps),
  devices: devices(deps),
  audit: audit(deps),
  people: people(deps),
  account: account(deps),
  notices: { ...notices(deps), ...noticeBrowsers(deps) },
  webhooks: webhooks(deps),
  events: events(deps),
});
