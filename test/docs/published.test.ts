import { describe, expect, it } from "vitest";
import { clientNames } from "../../src/cli/mcp.ts";
import { published, wordsToStart } from "../../src/cli/update.ts";
import { createCommandLine } from "../support/clients/command-line.ts";
import { readText, readTree, treeWithout } from "../support/sources/tree.ts";

const name = String.raw`["'\`]?innkeep(?:@[\w.^~*-]+)?(?![\w./-])`;
const between = String.raw`(?:[\s"',:[\]\\]|args|--?[\w-]+(?:=\S+)?)*?`;
const fetches = [
  new RegExp(String.raw`\b(?:npx|pnpx|bunx|npm exec|npm x|pnpm dlx|yarn dlx)\b${between}${name}`),
  new RegExp(String.raw`\b(?:npm (?:i|install|add)|(?:pnpm|yarn|bun) add)\b(?:\s+--?[\w-]+)*\s+${name}`),
  /"innkeep":\s*"[*^~\d]/,
];

/** The commands in a text that fetch the package by its name. */
const fetchesIn = (text: string): string[] =>
  text.split("\n").filter((line) => fetches.some((pattern) => pattern.test(decoded(line))));

/** A line with the addresses of its links. */
function decoded(line: string): string {
  const [, config = ""] = /[?&]config=([\w%+/=]+)/.exec(line) ?? [];
  return `${line} ${unescaped(line)} ${Buffer.from(unescaped(config), "base64").toString()}`;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `docs/cli.md` and `man` are generated from the sources. */
const shipped = [
  ...treeWithout(readTree(["docs"], [".md"]), "docs/cli.md"),
  ...readTree(["examples", "plugin"], [".md", ".json", ".js", ".yml", ".sh"]),
  ...readTree(["bin", "mcp", "server", "src"], [".ts", ".tsx", ".js", ".mjs", ".json", ".md"]),
  ...["README.md", "CONTRIBUTING.md", "action.yml", "server.json"].map(
    (path) => [path, readText(path)] as const,
  ),
];

// This test is for the time in which we do not own the name in the registry.
describe.skipIf(published !== null)(
  "the package is never downloaded under a name that a stranger can register",
  () => {
    it("by the files of the repository", () => {
      expect(shipped.length).toBeGreaterThan(500);
      expect(shipped.flatMap(([path, text]) => fetchesIn(text).map((line) => `${path}: ${line}`))).toEqual(
        [],
      );
    });

    it.each(["github", "gitlab", "circleci", "jenkins", "shell"])(
      "by the lines of `innkeep init` for %s",
      async (ci) => {
        const line = await createCommandLine();
        const { stdout } = await line.run(["init", "--server", "https://inn.example.org", "--ci", ci]);
        expect(stdout).toContain("feedback send");
        expect(fetchesIn(stdout)).toEqual([]);
      },
    );

    it.each(clientNames)("by the line that adds the MCP server to %s", async (client) => {
      const line = await createCommandLine({ INNKEEP_BASE_URL: "https://inn.example.org" });
      const { stdout, exit } = await line.run(["mcp", "--setup", client]);
      expect(exit).toBe(0);
      expect(fetchesIn(stdout)).toEqual([]);
    });
  },
);

describe("the words that start the command line", () => {
  it("are the installed command while no registry has the package", () => {
    expect(wordsToStart(null)).toEqual(["innkeep"]);
  });

  it("download the package by its name after a registry has it", () => {
    const from = { registry: "https://registry.npmjs.org", name: "@inn/innkeep" };
    expect(wordsToStart(from)).toEqual(["npx", "-y", "@inn/innkeep"]);
  });
});

describe("the search of this test", () => {
  it.each([
    "npx --yes innkeep feedback send",
    "npx -y innkeep mcp",
    "npx innkeep",
    '"command": "npx", "args": ["-y", "innkeep", "mcp"]',
    "npm exec innkeep -- faq list",
    "npm install --global innkeep",
    "npm install --save-dev innkeep@1.2.0",
    "pnpm dlx innkeep",
    '    "innkeep": "*",',
    "vscode:mcp/install?%7B%22command%22%3A%22npx%22%2C%22args%22%3A%5B%22-y%22%2C%22innkeep%22%5D%7D",
    `cursor://x?name=innkeep&config=${Buffer.from('{"command":"npx","args":["-y","innkeep"]}').toString("base64")}`,
  ])("finds %s", (line) => {
    expect(fetchesIn(line)).toEqual([line]);
  });

  it.each([
    "npm install --global ./innkeep-0.1.0.tgz",
    "npm install --global https://files.example.org/innkeep-0.1.0.tgz",
    "innkeep feedback send",
    "innkeep dev exec -- npx playwright test",
    '"innkeep": "file:../../../innkeep-0.1.0.tgz"',
    'npm install && npm test; "innkeep/testing"',
  ])("does not find %s", (line) => {
    expect(fetchesIn(line)).toEqual([]);
  });
});
