import { expect, it, vi } from "vitest";
import { releaseTypeAfter, versionOrder } from "../../../server/content/changelog/api/version-order.ts";
import { unseenSince } from "../../../server/content/changelog/rules.ts";

const most = 5_000;
/** Versions in a form that is slow to read. */
const entries = (major: number) =>
  Array.from({ length: most }, (_, place) => ({
    id: String(place),
    version: `${major}.${most - place}.0-beta.${place}+build (45)`,
    versions: [],
  }));

/** How often a version is taken apart: once or twice when it is read. What was read has no text of the build any more. */
const readings = (work: () => void): number => {
  const spy = vi.spyOn(String.prototype, "match");
  try {
    work();
    return spy.mock.contexts.filter((text) => String(text).includes("+build")).length;
  } finally {
    spy.mockRestore();
  }
};

/** The first request reads every version. 40 more read only what they ask for. */
function expectReadOnce(ask: (at: number) => void): void {
  expect(readings(() => ask(0))).toBeGreaterThanOrEqual(most);
  const more = readings(() => {
    for (let at = 1; at <= 40; at += 1) ask(at);
  });
  expect(more).toBeLessThan(200);
}

// Each request blocked the server for half a second. Every app contains the key that allows this request.
it("5,000 versions are read once for any number of users who ask for news", () => {
  const listed = entries(1);
  expectReadOnce((at) => {
    const unseen = unseenSince(listed, `1.${at * 100}.2`, versionOrder).length;
    if (unseen !== most - at * 100) throw new Error(`${unseen} are not seen yet.`);
  });
});

it("5,000 versions are read once for any number of later releases", () => {
  const versions = entries(2).map(({ version }) => version.replace("-beta", ""));
  expectReadOnce((at) => {
    if (releaseTypeAfter(`6000.0.${at}`, versions) !== "major") throw new Error("It is a major release.");
  });
});
