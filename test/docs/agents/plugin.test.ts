import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { tools } from "../../../mcp/tool-list.ts";
import { stdioServer } from "../../../src/cli/mcp.ts";
import { commandOfExample } from "../../support/clients/example-command.ts";
import { readText, readTree } from "../../support/sources/tree.ts";
import { packageFacts } from "./package-facts.ts";

const kebab = z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/);
const Plugin = z.strictObject({
  name: kebab,
  version: z.literal(packageFacts.version),
  description: z.string().min(1),
  author: z.strictObject({ name: z.string(), url: z.url() }),
  homepage: z.url(),
  repository: z.url(),
  license: z.literal(packageFacts.license),
  keywords: z.array(kebab),
});
const Marketplace = z.strictObject({
  name: kebab,
  description: z.string(),
  owner: z.strictObject({ name: z.string(), url: z.url() }),
  plugins: z.array(z.strictObject({ name: kebab, source: z.string(), description: z.string() })).length(1),
});
const Skill = z.strictObject({ name: kebab.max(64), description: z.string().min(50).max(1_024) });

const skills = [...readTree(["plugin/skills"], [".md"])];
const jsonIn = (file: string): unknown => JSON.parse(readText(file));

describe("the plugin for Claude Code", () => {
  it("has the name, the version and the licence of the package, and no unknown fields", () => {
    const plugin = Plugin.parse(jsonIn("plugin/.claude-plugin/plugin.json"));
    expect(plugin.name).toBe(packageFacts.name);
  });

  it("is in the marketplace of the repository with the same texts", () => {
    const { plugins } = Marketplace.parse(jsonIn(".claude-plugin/marketplace.json"));
    const [entry] = plugins;
    expect(jsonIn(join(entry?.source ?? "", ".claude-plugin/plugin.json"))).toMatchObject({
      name: entry?.name,
      description: entry?.description,
    });
  });

  it("starts the MCP server as the guide does, with the address from the person's environment and without a token", () => {
    const { mcpServers } = z
      .object({ mcpServers: z.record(z.string(), z.record(z.string(), z.unknown())) })
      .parse(jsonIn("plugin/.mcp.json"));
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the client fills it in.
    const env = { INNKEEP_BASE_URL: "${INNKEEP_BASE_URL:-}", INNKEEP_MCP_WORK: "${INNKEEP_MCP_WORK:-}" };
    expect(mcpServers).toEqual({ innkeep: { type: "stdio", ...stdioServer(), env } });
  });

  it("is not in the npm package, which contains the server itself", () => {
    expect(JSON.stringify(Object(jsonIn("package.json")).files)).not.toMatch(/plugin|server\.json/);
  });
});

describe.each(skills)("the skill %s", (path, text) => {
  const [, head = "", body = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];

  it("has the name of its folder, and a description that says when an agent uses it", () => {
    const { name, description } = Skill.parse(parse(head));
    expect(path).toBe(`plugin/skills/${name}/SKILL.md`);
    expect(description).toMatch(/\bUse it when\b/);
    expect(existsSync(dirname(path))).toBe(true);
  });

  it("names only tools and fields that the server has", () => {
    const named = [...body.matchAll(/`([a-z]+_[a-z_]+)\b[^`]*`/g)].map(([, name = ""]) => name);
    const offered = JSON.stringify(Object.values(tools));
    expect(named.length).toBeGreaterThan(4);
    expect(named.filter((name) => !offered.includes(`"${name}"`))).toEqual([]);
  });

  const commands = [...body.matchAll(/(?:^\s*|`)(innkeep [^`\n]+)/gm)].map(([, line = ""]) => line);

  it.each(commands)("contains the command %s, which exists", async (line) => {
    expect(await commandOfExample(line)).not.toBe("");
  });

  it("contains commands", () => {
    expect(commands.length).toBeGreaterThan(2);
  });
});
