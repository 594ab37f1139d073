import { describe, expect, it } from "vitest";
import { importsIn } from "./support/sources/imports.ts";
import { breachesInAreas, placeOf, roleBreachesIn } from "./support/sources/roles.ts";

const breachesOf = (files: Record<string, string>) => {
  const tree = new Map(Object.entries(files));
  return roleBreachesIn(tree, importsIn(tree));
};

/** The breaches of one file that imports others, each as `rule: import`. */
const breachesOfImports = (file: string, names: readonly string[]) => {
  const up = "../".repeat(file.split("/").length - 1);
  const lines = names.map((name) =>
    /^(bin|src|server|mcp)\//.test(name) ? `import "${up}${name}";` : `import "${name}";`,
  );
  return breachesOf({ [file]: lines.join("\n") }).map(({ rule, what }) => `${rule}: ${what}`);
};

describe("the place of a file in the repository", () => {
  it("is its area, its subject and its role, by the name of the file or of its folder", () => {
    const tags = { area: "feedback", subject: "tags" };
    expect(placeOf("server/feedback/tags/api.ts")).toEqual({ ...tags, role: "api" });
    expect(placeOf("server/feedback/tags/page.tsx")).toEqual({ ...tags, role: "page" });
    expect(placeOf("server/feedback/tags/store/insert.ts")).toEqual({ ...tags, role: "store" });
  });

  it.each([
    "server/store/feedback/tags.ts",
    "server/feedback/api.ts",
    "server/feedback/tags/names.ts",
    "server/feedback/tags/storeroom.ts",
    "server/console/pages/page.tsx",
    "src/feedback/tags/api.ts",
  ])("is unknown for %s", (file) => {
    expect(placeOf(file)).toBeUndefined();
  });
});

describe("the check of what a file imports, by its role,", () => {
  const contract = "src/contract/tags.ts";
  const own = (role: string) => `server/feedback/tags/${role}.ts`;
  const other = (role: string) => `server/testing/slots/${role}.ts`;

  it.each([
    ["rules", [contract, other("rules"), "semver/functions/parse.js", "temporal-polyfill"]],
    ["store", ["server/database/transaction.ts", other("rules"), own("store/rows"), "node:crypto"]],
    ["answer", [own("store"), other("store"), contract, own("answer/parts")]],
    ["api", [own("answer"), other("answer"), other("rules"), other("store"), contract]],
    ["api", ["server/http/handler.ts", "server/database/database.ts", "server/secrets/secrets.ts", "semver"]],
    ["page", [own("api"), "server/console/parts.tsx", contract, "preact"]],
  ])("allows %s to import %s", (role, names) => {
    expect(breachesOfImports(own(role), names)).toEqual([]);
  });

  it.each([
    ["rules", [own("store"), "node:crypto", "server/clock.ts", "koa"]],
    [
      "store",
      [own("answer"), own("api"), own("page"), "server/http/handler.ts", "server/console/page-reads.ts"],
    ],
    ["answer", [own("api"), own("page"), "server/http/answers.ts"]],
    [
      "api",
      [other("api"), own("page"), "server/console/page-reads.ts", "src/client/client.ts", "mcp/server.ts"],
    ],
    ["page", [own("store"), other("store"), other("page"), own("answer"), "server/database/database.ts"]],
  ])("does not allow %s to import %s", (role, names) => {
    const breaches = breachesOfImports(own(role), names);
    expect(breaches.map((breach) => breach.split(": ")[1])).toEqual(names);
  });

  it("says in its error what the role may import", () => {
    expect(breachesOfImports(own("store"), [own("page")])).toEqual([
      `store imports only store, rules, contract, database: ${own("page")}`,
    ]);
  });

  it("includes imports of types and dynamic imports", () => {
    const file = own("rules");
    expect(breachesOf({ [file]: 'import type { Tag } from "./store.ts";' })).toHaveLength(1);
    expect(breachesOf({ [file]: 'const load = () => import("./store.ts");' })).toHaveLength(1);
  });

  it.each([
    ["src/contract/tags.ts", ["src/contract/fields.ts", "zod/mini"], ["koa", "src/client/client.ts"]],
    ["src/client/call.ts", [contract, "undici", "node:http"], ["src/cli/tags.ts", own("rules")]],
    ["src/cli/tags.ts", [contract, "src/client/client.ts", "commander"], ["mcp/server.ts", own("rules")]],
    ["mcp/server.ts", [contract, "src/client/client.ts", "src/words/words.ts"], ["src/cli/tags.ts"]],
  ])("includes %s", (file, right, wrong) => {
    expect(breachesOfImports(file, right)).toEqual([]);
    const rules = breachesOfImports(file, wrong).filter((breach) => / imports only /.test(breach));
    expect(rules.map((breach) => breach.split(": ")[1])).toEqual(wrong);
  });

  it.each(["http", "database"])("treats no folder as a subject in %s", (folder) => {
    const file = `server/${folder}/one.ts`;
    expect(breachesOfImports(file, [own("api")])).toEqual([`${folder} names no subject: ${own("api")}`]);
    expect(breachesOfImports(file, ["server/clock.ts", contract])).toEqual([]);
  });

  it("ignores files without a role", () => {
    expect(
      breachesOfImports("server/store/feedback/tags.ts", ["server/console/page-reads.ts", "koa"]),
    ).toEqual([]);
  });
});

describe("the check of the environment and of the end of the process", () => {
  it("allows process.env only in bin and settings", () => {
    const text = "export const { env } = { env: process.env };";
    expect(breachesOf({ "bin/main.ts": text, "server/settings.ts": text })).toEqual([]);
    expect(breachesOf({ "server/feedback/tags/api.ts": text })).toEqual([
      {
        rule: "process.env is read only in bin, settings and the library for tests of apps",
        file: "server/feedback/tags/api.ts",
        what: "process.env",
        area: "feedback",
      },
    ]);
  });

  it("allows process.exit only in bin, and ignores comments", () => {
    expect(breachesOf({ "bin/main.ts": "process.exit(1);" })).toEqual([]);
    expect(breachesOf({ "mcp/server.ts": "// process.exit, process.env\n" })).toEqual([]);
    expect(breachesOf({ "mcp/server.ts": "process.exit(1);" })).toHaveLength(1);
  });
});

describe("the modules that the command line loads", () => {
  it("contain neither koa nor a database, even through other files", () => {
    const breaches = breachesOf({
      "src/cli/tags.ts": 'import "../client/client.ts";',
      "src/client/client.ts": 'import "pg";',
      "server/app.ts": 'import "koa";',
    });
    expect(breaches).toEqual([
      {
        rule: "cli loads no koa and no database",
        file: "src/client/client.ts",
        what: "pg",
        area: undefined,
      },
    ]);
  });
});

describe("the check of strict areas", () => {
  const breaches = breachesOf({
    "server/feedback/tags/page.tsx": 'import "./store.ts";',
    "server/testing/slots/page.tsx": 'import "./store.ts";',
    "server/http/route.ts": 'import "../testing/slots/api.ts";',
    "mcp/server.ts": "process.exit(1);",
  });

  it("reports breaches in their files, and in files that import their subjects", () => {
    expect(breachesInAreas(breaches, ["testing"])).toEqual([
      "server/testing/slots/page.tsx: page imports only api, rules, console, contract, http, its own page (server/testing/slots/store.ts)",
      "server/http/route.ts: http names no subject (server/testing/slots/api.ts)",
    ]);
  });

  it("reports no other breaches", () => {
    expect(breachesInAreas(breaches, [])).toEqual([]);
  });
});
