import { renderToString } from "preact-render-to-string";
import { describe, expect, it } from "vitest";
import { Ago, Remaining } from "../../../server/console/times.tsx";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const now = new Date("2026-06-03T09:00:00.000Z");
const after = (milliseconds: number) => new Date(now.getTime() + milliseconds).toISOString();
const wordsOf = (html: string) => html.replace(/<[^>]*>/g, "");

describe("the time that is left", () => {
  it.each([
    [-minute, "now"],
    [1_000, "in 1 minute"],
    [44.4 * minute, "in 44 minutes"],
    [59.9 * minute, "in 60 minutes"],
    [89 * minute, "in 89 minutes"],
    [91 * minute, "in 2 hours"],
    [3 * hour + 59 * minute, "in 4 hours"],
    [4 * hour - 1, "in 4 hours"],
    [4 * hour + 29 * minute, "in 4 hours"],
    [47 * hour, "in 47 hours"],
    [48 * hour - minute, "in 2 days"],
    [2.6 * day, "in 3 days"],
    [13.9 * day, "in 14 days"],
  ])("is rounded to the nearest unit: %d ms is %s", (milliseconds, words) => {
    expect(wordsOf(renderToString(<Remaining at={after(milliseconds)} now={now} />))).toBe(words);
  });
});

describe("the time of an event", () => {
  it.each([
    [-(3 * hour + 59 * minute), "3 hours ago"],
    [3 * hour + 59 * minute, "in 4 hours"],
    [59.9 * minute, "in 60 minutes"],
    [12 * hour, "in 12 hours"],
    [30_000, "just now"],
  ])(
    "is rounded down in the past and to the nearest unit in the future: %d ms is %s",
    (milliseconds, words) => {
      expect(wordsOf(renderToString(<Ago at={after(milliseconds)} now={now} />))).toBe(words);
    },
  );
});
