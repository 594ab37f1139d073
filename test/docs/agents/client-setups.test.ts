import { describe, expect, it } from "vitest";
import { clientNames, clientSetups, stdioServer } from "../../../src/cli/mcp.ts";
import { wordsOfShell } from "../../support/clients/example-command.ts";
import { readText } from "../../support/sources/tree.ts";

const baseUrl = "https://inn.example.org";
const start = stdioServer();
const entry = { ...start, env: { INNKEEP_BASE_URL: baseUrl } };
const textOf = (client: string, way: string, address = baseUrl): string =>
  clientSetups(address).find((setup) => setup.client === client && setup.way === way)?.text ?? "";

describe("the set-up of an MCP client", () => {
  it.each(clientSetups(baseUrl))("is in the guide for $name, as $way", ({ way, text }) => {
    const guide = readText("docs/agents.md");
    if (way !== "settings") return expect(guide).toContain(text);
    const blocks = [...guide.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, block = ""]) =>
      JSON.parse(block),
    );
    expect(blocks).toContainEqual(JSON.parse(text));
  });

  it("is in the README for Claude Code, with the same line as in the guide", () => {
    expect(readText("README.md")).toContain(textOf("claude-code", "command"));
  });

  it("is in the guide for every client that `innkeep` knows", () => {
    expect(new Set(clientSetups(baseUrl).map(({ client }) => client))).toEqual(new Set(clientNames));
  });

  it("puts no token into a command line, a link or a file", () => {
    const texts = [
      ...clientSetups(baseUrl).map(({ text }) => text),
      readText("docs/agents.md"),
      readText("README.md"),
    ];
    for (const text of texts) {
      expect(text).not.toMatch(/INNKEEP_AGENT_TOKEN=/);
      expect(text).not.toMatch(/"[^"'\n]*\$\{?INNKEEP_AGENT_TOKEN[^"'\n]*"/);
    }
  });

  it.each(["claude-code", "codex", "gemini", "opencode"])(
    "starts the same server with the file of %s",
    (client) => {
      const words = wordsOfShell(textOf(client, "command"));
      expect(words[words.indexOf("--env") + 1]).toBe(`INNKEEP_BASE_URL=${baseUrl}`);
      expect(words.filter((word) => word !== "--").slice(-2)).toEqual([start.command, ...start.args]);
    },
  );

  it("for Cursor is a link with the settings", () => {
    const link = new URL(textOf("cursor", "link"));
    expect([link.protocol, link.host, link.pathname]).toEqual([
      "cursor:",
      "anysphere.cursor-deeplink",
      "/mcp/install",
    ]);
    expect(link.searchParams.get("name")).toBe("innkeep");
    const config = Buffer.from(link.searchParams.get("config") ?? "", "base64").toString();
    expect(JSON.parse(config)).toEqual(entry);
  });

  it("for VS Code is a link and a command with the settings", () => {
    const [, query = ""] = textOf("vscode", "link").split("vscode:mcp/install?");
    expect(JSON.parse(decodeURIComponent(query))).toEqual({ name: "innkeep", ...entry });
    const [, json = ""] = /^code --add-mcp '(.*)'$/.exec(textOf("vscode", "command")) ?? [];
    expect(JSON.parse(json)).toEqual({ name: "innkeep", ...entry });
  });

  it.each([[["--work"]], [["--read-only"]]])("starts the server with %s for each client", (more) => {
    const setups = clientSetups(baseUrl, more).filter(({ client }) => client !== "http");
    const held = setups.map(({ text }) => {
      const inLink = new URLSearchParams(text.split("?")[1]).get("config");
      return inLink ? Buffer.from(inLink, "base64").toString() : decodeURIComponent(text);
    });
    expect(held.filter((text) => !text.includes(more.join(" ")))).toEqual([]);
  });

  it("quotes an address for shells, and encodes it in links", () => {
    const odd = "https://inn.example.org/it's&more;(1)";
    expect(textOf("codex", "command", odd)).toContain(
      `--env 'INNKEEP_BASE_URL=https://inn.example.org/it'\\''s&more;(1)' --`,
    );
    const link = new URL(textOf("cursor", "link", odd));
    const config = Buffer.from(link.searchParams.get("config") ?? "", "base64").toString();
    expect(JSON.parse(config).env).toEqual({ INNKEEP_BASE_URL: odd });
  });
});
