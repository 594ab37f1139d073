import { describe, expect, it } from "vitest";
import { consolePathOf, returnPath } from "../../../server/console/links.ts";

describe("the path of the console", () => {
  it.each([
    ["http://127.0.0.1:4700", "http://127.0.0.1:4700/console", "/console", "/console"],
    ["https://example.org/innkeep", "https://example.org/innkeep/console", "/console", "/innkeep/console"],
    ["https://api.example.org", "https://desk.example.org", "", ""],
    ["https://example.org", "https://example.org", "", ""],
    ["https://example.org/api", "https://example.org/apidesk", "/apidesk", "/apidesk"],
  ])("of a server at %s, shown at %s, is %j with links to %j", (baseUrl, consoleUrl, mountedAt, href) => {
    expect(consolePathOf({ baseUrl, consoleUrl })).toEqual({ mountedAt, href });
  });
});

describe("the address after signing in", () => {
  it("is the requested one, with its query", () => {
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
  ])("is the console itself for %j", (given) => {
    expect(returnPath(given, "https://example.org/console", "/console")).toBe("/console");
  });
});
