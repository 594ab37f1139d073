import { describe, expect, it } from "vitest";
import { nextView } from "../../../../server/feedback/unread/rules.ts";

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString();
const now = new Date(at(0));

describe("the next view of a page", () => {
  it.each([
    ["the first one shows nothing as new", { lookedAt: null, sinceAt: null }, { since: null, isDue: true }],
    [
      "the first one after everything was read at once",
      { lookedAt: null, sinceAt: at(-90) },
      { since: at(-90), isDue: true },
    ],
    ["right after the last one", { lookedAt: at(-0.5), sinceAt: at(-90) }, { since: at(-90), isDue: false }],
    ["during the same visit", { lookedAt: at(-29), sinceAt: at(-90) }, { since: at(-90), isDue: true }],
    ["after the visit has ended", { lookedAt: at(-30), sinceAt: at(-90) }, { since: at(-30), isDue: true }],
    [
      "after the clock was set back",
      { lookedAt: at(60), sinceAt: at(-90) },
      { since: at(-90), isDue: false },
    ],
  ])("%s", (_, look, wanted) => {
    expect(nextView(now, look)).toEqual(wanted);
  });
});
