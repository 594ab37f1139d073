import { describe, expect, it } from "vitest";
import { type ReachCounts, reachInWords } from "../../../../server/mail/outgoing/rules.ts";

const none: ReachCounts = {
  ...{ receivers: 0, senders: 0, unconfirmed: 0, unsubscribed: 0, mailed: 0, full: 0, unaddressed: 0 },
};

describe("the words about the senders whom a release note reaches (rule M15)", () => {
  it.each<{ readonly counts: Partial<ReachCounts>; readonly says: string }>([
    { counts: { receivers: 1, senders: 1 }, says: "1 of 1 sender gets a mail." },
    { counts: { receivers: 2, senders: 2 }, says: "2 of 2 senders get a mail." },
    {
      counts: { senders: 1, unconfirmed: 1 },
      says: "0 of 1 sender gets a mail. 1 has not answered a mail yet.",
    },
    {
      counts: { receivers: 1, senders: 3, unconfirmed: 2 },
      says: "1 of 3 senders gets a mail. 2 have not answered a mail yet.",
    },
    {
      counts: { receivers: 1_000, senders: 2_006, unconfirmed: 1_001, unsubscribed: 2, mailed: 1, full: 2 },
      says: "1,000 of 2,006 senders get a mail. 1,001 have not answered a mail yet. 2 have unsubscribed. 1 has already got a mail about this note. 2 have got 3 mails about release notes in the last 24 hours.",
    },
    { counts: { unaddressed: 2 }, says: "No sender gets a mail. 2 reports have no mail address." },
    {
      counts: { senders: 2, unaddressed: 1, reasonForAll: "noMail" },
      says: "0 of 2 senders get a mail. This server sends no mail.",
    },
  ])("are $says", ({ counts, says }) => {
    expect(reachInWords({ ...none, ...counts })).toBe(says);
  });
});
