import { describe, expect, it } from "vitest";
import { isAllowedOrigin, isOwnHost } from "../../server/mcp/routes.ts";

const settings = {
  baseUrl: "https://inn.example/under",
  consoleUrl: "http://console.example:8080/x",
  corsOrigins: ["https://pages.example"],
};

describe("a request to the MCP endpoint", () => {
  it.each<[string | undefined, boolean]>([
    ["inn.example", true],
    ["INN.example:443", true],
    ["inn.example:80", false],
    ["inn.example.", false],
    ["console.example:8080", true],
    ["console.example", false],
    ["localhost", true],
    ["localhost:1", true],
    ["127.0.0.1:4700", true],
    ["[::1]:4700", true],
    ["127.0.0.2", false],
    ["localhost.evil.example", false],
    ["evil.example@inn.example", false],
    ["inn.example/x", false],
    ["inn.example#", false],
    ["[::1", false],
    ["", false],
    [undefined, false],
  ])("with the header Host %s names this server: %s", (host, own) => {
    expect(isOwnHost(host, settings)).toBe(own);
  });

  it.each<[string | undefined, boolean]>([
    [undefined, true],
    ["https://inn.example", true],
    ["http://inn.example", false],
    ["http://console.example:8080", true],
    ["https://pages.example", true],
    ["https://pages.example:444", false],
    ["null", false],
    ["", false],
  ])("from a page of the origin %s is allowed: %s", (origin, allowed) => {
    expect(isAllowedOrigin(origin, settings)).toBe(allowed);
  });
});
