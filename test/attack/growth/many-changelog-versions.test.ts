import { expect, it } from "vitest";
import { unseenSince } from "../../../server/domain/content/changelog.ts";
import { releaseTypeAfter, versionOrder } from "../../../server/routes/content/changelog-order.ts";

const most = 5_000;
/** Versions in a form that is slow to read. */
const entries = (major: number) =>
  Array.from({ length: most }, (_, place) => ({
    id: String(place),
    version: `${major}.${most - place}.0-beta.${place}+build (45)`,
    versions: [],
  }));

const milliseconds = (work: () => void): number => {
  const before = performance.now();
  work();
  return performance.now() - before;
};

/** How many times as long as the first question 40 more take: 40 times where each reads every version anew. */
const costOfMore = (ask: (at: number) => void): number => {
  const first = milliseconds(() => ask(0));
  const more = milliseconds(() => {
    for (let at = 1; at <= 40; at += 1) ask(at);
  });
  return more / first;
};

// Each took half a second, in which the server answered nobody. The key that may ask is in every app.
it("5,000 versions are read once, however many users ask what is new", () => {
  const listed = entries(1);
  const cost = costOfMore((at) =>
    expect(unseenSince(listed, `1.${at * 100}.2`, versionOrder)).toHaveLength(most - at * 100),
  );
  expect(cost).toBeLessThan(15);
});

it("5,000 versions are read once, however many releases come after them", () => {
  const versions = entries(2).map(({ version }) => version.replace("-beta", ""));
  const cost = costOfMore((at) => expect(releaseTypeAfter(`6000.0.${at}`, versions)).toBe("major"));
  expect(cost).toBeLessThan(15);
});
