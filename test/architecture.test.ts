import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");

/** Who may import whom: folders of ours, packages, and `node:*` where the runtime may be used. */
const mayImport: Record<string, readonly string[]> = {
  "src/contract": ["src/contract", "zod/mini"],
  "src/client": ["src/client", "src/contract", "undici", "zod/mini", "node:*"],
  "src/reporter": ["src/reporter", "src/contract/test-sessions.ts", "src/contract/limits.ts"],
  "src/credentials": ["src/credentials", "conf", "keytar", "node:*"],
  "src/cli": [
    "src/cli",
    "src/client",
    "src/contract",
    "src/credentials",
    "src/programs.ts",
    "commander",
    "ink",
    "open",
    "react",
    "zod/mini",
    "node:*",
  ],
  mcp: [
    "mcp",
    "src/client",
    "src/contract",
    "src/programs.ts",
    "@modelcontextprotocol/*",
    "zod/mini",
    "node:*",
  ],
  "server/domain": ["server/domain", "src/contract", "temporal-polyfill"],
  "server/attestation": [
    "server/attestation",
    "server/domain",
    "server/settings/settings.ts",
    "src/contract",
    "jose",
    "node:*",
  ],
  "server/store": [
    "server/store",
    "server/clock.ts",
    "server/domain",
    "src/contract",
    "sqlite3",
    "pg",
    "node:*",
  ],
  "server/files": ["server/files", "server/clock.ts", "server/domain", "src/contract", "node:*"],
  "server/background/outbox": [
    "server/background/outbox",
    "server/store",
    "server/domain",
    "server/deps.ts",
    "server/secrets/sealed-address.ts",
    "ipaddr.js",
    "node:*",
  ],
  "server/routes": ["server", "src/contract", "semver", "uuid", "node:*"],
  "server/http": [
    "server",
    "src/contract",
    "koa",
    "@koa/router",
    "@fastify/busboy",
    "ipaddr.js",
    "prom-client",
    "zod/mini",
    "node:*",
  ],
  "server/dev": ["server", "src/contract", "koa", "temporal-polyfill", "zod/mini", "node:*"],
  "server/console": [
    "server",
    "src/contract",
    "koa",
    "preact",
    "preact/*",
    "preact-render-to-string",
    "markdown-it",
    "openid-client",
    "zod/mini",
    "node:*",
  ],
};

const never: Record<string, RegExp> = {
  "src/contract/": /^node:|^server|^mcp/,
  "server/": /^src\/(cli|client|credentials)|^mcp|^bin/,
  "server/routes/": /^koa$|^@koa|^server\/console/,
  "server/store/": /^server\/(http|routes|console)/,
};

const rules: [string, RegExp, (file: string) => boolean][] = [
  ["process.env is read only in bin", /\bprocess\.env\b/, (file) => !file.startsWith("bin/")],
  ["process.exit is called only in bin", /\bprocess\.exit(Code)?\b/, (file) => !file.startsWith("bin/")],
  [
    "SQL stands only in server/store",
    /\b(SELECT|INSERT INTO|DELETE FROM|UPDATE \w+ SET)\b/,
    (file) => !file.startsWith("server/store/"),
  ],
  [
    "rules ask no clock",
    /\bDate\.now\(|new Date\(\)|Math\.random\(/,
    (file) => file.startsWith("server/domain/"),
  ],
  ["nothing is exported by default", /^export default/m, () => true],
];

describe.each(Object.entries(mayImport))("%s", (folder, allowed) => {
  it.each(sourcesIn(folder))("%s imports only what its folder may", (file) => {
    const illegal = importsOf(file).filter(
      (name) => !allowed.some((entry) => covers(entry, name)) || isNever(file, name),
    );
    expect(illegal).toEqual([]);
  });
});

describe.each(rules)("%s", (_, pattern, applies) => {
  it("in every source file", () => {
    const offenders = ["bin", "src", "server", "mcp"]
      .flatMap(sourcesIn)
      .filter(applies)
      .filter((file) => pattern.test(codeOf(file)));
    expect(offenders).toEqual([]);
  });
});

it("random tests take the seed of the run", () => {
  const apart = sourcesIn("test").filter((file) => importsOf(file).includes("fast-check"));
  expect(apart).toEqual(["test/support/property.ts"]);
});

function sourcesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .sort();
}

const importForms =
  /^import [^"]*?from "([^"]+)"|^export [{*][^"=]*? from "([^"]+)"|^import "([^"]+)"|import\("([^"]+)"\)/gm;

function importsOf(file: string): string[] {
  const names = [...codeOf(file).matchAll(importForms)].flatMap((found) => found.slice(1, 5).filter(Boolean));
  return names.map((name) =>
    name.startsWith(".") ? relative(root, resolve(root, dirname(file), name)) : name,
  );
}

const codeOf = (file: string): string =>
  readFileSync(join(root, file), "utf8").replace(/\/\*\*[\s\S]*?\*\//g, "");

function covers(entry: string, name: string): boolean {
  if (entry === "node:*") return name.startsWith("node:");
  if (entry.endsWith("/*")) return name.startsWith(entry.slice(0, -1));
  return name === entry || name.startsWith(`${entry}/`);
}

const isNever = (file: string, name: string): boolean =>
  Object.entries(never).some(([folder, pattern]) => file.startsWith(folder) && pattern.test(name));
