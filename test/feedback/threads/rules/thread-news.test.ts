import { describe, expect, it } from "vitest";
import { threadNews } from "../../../../server/feedback/unread/rules.ts";

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString();

describe("what is new on a thread", () => {
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

  it("is what others wrote later", () => {
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
    ["a later decision of somebody else", proposal("other", 1, "approve"), true],
    ["not one from before", proposal("other", 0, "approve"), false],
    ["not an own one", proposal("own", 1, "approve"), false],
    ["not a replacement, which is a proposal", proposal("other", 1, "replaced"), false],
    ["not a proposal that waits", proposal("other", null, null), false],
  ])("is %s", (_, one, decided) => {
    expect(threadNews({ messages: [], proposals: [one] }, reader)).toEqual({
      first: undefined,
      messages: 0,
      decided,
    });
  });
});
