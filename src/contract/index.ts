import { consoleSessions, passkeys, preferences, secondFactor } from "./account.ts";
import { agent } from "./agent.ts";
import { appData } from "./app-data.ts";
import { apps } from "./apps.ts";
import { audit } from "./audit.ts";
import { bulk } from "./bulk.ts";
import { changelog, consoleChangelog } from "./changelog.ts";
import { accountLinks, session } from "./console-session.ts";
import { blockedSenders, incomingMails, savedReplies } from "./correspondence.ts";
import { keys, tokens } from "./credentials.ts";
import { cycles, listings, slots } from "./cycles.ts";
import { events, live, webhooks } from "./events.ts";
import { consoleFaqs, faqs } from "./faqs.ts";
import { failures, feedback } from "./feedback.ts";
import { notices } from "./notices.ts";
import { account, invitations, members, people } from "./people.ts";
import { runs } from "./runs.ts";
import { devices, signIn } from "./sign-in.ts";
import { start } from "./start.ts";
import { statistics } from "./statistics.ts";
import { tags } from "./tags.ts";
import { sessions } from "./test-sessions.ts";
import { tester } from "./tester.ts";
import { texts } from "./texts.ts";
import { readMarks, search, threads } from "./threads.ts";
import { views } from "./views.ts";

/** All endpoints of the API, by group. */
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
