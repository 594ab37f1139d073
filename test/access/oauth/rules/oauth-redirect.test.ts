import { describe, expect, it } from "vitest";
import {
  answeredRedirect,
  isClientRedirect,
  isOnThisComputer,
  isRegisteredRedirect,
  redirectName,
} from "../../../../server/access/oauth/rules.ts";
import { formActionOf } from "../../../../server/access/sign-in/rules.ts";

describe("the redirect address of a program", () => {
  it.each([
    "https://claude.ai/api/mcp/auth_callback",
    "https://a.example/?x=1",
    "https://A_b-2.example:444/x",
    "https://[2001:db8::1]/x",
    "http://localhost/callback",
    "http://127.0.0.1:33418/",
    "http://[::1]:8080/callback",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "com.example.app://back",
    "vscode://vscode.github-authentication/did-authenticate",
    "code-oss://vscode.github-authentication/did-authenticate",
    "cursor-nightly://anysphere.cursor-mcp/oauth/callback",
    "windsurf-next://codeium.windsurf/oauth/callback",
    "antigravity://oauth/callback",
    "warppreview://mcp/oauth2callback",
    `https://a.example/${"x".repeat(1_982)}`,
  ])("can be %s", (redirect) => {
    expect(isClientRedirect(redirect)).toBe(true);
  });

  it.each([
    "",
    "https://",
    "https://a.example;script-src/x",
    "https://a.example%3bsandbox/x",
    "https://a.example,x/x",
    "https://;a.example/x",
    "https://*/x",
    "https://*.a.example/x",
    "http://a.example/",
    "http://127.0.0.2/",
    "http://localhost.evil.example/",
    "http://0.0.0.0/",
    "HTTPS://a.example/",
    "https://user@a.example/",
    "https://a.example/@b",
    "https://a.example/#x",
    "https://a.example/\\x",
    "https://a.example/ x",
    "https://a.example/ä",
    "https://a.example/?code=1",
    "https://a.example/?error=1",
    "https://a.example/?state=1",
    "https://a.example/?iss=1",
    "https:a.example",
    "javascript://a/%0aalert(1)",
    "javascript:alert(1)",
    "data://text/html,x",
    "file:///etc/passwd",
    "blob://x/y",
    "about://blank",
    "vbscript://x",
    "ftp://a.example/",
    "ws://a.example/",
    "wss://a.example/",
    "mailto://a@b",
    "filesystem://x",
    "view-source://x",
    "tavern://back",
    "innkeeptavern://back",
    "ms-msdt://x",
    "search-ms://x",
    "ms-officecmd://x",
    "intent://a.example/x",
    "chrome://settings",
    "ssh://a.example/x",
    "unheard-of://x",
    `https://a.example/${"x".repeat(1_983)}`,
  ])("cannot be %s", (redirect) => {
    expect(isClientRedirect(redirect)).toBe(false);
  });

  it.each<[string, string, boolean]>([
    ["https://a.example/x", "https://a.example/x", true],
    ["https://a.example/x", "https://a.example:444/x", false],
    ["https://a.example/x", "https://a.example/y", false],
    ["http://127.0.0.1/x", "http://127.0.0.1:5000/x", true],
    ["http://127.0.0.1:1/x", "http://127.0.0.1:2/x", true],
    ["http://[::1]:1/x", "http://[::1]:2/x", true],
    ["http://[::1]/x", "http://[::1]:2/x", true],
    ["http://localhost:1/x", "http://127.0.0.1:1/x", false],
    ["http://localhost:1/x", "http://localhost:1/y", false],
    ["http://localhost:1/x", "http://localhost:1/x?y", false],
    ["http://localhost:1?x", "http://localhost:2?x", true],
    ["http://localhost:1/x", "https://localhost:1/x", false],
    ["https://a.example/?code=1", "https://a.example/?code=1", false],
  ])("that is registered as %s can be requested as %s: %s", (registered, given, may) => {
    expect(isRegisteredRedirect(given, ["https://other.example/", registered])).toBe(may);
    expect(isRegisteredRedirect(given, [])).toBe(false);
  });

  it.each<[string, string, string, boolean]>([
    ["https://a.example:444/x", "a.example:444", "https://a.example:444", false],
    ["http://localhost:1/x", "this computer (localhost:1)", "http://localhost:1", true],
    ["http://127.0.0.1:1/x", "this computer (127.0.0.1:1)", "http://127.0.0.1:1", true],
    ["http://[::1]:1/x", "this computer ([::1]:1)", "http:", true],
    ["cursor://x/y", "the app that opens cursor:// addresses", "cursor:", false],
    ["https://localhost/x", "localhost", "https://localhost", false],
  ])(
    "with the value %s is shown as %s, and the page allows redirects to %s",
    (redirect, name, source, here) => {
      expect(redirectName(redirect)).toBe(name);
      expect(formActionOf(redirect)).toBe(source);
      expect(isOnThisComputer(redirect)).toBe(here);
    },
  );

  it("gets the answer after its own query", () => {
    const answer = { code: "a b", state: undefined, iss: "https://i.example" };
    expect(answeredRedirect("https://a.example/x", answer)).toBe(
      "https://a.example/x?code=a%20b&iss=https%3A%2F%2Fi.example",
    );
    expect(answeredRedirect("https://a.example/x?y=1", { code: "c", state: "" })).toBe(
      "https://a.example/x?y=1&code=c&state=",
    );
  });
});
