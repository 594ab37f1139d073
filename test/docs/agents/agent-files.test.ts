import { describe, expect, it } from "vitest";
import { z } from "zod";
import { published } from "../../../src/cli/update.ts";
import { openMcpSession } from "../../mcp/support/mcp-session.ts";
import { readText } from "../../support/sources/tree.ts";
import { bundleManifest } from "./bundle-manifest.ts";
import { packageFacts } from "./package-facts.ts";
import { registryEntry } from "./registry-entry.ts";
import { RegistryEntry, unknownNames } from "./registry-rules.ts";

const shown = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const Listed = z.object({ tools: z.array(z.object({ name: z.string(), title: z.string() })) });

async function listedTools() {
  const { client } = await openMcpSession("2026-07-28", { baseUrl: "http://127.0.0.1:9" });
  return Listed.parse(await client.listTools()).tools;
}

/** `npm run docs` writes the files again. */
describe("the file that describes the MCP server", () => {
  it("is server.json for the MCP registry, as the code generates it", async () => {
    await expect(shown(registryEntry(published))).toMatchFileSnapshot("../../../server.json");
  });

  it("is mcp/manifest.json for the bundle, with the tools that the server lists", async () => {
    const manifest = bundleManifest(await listedTools());
    await expect(shown(manifest)).toMatchFileSnapshot("../../../mcp/manifest.json");
  });
});

describe("server.json", () => {
  const entry = registryEntry({ registry: "https://registry.npmjs.org", name: packageFacts.name });
  const [ownPackage] = entry.packages ?? [];

  it("names no package before we have published one", () => {
    expect(registryEntry(null)).not.toHaveProperty("packages");
    expect(RegistryEntry.safeParse(registryEntry(null)).error).toBeUndefined();
  });

  it("follows the rules of the registry", () => {
    expect(RegistryEntry.safeParse(entry).error).toBeUndefined();
  });

  it.each([
    ["a description of 101 characters", { description: "x".repeat(101) }],
    ["a name without a namespace", { name: "innkeep" }],
    ["a range of versions", { version: "^0.1.0" }],
    ["a field that nobody knows", { tools: [] }],
    ["no version of the package", { packages: [{ ...ownPackage, version: "latest" }] }],
    ["an address with a name that has no variable", { remotes: [{ ...entry.remotes[0], variables: {} }] }],
  ])("would not follow the rules of the registry with %s", (_, change) => {
    expect(RegistryEntry.safeParse({ ...entry, ...change }).success).toBe(false);
  });

  it("has the name by which the registry identifies the owner of the package, and the version of package.json", () => {
    const { mcpName, name, version } = packageFacts;
    expect(entry).toMatchObject({
      name: mcpName,
      version,
      packages: [{ identifier: name, version }],
    });
  });

  it("marks what is secret, and nothing else", () => {
    const inputs: readonly { readonly name: string; readonly isSecret?: boolean }[] = [
      ...(ownPackage?.environmentVariables ?? []),
      ...entry.remotes.flatMap(({ headers }) => headers),
    ];
    expect(inputs.map(({ name, isSecret = false }) => [name, isSecret])).toEqual([
      ["INNKEEP_BASE_URL", false],
      ["INNKEEP_AGENT_TOKEN", true],
      ["Authorization", true],
    ]);
    for (const { headers } of entry.remotes)
      for (const { value, variables } of headers) {
        expect(unknownNames(value, variables)).toEqual([]);
        expect(Object.values(variables).every(({ isSecret }) => isSecret)).toBe(true);
      }
  });
});

describe("the manifest of the bundle", () => {
  it("defines the token as a secret of the client", () => {
    const { user_config: config, server } = JSON.parse(readText("mcp/manifest.json"));
    expect(config.agent_token).toMatchObject({ sensitive: true, required: true });
    expect(config.base_url).toMatchObject({ required: true });
    const used = [...JSON.stringify(server).matchAll(/\$\{user_config\.(\w+)\}/g)].map(([, name]) => name);
    expect(used.toSorted()).toEqual(Object.keys(config).toSorted());
    expect(server.mcp_config.args.join(" ")).not.toContain("token");
  });
});
