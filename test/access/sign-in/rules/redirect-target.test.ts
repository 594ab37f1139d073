import { describe, expect, it } from "vitest";
import { formActionOf, isRedirectTarget, redirectAddress } from "../../../../server/access/sign-in/rules.ts";

const own = "https://tavern.example/back?app=1";

describe("a redirect address", () => {
  it.each([own, "tavern://back", "innkeeptavern://back/to?state=1", `tavern://${"x".repeat(1_991)}`])(
    "can be %s",
    (target) => {
      expect(isRedirectTarget(target, own)).toBe(true);
    },
  );

  it.each([
    `${own}&more`,
    "https://tavern.example/back",
    "http://tavern.example/back?app=1",
    "other://back",
    "Tavern://back",
    "tavern:back",
    "tavern://back#part",
    "tavern://user@back",
    "tavern://back:80",
    "tavern://back?code=x",
    "tavern://back?error=x",
    `tavern://${"x".repeat(1_992)}`,
    "",
  ])("cannot be %s", (target) => {
    expect(isRedirectTarget(target, own)).toBe(false);
  });

  it("cannot be an https address if the deployment has none", () => {
    expect(isRedirectTarget(own, undefined)).toBe(false);
    expect(isRedirectTarget("undefined", undefined)).toBe(false);
  });

  it("has at most 2,000 characters, even if it is the deployment's own", () => {
    const long = `https://tavern.example/${"x".repeat(1_977)}`;
    expect([isRedirectTarget(long, long), isRedirectTarget(`${long}x`, `${long}x`)]).toEqual([true, false]);
  });
});

describe("the answer to a redirect address", () => {
  it.each([
    ["tavern://back", "tavern://back?code=a%26b"],
    ["tavern://back?x=1", "tavern://back?x=1&code=a%26b"],
    ["tavern://back?", "tavern://back?code=a%26b"],
    ["tavern://back?x=1&", "tavern://back?x=1&code=a%26b"],
  ])("%s is %s", (target, address) => {
    expect(redirectAddress(target, { code: "a&b" }, undefined)).toBe(address);
  });

  it("contains the state, even an empty one", () => {
    const refused = { error: "access_denied" } as const;
    expect(redirectAddress("tavern://back", refused, "é 1")).toBe(
      "tavern://back?error=access_denied&state=%C3%A9%201",
    );
    expect(redirectAddress("tavern://back", refused, "")).toBe("tavern://back?error=access_denied&state=");
  });
});

it.each([
  ["tavern://back", "tavern:"],
  ["https://tavern.example:8443/back", "https://tavern.example:8443"],
  ["https://[::1]:8443/back", "https:"],
])("the form-action policy for a redirect to %s contains %s", (target, named) => {
  expect(formActionOf(target)).toBe(named);
});
