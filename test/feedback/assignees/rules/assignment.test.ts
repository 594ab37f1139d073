import { expect, it } from "vitest";
import { assignmentRefusal } from "../../../../server/feedback/assignees/assign.ts";

it.each([
  ["a thread that is still nobody's", { present: null, expected: null, to: "ada" }, undefined],
  ["a thread whose assignee the caller saw", { present: "ben", expected: "ben", to: "ada" }, undefined],
  ["a thread of a caller who does not say", { present: "ben", expected: undefined, to: "ada" }, undefined],
  ["a thread that is the wanted person's", { present: "ada", expected: null, to: "ada" }, undefined],
  ["a thread that somebody took since", { present: "ben", expected: null, to: "ada" }, "assignee_changed"],
  ["a thread that was let go since", { present: null, expected: "ben", to: "ada" }, "assignee_changed"],
])("the assignee of %s", (_, change, refusal) => {
  expect(assignmentRefusal(change)).toBe(refusal);
});
