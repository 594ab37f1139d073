import { describe, expect, it } from "vitest";
import { dependencyOrder } from "../../../server/backup/store.ts";

describe("the order of dependencies", () => {
  it("places each item after its dependencies, and otherwise sorts by name", () => {
    const needs = new Map([
      ["apps", ["users"]],
      ["keys", ["apps"]],
      ["audit", []],
    ]);
    expect(dependencyOrder(["keys", "apps", "users", "audit"], needs)).toEqual([
      "audit",
      "users",
      "apps",
      "keys",
    ]);
  });

  it("does not exist if the dependencies form a cycle", () => {
    const needs = new Map([
      ["a", ["b"]],
      ["b", ["a"]],
    ]);
    expect(() => dependencyOrder(["a", "b"], needs)).toThrow("a, b depend on one another");
  });
});
