import { describe, expect, it } from "vitest";
import { chatText, later, proposalNote } from "../../../server/domain/feedback/proposal.ts";

describe("a proposal", () => {
  it("keeps its summary and plan unchanged in a note", () => {
    const note = proposalNote({ summary: "Guard <it>.", plan: "1. Check.\n2. Test." });
    expect(note).toBe("An agent proposes:\n\nGuard <it>.\n\nPlan:\n\n1. Check.\n2. Test.");
  });

  it("cannot mention people in a chat channel", () => {
    const link = "https://innkeep.example/console/feedback/1";
    const told = { appName: "A & B", subject: "<!channel>", summary: "@here", link };
    expect(chatText(told)).toBe(
      `A proposal for A &amp; B awaits a decision: &lt;!channel&gt;\n@\u200bhere\n${link}`,
    );
  });
});

describe("the time of a decision", () => {
  const now = new Date("2026-05-01T12:00:00.000Z");
  it.each([
    [null, "2026-05-01T12:00:00.000Z"],
    ["2026-05-01T11:00:00.000Z", "2026-05-01T12:00:00.000Z"],
    ["2026-05-01T11:59:59.999Z", "2026-05-01T12:00:00.000Z"],
    ["2026-05-01T12:00:00.000Z", "2026-05-01T12:00:00.001Z"],
    ["2026-05-01T13:00:00.000Z", "2026-05-01T13:00:00.001Z"],
  ])("after %s is %s", (earlier, expected) => {
    expect(later(now, earlier).toISOString()).toBe(expected);
  });
});
