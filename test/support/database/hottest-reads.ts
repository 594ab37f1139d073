import { apps } from "../../../server/access/apps/store.ts";
import { credentials } from "../../../server/access/credentials.ts";
import { changelog } from "../../../server/content/changelog/store.ts";
import { faqs } from "../../../server/content/faqs/store.ts";
import type { Database } from "../../../server/database/database.ts";
import { findThreads } from "../../../server/feedback/agent-work/store/work.ts";
import { listThreads } from "../../../server/feedback/inbox/store.ts";
import { messages } from "../../../server/feedback/messages/store.ts";
import { proposals } from "../../../server/feedback/proposals/store.ts";
import { tags, threadTags } from "../../../server/feedback/tags/store.ts";
import { feedbackThreads } from "../../../server/feedback/threads/store/threads.ts";
import { threadNews, unreadCounts } from "../../../server/feedback/unread/store/news.ts";
import { idempotency } from "../../../server/http/idempotency-store.ts";
import { mails } from "../../../server/mail/outgoing/store.ts";
import { cycles, slotRequests, slots } from "../../../server/testing/cycles/store.ts";
import { testSessions } from "../../../server/testing/sessions/store.ts";
import { openListings, testerSlots } from "../../../server/testing/tester/store.ts";
import { idOf, ids } from "../../bench/growth/requests/measured.ts";

/** The person who is a member of 25 apps of the generated data. */
export const personId = idOf("19", 1);
const now = "2027-01-01T00:00:00.000Z";
const viewer = { userId: personId, appId: null, needs: "viewer", kind: "session" } as const;
const agent = { userId: personId, appId: null, needs: "owner", kind: "agentToken" } as const;
const top = { position: ["9999", "g"], limit: 51 };
const page = Array.from({ length: 50 }, (_, n) => idOf("a", n + 1));
const pathOf = (id: string) => ({ scope: id, key: id, inDoubt: undefined });

const day = "'2026-01-01T00:00:00.000Z'";
const later = "'2028-01-01T00:00:00.000Z'";
const nth = (text: string) => `'${text} ' || CAST(n AS text)`;
const numbers =
  "WITH RECURSIVE numbers AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000)";

/** Two thousand credentials of each kind, webhooks, and waiting mails, because the generated data has none. */
export const credentialRows: readonly string[] = [
  `INSERT INTO sessions (token_hash, user_id, created_at, expires_at)
   ${numbers} SELECT ${nth("hash")}, '${personId}', ${day}, ${later} FROM numbers`,
  `INSERT INTO app_keys (id, app_id, label, kind, prefix, key_hash, created_at)
   ${numbers} SELECT ${nth("key")}, '${ids.app}', 'CI', 'app', 'p', ${nth("hash")}, ${day} FROM numbers`,
  `INSERT INTO tokens (id, user_id, kind, label, scopes, prefix, token_hash, created_at, created_by)
   ${numbers} SELECT ${nth("token")}, '${personId}', 'agent', 'CI', '', 'p', ${nth("hash")}, ${day}, 'ada' FROM numbers`,
  `INSERT INTO oauth_tokens (token_hash, connection_id, client_id, kind, created_at, expires_at)
   ${numbers} SELECT ${nth("hash")}, ${nth("token")}, 'client', 'access', ${day}, ${later} FROM numbers`,
  `INSERT INTO devices (id, device_id, user_id, name, scopes, prefix, token_hash, created_at, expires_at)
   ${numbers} SELECT ${nth("device")}, ${nth("device")}, '${personId}', 'Phone', '', 'p', ${nth("hash")}, ${day}, ${later} FROM numbers`,
  `INSERT INTO webhooks (id, app_id, url, secret, created_at)
   ${numbers} SELECT ${nth("webhook")}, '${ids.app}', 'u', 's', ${day} FROM numbers`,
  `INSERT INTO idempotency (scope, key, fingerprint, expires_at)
   ${numbers} SELECT ${nth("key")}, ${nth("key")}, '', ${later} FROM numbers`,
  `INSERT INTO mails (id, kind, lane, recipient, content, status, attempts, due_at, send_before, created_at)
   ${numbers} SELECT ${nth("mail")}, 'notice', 'bulk', 'r', 'c', 'waiting', 0, ${day}, ${later}, ${day} FROM numbers`,
];

/**
 * The statements that most requests of `test/bench/growth` run, and the index with which each statement reads its large
 * tables: a regular expression for the names on both engines.
 */
export const hottestReads: readonly (readonly [
  name: string,
  tables: Readonly<Record<string, string>>,
  read: (database: Database) => Promise<unknown>,
])[] = [
  ["the session of a person", { s: "sessions" }, (db) => credentials.findSession(db, "hash 7", now)],
  ["the key of an app", { k: "app_keys" }, (db) => credentials.findAppKey(db, "hash 7")],
  ["a token", { t: "tokens" }, (db) => credentials.findToken(db, "hash 7")],
  ["a connection", { o: "oauth_tokens" }, (db) => credentials.findConnection(db, "hash 7")],
  ["the device of a tester", { d: "devices" }, (db) => credentials.findDevice(db, "hash 7")],
  [
    "a kept answer",
    { idempotency: "idempotency" },
    (db) => idempotency.find(db, pathOf("key 7"), new Date(now)),
  ],
  ["the apps of a person", { v: "app_members" }, (db) => apps.list(db, viewer)],
  ["an app of a person", { a: "apps" }, (db) => apps.find(db, ids.app, viewer)],
  [
    "the counts of every page",
    { f: "feedback_by_waiting", l: "thread_looks" },
    (db) => unreadCounts(db, personId),
  ],
  [
    "requests for slots",
    { s: "slots_(asked|requested)" },
    (db) => slotRequests.countByApp(db, personId, now),
  ],
  [
    "the waiting mails of the apps of an owner",
    { m: "mails_unsent_by_app" },
    (db) => mails.waitingOf(db, personId),
  ],
  [
    "the waiting mails of an app",
    { m: "mails_unsent_by_app" },
    (db) => mails.waitingOf(db, personId, ids.app),
  ],
  ["running tests", { c: "cycles_by" }, (db) => cycles.runningOf(db, personId, 200)],
  ["the slots of tests", { s: "slots_by_cycle" }, (db) => slots.ofCycles(db, [idOf("c", 1), idOf("c", 2)])],
  ["the tags of a page", { x: "thread_tags" }, (db) => threadTags.of(db, page)],
  ["the tags of an app", { tags: "tags" }, (db) => tags.list(db, ids.app)],
  ["the news of a page", { n: "messages", l: "thread_looks" }, (db) => threadNews(db, personId, page)],
  [
    "the inbox",
    { f: "feedback_by" },
    (db) => listThreads(db, { appId: ids.app, userId: personId, order: "activity" }, top),
  ],
  ["an agent's list", { f: "feedback_by" }, (db) => findThreads(db, { viewer: agent, filters: {} }, top)],
  ["a thread", { f: "feedback" }, (db) => feedbackThreads.findThread(db, idOf("a", 1), viewer)],
  [
    "a thread for an agent",
    { f: "feedback" },
    (db) => feedbackThreads.findThreadForAgent(db, idOf("a", 1), agent),
  ],
  [
    "two threads for agents",
    { f: "feedback" },
    async (db) => {
      const find = feedbackThreads.createFindThreadForAgent(db);
      await Promise.all([1, 2].map((n) => find({ id: idOf("a", n), viewer: agent })));
    },
  ],
  ["the messages of a thread", { m: "messages" }, (db) => messages.list(db, idOf("a", 1))],
  ["a proposal", { r: "runs" }, (db) => proposals.find(db, idOf("c", 5), agent)],
  [
    "the report of the same failure",
    { feedback: "feedback_by_dedupe_key" },
    (db) => db.write((tx) => feedbackThreads.findRepeated(tx, { appId: ids.app }, "failure 1")),
  ],
  ["the FAQ of an app", { faqs: "faqs" }, (db) => faqs.list(db, ids.app)],
  [
    "release notes of an app",
    { changelog_entries: "changelog" },
    (db) => changelog.listPublished(db, ids.app, { now, limit: 20 }),
  ],
  [
    "the slot of a test key",
    { s: "slots" },
    (db) => testSessions.findSlot(db, { appId: ids.app, keyHash: "hash 1" }),
  ],
  ["the tasks of a tester", { s: "slots" }, (db) => testerSlots.listActive(db, personId)],
  [
    "open listings",
    { o: "slots_open", r: "slots_asked" },
    (db) => openListings(db, { testerId: personId, now, ...top }),
  ],
];
