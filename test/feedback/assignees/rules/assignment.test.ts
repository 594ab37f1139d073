import { expect, it } from "vitest";
import { assignmentRefusal } from "../../../../server/feedback/threads/rules.ts";

it.each([
  ["can be set if the thread has none", { present: null, expected: null, to: "ada" }, undefined],
  [
    "can be replaced by a caller who saw the present one",
    { present: "ben", expected: "ben", to: "ada" },
    undefined,
  ],
  [
    "can be replaced by a caller who does not say which one the page showed",
    { present: "ben", expected: undefined, to: "ada" },
    undefined,
  ],
  ["can be set again to the same person", { present: "ada", expected: null, to: "ada" }, undefined],
  [
    "cannot be set if somebody else became the assignee in the meantime",
    { present: "ben", expected: null, to: "ada" },
    "assignee_changed",
  ],
  [
    "cannot be set if the present one was removed in the meantime",
    { present: null, expected: "ben", to: "ada" },
    "assignee_changed",
  ],
])("the assignee %s", (_, change, refusal) => {
  expect(assignmentRefusal(change)).toBe(refusal);
});
