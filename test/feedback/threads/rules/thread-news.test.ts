import { describe, expect, it } from "vitest";
import { threadNews } from "../../../../server/feedback/unread/rules.ts";

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString();

describe("the news on a thread for a person", () => {
  const message = (id: string, minute: number, writtenBy?: string) => ({
    ...({ id, direction: "note", author: "team", body: "", createdAt: at(minute) } as const),
    ...(writtenBy === undefined ? {} : { writtenBy }),
  });
  const proposal = (id: string, minute: number | null, decision: "approve" | "replaced" | null) => ({
    ...({
      id,
      status: "awaiting_approval",
      summary: "",
      plan: "",
      decisionNote: null,
      replacedBy: null,
    } as const),
    ...{ decidedAt: minute === null ? null : at(minute), createdAt: at(-60), decision },
  });
  const reader = { since: at(0), email: "ada@example.org", deciders: new Map([["own", "ada@example.org"]]) };

  it("is everything that others wrote since the last view", () => {
    const messages = [
      message("old", 0),
      message("own", 1, "ada@example.org"),
      message("a", 2),
      message("b", 3, "bo@example.org"),
    ];
    expect(threadNews({ messages, proposals: [] }, reader)).toEqual({
      first: "a",
      messages: 2,
      decided: false,
    });
  });

  it.each([
    ["a decision of somebody else after the last view", proposal("other", 1, "approve"), true],
    ["no decision from before the last view", proposal("other", 0, "approve"), false],
    ["no decision of the person", proposal("own", 1, "approve"), false],
    ["no replacement, because the new proposal is already news", proposal("other", 1, "replaced"), false],
    ["no proposal that waits for a decision", proposal("other", null, null), false],
  ])("contains %s", (_, one, decided) => {
    expect(threadNews({ messages: [], proposals: [one] }, reader)).toEqual({
      first: undefined,
      messages: 0,
      decided,
    });
  });
});
