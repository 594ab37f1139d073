import { describe, expect, it } from "vitest";
import { type AccessRequest, judgeAccess } from "../../../../server/access/members/visibility.ts";
import type { Role } from "../../../../src/contract/endpoint.ts";
import { rolesFrom, suffices } from "../../../../src/contract/endpoint.ts";

describe("a role in an app", () => {
  it.each([
    ["owner", "owner", true],
    ["owner", "maintainer", true],
    ["owner", "viewer", true],
    ["maintainer", "owner", false],
    ["maintainer", "maintainer", true],
    ["maintainer", "viewer", true],
    ["viewer", "owner", false],
    ["viewer", "maintainer", false],
    ["viewer", "viewer", true],
  ] as const)("of the kind %s may do what needs the role %s: %s", (role, needs, may) => {
    expect(suffices(role, needs)).toBe(may);
    expect(rolesFrom(needs).includes(role)).toBe(may);
  });

  it.each<[Role | undefined, AccessRequest["kind"], string]>([
    ["owner", "session", "allowed"],
    ["maintainer", "session", "allowed"],
    ["viewer", "session", "forbidden"],
    [undefined, "session", "unknown"],
    ["maintainer", "maintainerToken", "allowed"],
    ["viewer", "maintainerToken", "forbidden"],
    [undefined, "maintainerToken", "unknown"],
    ["viewer", "agentToken", "unknown"],
    [undefined, "agentToken", "unknown"],
  ])(
    "of the kind %s with a %s gets the answer %s if the role maintainer is needed",
    (role, kind, verdict) => {
      expect(judgeAccess(role, { needs: "maintainer", kind })).toBe(verdict);
    },
  );
});
