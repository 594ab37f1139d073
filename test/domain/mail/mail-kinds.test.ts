import { expect, it } from "vitest";
import { isAutomatic, laneOf, mailLanes } from "../../../server/mail/outgoing/rules.ts";

it.each([
  ["reply", "personal"],
  ["invitation", "personal"],
  ["recovery", "personal"],
  ["notice", "bulk"],
  ["release", "bulk"],
] as const)("a mail of the kind %s has the lane %s, and is automatic there if that is bulk", (kind, lane) => {
  expect(laneOf(kind)).toBe(lane);
  expect(isAutomatic(kind)).toBe(lane === "bulk");
  expect(mailLanes).toContain(lane);
});
