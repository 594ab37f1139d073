import { describe, expect, it } from "vitest";
import { nextView } from "../../../../server/feedback/unread/rules.ts";

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString();
const now = new Date(at(0));

describe("the mark of what is new on a page", () => {
  it.each([
    [
      "marks nothing as new at the first view",
      { lookedAt: null, sinceAt: null },
      { since: null, isDue: true },
    ],
    [
      "begins at the time when everything was marked as read, at the first view after it",
      { lookedAt: null, sinceAt: at(-90) },
      { since: at(-90), isDue: true },
    ],
    [
      "stays the same immediately after the last view",
      { lookedAt: at(-0.5), sinceAt: at(-90) },
      { since: at(-90), isDue: false },
    ],
    [
      "stays the same during the same visit",
      { lookedAt: at(-29), sinceAt: at(-90) },
      { since: at(-90), isDue: true },
    ],
    [
      "begins at the last view after the visit has ended",
      { lookedAt: at(-30), sinceAt: at(-90) },
      { since: at(-30), isDue: true },
    ],
    [
      "stays the same after the clock was set back",
      { lookedAt: at(60), sinceAt: at(-90) },
      { since: at(-90), isDue: false },
    ],
  ])("%s", (_, look, wanted) => {
    expect(nextView(now, look)).toEqual(wanted);
  });
});
