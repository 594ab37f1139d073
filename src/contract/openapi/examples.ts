import type { Example } from "./schemas.ts";

const faqId = "0198c1a2-7d31-7c52-9e0f-5b8f0f6f2a11";

const threadId = "0198c1a2-8a10-7f2b-8d3e-1c2d3e4f5a66";

const runId = "0198c1a3-0b77-7e4d-9a1b-2c3d4e5f6a77";

const claimId = "0198c1a3-0f88-7a01-8b2c-4c5d6e7f8a99";

const slotId = "0198c1a3-19c4-7d11-8f00-3d4e5f6a7b88";

const cycleId = "0198c1a3-2a55-7b32-9c9d-4e5f6a7b8c99";

const listingId = "0198c1a3-3b66-7c43-8dae-5f6a7b8c9daa";

const appId = "0198c1a3-4c77-7d54-9ebf-6a7b8c9daebb";

const at = "2026-11-21T09:30:00.000Z";

const endOfDay = "2026-11-22T00:00:00.000Z";

const faq = {
  id: faqId,
  question: "How do I export my recipes?",
  answer: "Open **Settings**, then *Export*.",
  sortOrder: 3,
};

const listedFaq = { ...faq, createdAt: at, updatedAt: at, pushedHash: null, pushedSortOrder: null };

const entry = {
  id: "0198c1a3-5d88-7e65-8fc0-7b8c9daebfcc",
  title: "Faster search",
  version: "2.4.0",
  versions: [{ platform: "android", version: "2.4.0 (240)" }],
  releaseType: "minor",
  bodyFormat: "items",
  body: "",
  items: [{ type: "added", text: "Search finds ingredients" }],
  publishedAt: at,
};

const app = {
  name: "Larder",
  iconUrl: "https://larder.example/icon.png",
  packageName: "com.example.larder",
  optInUrl: "https://play.google.com/apps/testing/com.example.larder",
};

const slot = {
  ...{ slotId, cycleId, status: "active", app, dayIndex: 3, durationDays: 14, cycleStatus: "running" },
  ...{ missedDays: 0, lastProofDayIndex: 2, joinCheckPending: false, requestExpiresAt: null },
  ...{ verificationTier: "sdk", testKey: "stk_…" },
};

const grant = {
  token: "sdt_…",
  expiresAt: "2027-02-19T09:30:00.000Z",
  scopes: ["testing:read", "testing:profile:write", "testing:slots:write", "testing:proofs:write"],
  profile: { timezone: "Europe/London", isTester: true },
};

const account = {
  email: "priya@example.org",
  password: "a long passphrase of her own",
  deviceId: "pixel-8-priya",
  deviceName: "Priya's Pixel",
  timezone: "Europe/London",
};

const plan = "1. Guard the handler.\n2. Add a test.";

const run = {
  ...{ id: runId, status: "approved", decisionNote: "Also on tablets, please.", decidedAt: at },
  ...{ replacedBy: null, decision: "approve", feedbackId: threadId },
  consoleUrl: `http://127.0.0.1:4700/console/feedback/${appId}/${threadId}`,
  ...{ summary: "Open the settings page once", plan },
  planSha256: "4f0c2d3be0f8f4f3a4a4c8f7f5f0c3a1b2d4e6f8091a2b3c4d5e6f708192a3b4",
  ...{ expiresAt: null, claim: { worker: "build-7", claimedAt: at, releasedAt: null } },
  ...{ progress: { text: "The guard is in.", reportedAt: at, count: 1 }, outcome: null },
};

const outcome = {
  ...{ status: "succeeded", summary: "The settings page opens once. Tests pass." },
  links: ["https://github.com/larder/android/pull/318"],
};

const thread = {
  app: { id: appId, name: "Larder" },
  feedback: {
    ...{ id: threadId, consoleUrl: run.consoleUrl, subject: "Settings close", category: "bug" },
    ...{ message: "The settings page closes when it is opened twice.", status: "open" },
    ...{ metadata: { build: 240 }, images: [], videos: [], attachments: [], githubIssueUrl: null },
    ...{ source: "android", occurrences: 1, createdAt: at },
  },
  messages: [{ id: faqId, direction: "note", author: "team", body: "Seen on tablets, too.", createdAt: at }],
  omittedMessages: 0,
  latestProposal: null,
};

const exampleAppId = "0198c1a3-4c77-7d54-9ebf-6a7b8c9daebb";

const exampleFaqId = "0198c1a2-7d31-7c52-9e0f-5b8f0f6f2a11";

const note = {
  title: "Faster search",
  versions: [{ platform: "android", version: "2.4.0 (240)" }],
  releaseType: "minor",
  bodyFormat: "items",
  items: [{ type: "added", text: "Search finds ingredients" }],
  publish: true,
};

const linkToken = "VGhpcyBpcyBubyByZWFsIHRva2VuIG9mIGEgbGluay4";

/** Bodies of the console's API, by `operationId`. */
const consoleExamples: Readonly<Record<string, Example>> = {
  "readMarks.update": { request: { read: true }, answer: { unread: false } },
  "readMarks.updateAll": { request: { status: "open", until: "2026-05-01T09:00:00.000Z" } },
  "session.create": { request: { email: "ada@example.org", password: "a long passphrase of her own" } },
  "accountLinks.signUp": { request: { email: "ada@example.org" } },
  "accountLinks.finishSignUp": {
    request: { token: linkToken, password: "a long passphrase of her own" },
  },
  "accountLinks.recover": { request: { email: "ada@example.org" } },
  "accountLinks.finishRecovery": {
    request: { token: linkToken, newPassword: "a longer passphrase of her own" },
  },
  "session.finish": { request: { step: "dGhlIHNlYWxlZCBmaXJzdCBzdGVw", code: "287082" } },
  "session.askPasskey": { request: { step: "dGhlIHNlYWxlZCBmaXJzdCBzdGVw" } },
  "passkeys.begin": { request: { code: "287082" } },
  "passkeys.create": {
    request: {
      ceremony: "dGhlIHNlYWxlZCBxdWVzdGlvbg==",
      name: "Phone",
      id: "QSBwYXNza2V5",
      clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0",
      attestationObject: "o2NmbXRkbm9uZQ",
      transports: ["internal"],
    },
  },
  "passkeys.remove": { request: { code: "287082" } },
  "secondFactor.begin": { request: { currentPassword: "a long passphrase of her own" } },
  "secondFactor.confirm": { request: { code: "287082" } },
  "secondFactor.renewRecoveryCodes": { request: { code: "287082" } },
  "secondFactor.remove": { request: { code: "kfx3-97hq-m2wd-bc8t" } },
  "session.firstPassword": { request: { newPassword: "a long passphrase of her own" } },
  "session.changePassword": {
    request: {
      currentPassword: "a long passphrase of her own",
      newPassword: "a longer passphrase of her own",
    },
  },
  "apps.create": { request: { name: "Larder", githubRepository: "larder/android" } },
  "appData.import": { request: { name: "Larder, second" } },
  "apps.update": { request: { changelogEnabled: true } },
  "members.update": { request: { role: "maintainer" } },
  "invitations.create": { request: { email: "grace@example.org", role: "viewer" } },
  "account.remove": {
    request: { email: "ada@example.org", currentPassword: "a long passphrase of her own" },
  },
  "people.preview": { request: { email: "grace@example.org" } },
  "people.erase": { request: { email: "grace@example.org" } },
  "people.check": { request: { email: "grace@example.org" } },
  "keys.create": { request: { label: "CI", kind: "intake" } },
  "tokens.create": {
    request: { kind: "maintainer", label: "Releases", scopes: ["changelog:write"], appId: exampleAppId },
  },
  "tokens.rotate": { request: { graceMinutes: 10 } },
  "threads.update": { request: { status: "in_progress", addTags: ["crash"] } },
  "savedReplies.create": { request: { title: "Thanks", body: "Thank you, {name}! See {statusUrl}." } },
  "savedReplies.update": { request: { title: "Many thanks" } },
  "blockedSenders.create": { request: { kind: "address", sender: "eve@example.org" } },
  "tags.create": { request: { name: "crash", colour: "red" } },
  "tags.update": { request: { name: "crashes" } },
  "tags.merge": { request: { into: exampleFaqId } },
  "failures.resolve": {
    request: {
      scope: "ci test linux main",
      run: "8412",
      runUrl: "https://ci.example.com/runs/8412",
      startedAt: "2026-03-02T09:00:00Z",
      passed: ["login-smoke-test", { prefix: "junit:4f1c:" }],
    },
  },
  "threads.addMessage": { request: { direction: "note", body: "Seen on tablets, too." } },
  "threads.renewStatusLink": {
    request: {},
    answer: { statusUrl: "http://127.0.0.1:4700/p/t/AZH9o9zudEe23kLIw8gvjQAAAAAAkUeXyGO6rYQWLmW1oXbP9A" },
  },
  "runs.decide": { request: { decision: "request_changes", note: "Also on tablets, please." } },
  "runs.release": { request: { claimedAt: "2026-05-01T12:00:00.000Z" } },
  "runs.recall": { request: { note: "Wait for the new design." } },
  "consoleFaqs.create": { request: { question: "How do I export?", answer: "Open *Settings*." } },
  "consoleFaqs.update": { request: { sortOrder: 3 } },
  "consoleFaqs.replace": {
    request: {
      faqs: [{ id: exampleFaqId }, { question: "How do I export?", answer: "Open *Settings*." }],
    },
  },
  "consoleChangelog.create": { request: { ...note, version: "2.4.0" } },
  "consoleChangelog.put": { request: note },
  "consoleChangelog.update": { request: { title: "Faster search" } },
  "listings.create": {
    request: {
      appName: "Larder",
      packageName: "com.example.larder",
      optInUrl: "https://play.google.com/apps/testing/com.example.larder",
      testBrief: "Add a recipe.",
      screens: ["Home", "Settings"],
      verificationTier: "sdk",
    },
  },
  "listings.update": { request: { testBrief: "Add a recipe with a photo." } },
  "cycles.create": { request: { startsOn: "2026-11-23", timezone: "Europe/London" } },
  "cycles.cancel": { request: {} },
  "slots.accept": { request: {} },
  "slots.decline": { request: {} },
  "slots.remove": { request: {} },
  "slots.rotateKey": { request: {} },
  "slots.confirmJoin": { request: {} },
  "slots.assign": { request: { email: "priya@example.org" } },
};

/** By `operationId`. Each is valid by the schemas of its endpoint. */
export const examples: Readonly<Record<string, Example>> = {
  ...consoleExamples,
  "feedback.submit": {
    request: {
      type: "bug",
      message: "The settings page closes when it is opened twice.",
      email: "ada@example.org",
      metadata: { build: 240, locale: "en-GB" },
      source: "android",
      images: ["data:image/png;base64,iVBORw0KGgo…"],
      attachments: [{ name: "log.pdf", data: "data:application/pdf;base64,JVBERi0x…" }],
    },
    answer: {
      ...{ success: true, id: threadId, consoleUrl: run.consoleUrl },
      statusUrl: "http://127.0.0.1:4700/p/t/AZH9o9zudEe23kLIw8gvjQAAAAAAkUeXyGO6rYQWLmW1oXbP9A",
    },
  },
  "faqs.list": { answer: [listedFaq] },
  "faqs.replace": {
    request: { faqs: [{ id: faqId }, { question: "Is it free?", answer: "Yes.", sortOrder: 4 }] },
    answer: [listedFaq],
  },
  "faqs.create": { request: { question: faq.question, answer: faq.answer }, answer: faq },
  "faqs.update": { request: { sortOrder: 3 }, answer: faq },
  "faqs.remove": { answer: { success: true } },
  "changelog.list": { answer: { entries: [entry] } },
  "sessions.report": {
    request: {
      testKey: "stk_…",
      startedAt: "2026-11-21T10:15:00.000+01:00",
      endedAt: "2026-11-21T10:16:30.000+01:00",
      screens: ["Home", "Settings"],
      appVersion: "2.4.0",
    },
    answer: { matched: true, counted: true, dayIndex: 3, reason: null },
  },
  "sessions.status": {
    answer: {
      ...{ matched: true, dayIndex: 3, durationDays: 14, countedToday: true, daysCounted: 3 },
      dueBy: endOfDay,
    },
  },
  "signIn.exchange": {
    request: {
      code: "k3Vt0wq…",
      verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
      deviceId: "pixel-8-priya",
      timezone: "Europe/London",
    },
    answer: grant,
  },
  "signIn.await": {
    request: {
      deviceId: "pixel-8-priya",
      challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      wait: 55,
    },
    answer: { code: "k3Vt0wq…" },
  },
  "signIn.register": { request: account, answer: grant },
  "signIn.token": { request: account, answer: grant },
  "tester.tasks": {
    answer: {
      tasks: [
        {
          ...{ slotId, cycleId, listingId, appName: app.name, iconUrl: app.iconUrl },
          ...{ packageName: app.packageName, optInUrl: app.optInUrl, testBrief: "Add a recipe." },
          ...{ dayIndex: 3, durationDays: 14, targetScreen: "Settings", dueBy: endOfDay },
          ...{ submitted: false, slotStatus: "active", missedDays: 0, joinCheckPending: false },
          ...{ verificationTier: "sdk", testKey: "stk_…" },
        },
      ],
      outstanding: 1,
    },
  },
  "tester.slots": { answer: { slots: [slot] } },
  "tester.listings": {
    answer: {
      listings: [
        {
          ...{ listingId, cycleId, appName: app.name, iconUrl: app.iconUrl, packageName: app.packageName },
          ...{ testBrief: "Add a recipe.", durationDays: 14, seatsFree: 4, openSlotId: slotId },
          ...{ startsOn: "2026-11-19", cycleStatus: "running" },
        },
      ],
      nextCursor: null,
    },
  },
  "tester.submitProof": {
    request: {
      slotId,
      capturedAt: "2026-11-21T10:15:00.000+01:00",
      queuedAt: "2026-11-21T10:15:02.000+01:00",
      note: "The new search",
    },
    answer: { proofId: faqId, slotId, dayIndex: 3, submitted: true },
  },
  "tester.requestSlot": { request: {}, answer: { slot: { ...slot, status: "requested" } } },
  "tester.rotateKey": { request: {}, answer: { slot } },
  "tester.updateProfile": { request: { timezone: "Europe/London" }, answer: grant.profile },
  "agent.readThread": { answer: thread },
  "agent.listFeedback": {
    answer: {
      items: [
        {
          ...{ id: thread.feedback.id, app: thread.app, subject: thread.feedback.subject, type: "bug" },
          ...{
            status: "open",
            createdAt: thread.feedback.createdAt,
            activeAt: run.decidedAt,
            occurrences: 1,
          },
          ...{ consoleUrl: run.consoleUrl, waiting: "approved", runId },
        },
      ],
      nextCursor: null,
      changes: "NGYxYzJhIDE3",
    },
  },
  "agent.listRuns": {
    answer: {
      items: [
        {
          ...{ id: runId, status: "approved", decision: "approve", summary: run.summary },
          ...{ createdAt: thread.feedback.createdAt, decidedAt: run.decidedAt, replacedBy: null },
          ...{ feedbackId: thread.feedback.id, subject: thread.feedback.subject, app: thread.app },
          consoleUrl: run.consoleUrl,
        },
      ],
      nextCursor: null,
    },
  },
  "agent.propose": {
    request: { summary: run.summary, plan, expectedRunId: null },
    answer: { runId, status: "awaiting_approval", pollUrl: `/api/v1/agent/runs/${runId}` },
  },
  "agent.readRun": { answer: run },
  "agent.claimRun": {
    request: { worker: "build-7" },
    answer: { claimId, worker: "build-7", claimedAt: at, run },
  },
  "agent.reportProgress": { request: { claimId, text: "The guard is in." }, answer: run.progress },
  "agent.reportOutcome": {
    request: { claimId, ...outcome },
    answer: { ...run, outcome: { ...outcome, reportedAt: at } },
  },
};
