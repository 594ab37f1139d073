import { expect, it } from "vitest";
import { unseenSince } from "../../server/domain/changelog.ts";
import { releaseTypeAfter, versionOrder } from "../../server/routes/version-order.ts";

const most = 5_000;
/** As long and as odd as versions may be, each with 20 platforms. */
const entries = Array.from({ length: most }, (_, place) => ({
  id: String(place),
  version: `${most - place}.1.0-${"rc.1.".repeat(17)}x`.slice(0, 100),
  versions: Array.from({ length: 20 }, (__, platform) => ({ version: `1.${place}.${platform}` })),
}));

const milliseconds = (work: () => void): number => {
  const before = performance.now();
  work();
  return performance.now() - before;
};

// Each of these took half a second, in which the server answered nobody. The key that may ask is in every app.
it("a user's version is judged against 5,000 release notes without stopping the server", () => {
  const sinces = Array.from({ length: 40 }, (_, at) => `${at * 100}.2.${at}`);
  const wanted = sinces.map((_, at) => most - at * 100);
  let found: number[] = [];
  const took = milliseconds(() => {
    found = sinces.map((since) => unseenSince(entries, since, versionOrder).length);
  });
  expect(found).toEqual(wanted);
  expect(took).toBeLessThan(8_000);
});

it("the size of a release is told from 5,000 before it without stopping the server", () => {
  const versions = entries.map(({ version }) => version.replace(/-.*/, ""));
  const took = milliseconds(() => {
    for (let at = 0; at < 40; at += 1) expect(releaseTypeAfter(`6000.0.${at}`, versions)).toBe("major");
  });
  expect(took).toBeLessThan(4_000);
});
