import { describe, expect, it } from "vitest";
import { settledUntil } from "../../../../server/feedback/unread/rules.ts";

const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1, 12) + seconds * 1_000).toISOString();

describe("the time until which all threads count as read", () => {
  it("is the time of the oldest view that is still stored", () => {
    expect(settledUntil({ newest: at(600), lastKept: at(300) })).toBe(at(300));
  });

  it("is one minute before the newest activity, because other changes of that minute may not be stored yet", () => {
    expect(settledUntil({ newest: at(600), lastKept: at(590) })).toBe(at(540));
  });
});
