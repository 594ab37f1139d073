import type { Example } from "./components.ts";

const appId = "0198c1a3-4c77-7d54-9ebf-6a7b8c9daebb";
const faqId = "0198c1a2-7d31-7c52-9e0f-5b8f0f6f2a11";

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
export const consoleExamples: Readonly<Record<string, Example>> = {
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
  "tokens.create": { request: { kind: "maintainer", label: "Releases", scopes: ["changelog:write"], appId } },
  "tokens.rotate": { request: { graceMinutes: 10 } },
  "threads.update": { request: { status: "in_progress", addTags: ["crash"] } },
  "savedReplies.create": { request: { title: "Thanks", body: "Thank you, {name}! See {statusUrl}." } },
  "savedReplies.update": { request: { title: "Many thanks" } },
  "blockedSenders.create": { request: { kind: "address", sender: "eve@example.org" } },
  "tags.create": { request: { name: "crash", colour: "red" } },
  "tags.update": { request: { name: "crashes" } },
  "tags.merge": { request: { into: faqId } },
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
      faqs: [{ id: faqId }, { question: "How do I export?", answer: "Open *Settings*." }],
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
