import { expect, it } from "vitest";
import { unseenSince } from "../../../server/domain/content/changelog.ts";
import { releaseTypeAfter, versionOrder } from "../../../server/routes/content/changelog-order.ts";
import { processorTime } from "../../support/processor-time.ts";

const most = 5_000;
/** Versions in a form that is slow to read. */
const entries = (major: number) =>
  Array.from({ length: most }, (_, place) => ({
    id: String(place),
    version: `${major}.${most - place}.0-beta.${place}+build (45)`,
    versions: [],
  }));

const milliseconds = (work: () => void): number => {
  const spent = processorTime();
  work();
  return spent();
};

/** The time of 40 more requests relative to the first: 40 if each one reads every version again. */
const costOfMore = (ask: (at: number) => void): number => {
  const first = milliseconds(() => ask(0));
  const more = milliseconds(() => {
    for (let at = 1; at <= 40; at += 1) ask(at);
  });
  return more / first;
};

// Each request blocked the server for half a second. Every app contains the key that allows this request.
it("5,000 versions are read once for any number of users who ask for news", () => {
  const listed = entries(1);
  const cost = costOfMore((at) =>
    expect(unseenSince(listed, `1.${at * 100}.2`, versionOrder)).toHaveLength(most - at * 100),
  );
  expect(cost).toBeLessThan(15);
});

it("5,000 versions are read once for any number of later releases", () => {
  const versions = entries(2).map(({ version }) => version.replace("-beta", ""));
  const cost = costOfMore((at) => expect(releaseTypeAfter(`6000.0.${at}`, versions)).toBe("major"));
  expect(cost).toBeLessThan(15);
});
