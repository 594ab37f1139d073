import { expect, it, vi } from "vitest";
import { releaseTypeAfter, unseenSince, versionOrder } from "../../../server/content/changelog/rules.ts";

const most = 5_000;
/** Versions in a form that takes long to parse. */
const entries = (major: number) =>
  Array.from({ length: most }, (_, place) => ({
    id: String(place),
    version: `${major}.${most - place}.0-beta.${place}+build (45)`,
    versions: [],
  }));

/**
 * Counts how often a version is parsed: once or twice when it is first read. A parsed version no longer has the text of
 * its build.
 */
const readings = (work: () => void): number => {
  const spy = vi.spyOn(String.prototype, "match");
  try {
    work();
    return spy.mock.contexts.filter((text) => String(text).includes("+build")).length;
  } finally {
    spy.mockRestore();
  }
};

/** The first request parses every version. 40 more parse only the versions that they name. */
function expectReadOnce(ask: (at: number) => void): void {
  expect(readings(() => ask(0))).toBeGreaterThanOrEqual(most);
  const more = readings(() => {
    for (let at = 1; at <= 40; at += 1) ask(at);
  });
  expect(more).toBeLessThan(200);
}

// Before the fix each request blocked the server for half a second. Every app contains a key that allows this request.
it("5,000 versions are read once from the database, for any number of users who ask for news", () => {
  const listed = entries(1);
  expectReadOnce((at) => {
    const unseen = unseenSince(listed, `1.${at * 100}.2`, versionOrder).length;
    if (unseen !== most - at * 100) throw new Error(`${unseen} are not seen yet.`);
  });
});

it("5,000 versions are read once from the database, for any number of later releases", () => {
  const versions = entries(2).map(({ version }) => version.replace("-beta", ""));
  expectReadOnce((at) => {
    if (releaseTypeAfter(`6000.0.${at}`, versions) !== "major") throw new Error("It is a major release.");
  });
});
