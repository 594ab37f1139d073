import { expect, it } from "vitest";
import { hourOf } from "../../../server/access/credentials.ts";

it.each([
  ["2026-05-01T12:00:00.000Z", "2026-05-01T12:00:00.000Z"],
  ["2026-05-01T12:59:59.999Z", "2026-05-01T12:00:00.000Z"],
  ["1969-12-31T23:30:00.000Z", "1969-12-31T23:00:00.000Z"],
])("the stored hour of the time %s is %s", (at, hour) => {
  expect(hourOf(new Date(at))).toBe(hour);
});
