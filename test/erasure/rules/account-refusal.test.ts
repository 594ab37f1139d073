import { expect, it } from "vitest";
import { accountRefusal } from "../../../server/erasure/rules.ts";

const free = { onlyOwnerOf: [], testerOf: [] };

it.each([
  ["no reason", free, undefined],
  [
    "apps without another owner",
    { ...free, onlyOwnerOf: ["Larder", "Pantry"] },
    /^Larder, Pantry would have no/,
  ],
  ["a seat in a test", { ...free, testerOf: ["Larder"] }, /^This account has a slot in a test of Larder\./],
  [
    "both: the apps come first",
    { onlyOwnerOf: ["Pantry"], testerOf: ["Larder"] },
    /^Pantry would have no owner/,
  ],
])("the deletion of an account is refused for %s", (_, obstacles, says) => {
  const refusal = accountRefusal(obstacles);
  if (says === undefined) expect(refusal).toBeUndefined();
  else expect(refusal).toMatch(says);
});
