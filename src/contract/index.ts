import { agent } from "./agent.ts";
import { appData } from "./app-data.ts";
import { apps } from "./apps.ts";
import { audit } from "./audit.ts";
import { blockedSenders } from "./blocked-senders.ts";
import { bulk } from "./bulk.ts";
import { changelog, consoleChangelog } from "./changelog.ts";
import { accountLinks, session } from "./console-session.ts";
import { consoleSessions } from "./account.ts";
import { cycles, slots } from "./cycles.ts";
import { devices } from "./devices.ts";
import { events } from "./events.ts";
import { failures } from "./failures.ts";
import { consoleFaqs, faqs } from "./faqs.ts";
import { feedback } from "./feedback.ts";
import { keys } from "./credentials.ts";
import { listings } from "./listings.ts";
import { live } from "./live.ts";
import { incomingMails } from "./correspondence.ts";
import { invitations, members } from "./members.ts";
import { notices } from "./notices.ts";
import { account, people } from "./people.ts";
import { preferences } from "./preferences.ts";
import { runs } from "./runs.ts";
import { savedReplies } from "./saved-replies.ts";
import { search } from "./search.ts";
import { signIn } from "./sign-in.ts";
import { passkeys, secondFactor } from "./sign-in-methods.ts";
import { start } from "./start.ts";
import { statistics } from "./statistics.ts";
import { tags } from "./tags.ts";
import { sessions } from "./test-sessions.ts";
import { tester } from "./tester.ts";
import { texts } from "./texts.ts";
import { readMarks, threads } from "./threads.ts";
import { tokens } from "./tokens.ts";
import { views } from "./views.ts";
import { webhooks } from "./webhooks.ts";

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
  preferences,
  secondFactor,
  passkeys,
  apps,
  appData,
  members,
  invitations,
  keys,
  start,
  tokens,
  threads,
  search,
  readMarks,
  views,
  bulk,
  statistics,
  live,
  tags,
  savedReplies,
  blockedSenders,
  incomingMails,
  failures,
  runs,
  consoleFaqs,
  consoleChangelog,
  texts,
  listings,
  cycles,
  slots,
  devices,
  audit,
  people,
  account,
  notices,
  webhooks,
  events,
} as const;

export type Contract = typeof contract;
