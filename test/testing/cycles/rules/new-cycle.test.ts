import { expect, it } from "vitest";

import { initialStateOf } from "../../../../server/testing/cycles/rules.ts";

const days = ["2026-05-01", "2026-05-02", "2026-05-03", "2026-05-04"].map((day) => `${day}T00:00:00.000Z`);

it.each([
  ["2026-04-30T23:59:59.999Z", { status: "recruiting", closedDays: 0, nextAt: days[0] }],
  ["2026-05-01T00:00:00.000Z", { status: "running", closedDays: 0, nextAt: days[1] }],
  ["2026-05-03T12:00:00.000Z", { status: "running", closedDays: 2, nextAt: days[3] }],
  ["2026-05-03T23:59:59.999Z", { status: "running", closedDays: 2, nextAt: days[3] }],
  ["2026-05-04T00:00:00.000Z", undefined],
])("a cycle that is planned at %s has the state %j", (now, standing) => {
  expect(initialStateOf(days, now)).toEqual(standing);
});
