import { describe, expect, it } from "vitest";
import { erasureRefusal } from "../../../server/erasure/rules.ts";

describe("the reasons that prevent an erasure", () => {
  it.each([
    [{ own: true, memberOf: ["Larder"], testerOf: [] }, "your own address"],
    [{ own: false, memberOf: ["Larder", "Pantry"], testerOf: ["Larder"] }, "a member of Larder, Pantry"],
    [{ own: false, memberOf: [], testerOf: ["Larder"] }, "tests Larder now"],
  ])("%j is said", (obstacles, words) => {
    expect(erasureRefusal(obstacles)).toContain(words);
  });

  it("do not exist for a person who only wrote", () => {
    expect(erasureRefusal({ own: false, memberOf: [], testerOf: [] })).toBeUndefined();
  });
});
