import { describe, expect, it } from "vitest";
import { changesBetween } from "../../../../server/access/audit/rules.ts";

describe("the changed fields of an audit entry", () => {
  const before = { name: "Larder", colour: null, tags: ["a"], secret: "old" };

  it.each([
    ["from one value to another", { name: "Pantry" }, [{ field: "name", from: "Larder", to: "Pantry" }]],
    ["from nothing", { colour: "red" }, [{ field: "colour", from: null, to: "red" }]],
    ["to nothing, as an empty text", { name: "" }, [{ field: "name", from: "Larder", to: null }]],
    ["in the items of a list", { tags: ["a", "b"] }, [{ field: "tags", from: '["a"]', to: '["a","b"]' }]],
    ["without their values, if these are not shown", { secret: "new" }, [{ field: "secret" }]],
  ])("are shown %s", (_, after, expected) => {
    expect(changesBetween(before, after, ["secret"])).toEqual(expected);
  });

  it.each([
    ["has the same value", { name: "Larder", tags: ["a"] }],
    ["was not given", { name: undefined }],
    ["was and is empty", { colour: "" }],
  ])("do not include a field that %s", (_, after) => {
    expect(changesBetween(before, after)).toEqual([]);
  });

  it("contain 300 characters of a text, and show that it was shortened", () => {
    expect(changesBetween({}, { name: "x".repeat(300) })).toEqual([
      { field: "name", from: null, to: "x".repeat(300) },
    ]);
    expect(changesBetween({}, { name: "x".repeat(301) })).toEqual([
      { field: "name", from: null, to: `${"x".repeat(299)}…` },
    ]);
  });
});
