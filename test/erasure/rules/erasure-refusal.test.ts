import { describe, expect, it } from "vitest";
import { erasureRefusal } from "../../../server/erasure/rules.ts";

describe("the reason that prevents an erasure", () => {
  it.each([
    [{ own: true, memberOf: ["Larder"], testerOf: [] }, "your own address"],
    [{ own: false, memberOf: ["Larder", "Pantry"], testerOf: ["Larder"] }, "a member of Larder, Pantry"],
    [{ own: false, memberOf: [], testerOf: ["Larder"] }, "tests Larder now"],
  ])("is for %j %j", (obstacles, words) => {
    expect(erasureRefusal(obstacles)).toContain(words);
  });

  it("does not exist for a person who only wrote", () => {
    expect(erasureRefusal({ own: false, memberOf: [], testerOf: [] })).toBeUndefined();
  });
});
