import { expect, it } from "vitest";
import { isFresh } from "../../../../server/access/sign-in/rules.ts";

it.each([
  ["2026-11-23T10:00:00.000Z", true],
  ["2026-11-23T09:50:00.001Z", true],
  ["2026-11-23T09:50:00.000Z", false],
  ["2026-11-22T10:00:00.000Z", false],
  [undefined, false],
])("a sign-in at %s is fresh at ten o'clock: %s", (at, fresh) => {
  expect(isFresh(at, new Date("2026-11-23T10:00:00.000Z"))).toBe(fresh);
});
