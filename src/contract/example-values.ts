/** Values that are used in the examples of several endpoints. */

export const faqId = "0198c1a2-7d31-7c52-9e0f-5b8f0f6f2a11";

export const threadId = "0198c1a2-8a10-7f2b-8d3e-1c2d3e4f5a66";

export const runId = "0198c1a3-0b77-7e4d-9a1b-2c3d4e5f6a77";

export const claimId = "0198c1a3-0f88-7a01-8b2c-4c5d6e7f8a99";

export const slotId = "0198c1a3-19c4-7d11-8f00-3d4e5f6a7b88";

export const cycleId = "0198c1a3-2a55-7b32-9c9d-4e5f6a7b8c99";

export const listingId = "0198c1a3-3b66-7c43-8dae-5f6a7b8c9daa";

export const appId = "0198c1a3-4c77-7d54-9ebf-6a7b8c9daebb";

export const at = "2026-11-21T09:30:00.000Z";

export const endOfDay = "2026-11-22T00:00:00.000Z";

export const app = {
  name: "Larder",
  iconUrl: "https://larder.example/icon.png",
  packageName: "com.example.larder",
  optInUrl: "https://play.google.com/apps/testing/com.example.larder",
};

export const slot = {
  ...{ slotId, cycleId, status: "active", app, dayIndex: 3, durationDays: 14, cycleStatus: "running" },
  ...{ missedDays: 0, lastProofDayIndex: 2, joinCheckPending: false, requestExpiresAt: null },
  ...{ verificationTier: "sdk", testKey: "stk_…" },
};

export const grant = {
  token: "sdt_…",
  expiresAt: "2027-02-19T09:30:00.000Z",
  scopes: ["testing:read", "testing:profile:write", "testing:slots:write", "testing:proofs:write"],
  profile: { timezone: "Europe/London", isTester: true },
};

export const plan = "1. Guard the handler.\n2. Add a test.";

export const run = {
  ...{ id: runId, status: "approved", decisionNote: "Also on tablets, please.", decidedAt: at },
  ...{ replacedBy: null, decision: "approve", feedbackId: threadId },
  consoleUrl: `http://127.0.0.1:4700/console/feedback/${appId}/${threadId}`,
  ...{ summary: "Open the settings page once", plan },
  planSha256: "4f0c2d3be0f8f4f3a4a4c8f7f5f0c3a1b2d4e6f8091a2b3c4d5e6f708192a3b4",
  ...{ expiresAt: null, claim: { worker: "build-7", claimedAt: at, releasedAt: null } },
  ...{ progress: { text: "The guard is in.", reportedAt: at, count: 1 }, outcome: null },
};

export const thread = {
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
