import { describe, expect, it } from "vitest";
import { consolePathOf, returnPath } from "../../../server/console/links.ts";

describe("the path of the console", () => {
  it.each([
    ["http://127.0.0.1:4700", "http://127.0.0.1:4700/console", "/console", "/console"],
    ["https://example.org/innkeep", "https://example.org/innkeep/console", "/console", "/innkeep/console"],
    ["https://api.example.org", "https://desk.example.org", "", ""],
    ["https://example.org", "https://example.org", "", ""],
    ["https://example.org/api", "https://example.org/apidesk", "/apidesk", "/apidesk"],
  ])(
    "of a server at %s with the console at %s is %j, and links begin with %j",
    (baseUrl, consoleUrl, mountedAt, href) => {
      expect(consolePathOf({ baseUrl, consoleUrl })).toEqual({ mountedAt, href });
    },
  );
});

describe("the address after a sign-in", () => {
  it("is the requested address with its query", () => {
    const path = "/console/feedback/a?q=x%20y&status=all";
    expect(returnPath(path, "https://example.org/console", "/console")).toBe(path);
  });

  it.each([
    "",
    "console",
    "//evil.example/a",
    "/\\evil.example",
    "https://example.org/console",
    "/a/..//evil.example",
  ])("is the start page of the console in place of %j", (given) => {
    expect(returnPath(given, "https://example.org/console", "/console")).toBe("/console");
  });
});
