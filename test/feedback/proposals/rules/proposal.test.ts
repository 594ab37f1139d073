import { describe, expect, it } from "vitest";
import { chatPost, proposalMessage } from "../../../../server/feedback/chat/rules.ts";
import { later, proposalNote } from "../../../../server/feedback/proposals/rules.ts";

describe("a proposal", () => {
  it("keeps its summary and its plan unchanged in a note", () => {
    const note = proposalNote({ summary: "Guard <it>.", plan: "1. Check.\n2. Test." });
    expect(note).toBe("An agent proposes:\n\nGuard <it>.\n\nPlan:\n\n1. Check.\n2. Test.");
  });

  const link = "https://innkeep.example/console/feedback/1#proposal";
  const told = { app: { id: "1", name: "Larder" }, subject: "Crash", summary: "Guard it.", link };
  const chatText = (given: Parameters<typeof proposalMessage>[0]): string =>
    JSON.parse(chatPost("slack", proposalMessage(given), "https://chat.example/hook").body).text;

  it("is announced in a chat with our link first, and with each other text on a separate line", () => {
    expect(chatText(told)).toBe(
      `A proposal for Larder awaits a decision: ${link}\nReported by the public: “Crash”\nWritten by an agent: “Guard it.”`,
    );
  });

  it.each([
    ["a mention of a channel", "<!channel> @here", "&lt;!channel&gt; @ here"],
    ["a mention of a person", "ask @ada or ada@inn.test", "ask @ ada or ada@ inn. test"],
    ["an address", "https://evil.example/login", "https: //evil. example/login"],
    ["an address without a scheme", "see www.evil.example now", "see www. evil. example now"],
    ["a link of Markdown", "[Open](https://evil.example)", "\\[Open\\](https: //evil. example)"],
    ["a link of Slack", "<https://evil.example|Open>", "&lt;https: //evil. example\\|Open&gt;"],
    [
      "bold words and code",
      "**Approved** `rm` ~~no~~ _yes_",
      "\\*\\*Approved\\*\\* \\`rm\\` \\~\\~no\\~\\~ \\_yes\\_",
    ],
    ["a sign by its name", "Done :+1: :ok:", "Done : +1: : ok:"],
    ["lines", "Crash\nDecided\r\nYes\u2028So", "Crash Decided Yes So"],
    ["direction marks and what nobody sees", "a\u202eb\u200bc\u{e0041}d\u0007", "abcd"],
    ["the end of a quotation", 'Crash” “Approved"', "Crash' 'Approved'"],
    ["a version and an amount", "2.4.1 costs 3.50 €", "2.4.1 costs 3.50 €"],
    ["other scripts", "می\u200cخواهم 日本語 👩\u200d💻", "می\u200cخواهم 日本語 👩\u200d💻"],
  ])("is announced in a chat without an effect of %s", (_, words, shown) => {
    expect(chatText({ ...told, subject: words, summary: words })).toBe(
      `A proposal for Larder awaits a decision: ${link}\nReported by the public: “${shown}”\nWritten by an agent: “${shown}”`,
    );
  });

  it("is announced in a chat with a shortened subject", () => {
    const [, subject] = chatText({ ...told, subject: "a".repeat(500) }).split("\n");
    expect(subject).toBe(`Reported by the public: “${"a".repeat(99)}…”`);
  });
});

describe("the recorded time of a decision", () => {
  const now = new Date("2026-05-01T12:00:00.000Z");
  it.each([
    [null, "2026-05-01T12:00:00.000Z"],
    ["2026-05-01T11:00:00.000Z", "2026-05-01T12:00:00.000Z"],
    ["2026-05-01T11:59:59.999Z", "2026-05-01T12:00:00.000Z"],
    ["2026-05-01T12:00:00.000Z", "2026-05-01T12:00:00.001Z"],
    ["2026-05-01T13:00:00.000Z", "2026-05-01T13:00:00.001Z"],
  ])("at 12:00 is, after the earlier time %s, %s", (earlier, expected) => {
    expect(later(now, earlier).toISOString()).toBe(expected);
  });
});
