import { describe, expect, it } from "vitest";
import { invitationMilliseconds, memberChangeRefusal } from "../../../../server/access/members/rules.ts";

type MemberChange = Parameters<typeof memberChangeRefusal>[0];

const owner: MemberChange = { by: "owner", own: false, from: "viewer", to: "maintainer", owners: 1 };

describe("a change of a member", () => {
  it.each<[string, Partial<MemberChange>, ReturnType<typeof memberChangeRefusal>]>([
    ["an owner raises a viewer", {}, undefined],
    ["an owner makes an owner", { to: "owner" }, undefined],
    ["an owner removes a viewer", { to: null }, undefined],
    ["one of two owners lowers the other", { from: "owner", to: "viewer", owners: 2 }, undefined],
    ["one of two owners leaves", { own: true, from: "owner", to: null, owners: 2 }, undefined],
    ["the last owner leaves", { own: true, from: "owner", to: null }, "last_owner"],
    ["the last owner lowers himself", { own: true, from: "owner", to: "maintainer" }, "last_owner"],
    ["the last owner stays one", { own: true, from: "owner", to: "owner" }, undefined],
    [
      "a maintainer raises himself",
      { by: "maintainer", own: true, from: "maintainer", to: "owner" },
      "forbidden",
    ],
    [
      "a maintainer lowers himself",
      { by: "maintainer", own: true, from: "maintainer", to: "viewer" },
      "forbidden",
    ],
    ["a viewer raises another", { by: "viewer" }, "forbidden"],
    ["a maintainer removes another", { by: "maintainer", to: null }, "forbidden"],
    ["a maintainer leaves", { by: "maintainer", own: true, from: "maintainer", to: null }, undefined],
    ["a viewer leaves", { by: "viewer", own: true, from: "viewer", to: null }, undefined],
  ])("in the case %s: %o results in %s", (_, change, refusal) => {
    expect(memberChangeRefusal({ ...owner, ...change })).toBe(refusal);
  });
});

it("an invitation is valid for seven days", () => {
  expect(invitationMilliseconds).toBe(604_800_000);
});
