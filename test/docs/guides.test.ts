import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSettings } from "../../server/settings/read-settings.ts";
import { exitCodes } from "../../src/cli/core/cli-error.ts";
import { type RateLimitName, rateLimits } from "../../src/contract/limits.ts";
import { commandOfExample } from "../support/clients/example-command.ts";
import { readText, readTree } from "../support/sources/tree.ts";
import { anchorOf } from "./markdown.ts";

const pages = new Map([
  ...readTree(["docs"], [".md"]),
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map((page): [string, string] => [page, readText(page)]),
]);

/** A method of the agents' protocol. */
const notFiles = ["server/discover"];

describe("the pages of the documentation", () => {
  it("name only files that exist", () => {
    const named = [...pages].flatMap(([page, text]) =>
      [...text.matchAll(/`((?:bin|build|docs|mcp|server|src|test)\/[\w./-]+)`/g)].map(
        ([, path = ""]) => [page, path] as const,
      ),
    );
    expect(named.filter(([, path]) => !existsSync(path) && !notFiles.includes(path))).toEqual([]);
  });

  it("link only to pages and headings that exist", () => {
    expect([...pages].flatMap(([page, text]) => brokenLinksIn(page, text))).toEqual([]);
  });

  it("for contributors name every benchmark", () => {
    const { scripts } = JSON.parse(readText("package.json"));
    const benchmarks = Object.keys(scripts).filter((name) => name.startsWith("bench"));
    expect(benchmarks.length).toBeGreaterThan(2);
    const page = readText("CONTRIBUTING.md");
    expect(benchmarks.filter((name) => !new RegExp(`npm run ${name}(?![\\w:])`).test(page))).toEqual([]);
  });

  it("contain only `innkeep` commands that the command line accepts", async () => {
    await expect(commandOfExample("innkeep faq lsit")).rejects.toThrow("unknown command 'lsit'");
    await expect(commandOfExample("innkeep faq list --feilds id")).rejects.toThrow("unknown option");
    const lines = [...pages].flatMap(([page, text]) => commandLinesIn(text).map((line) => [page, line]));
    expect(lines.length).toBeGreaterThan(60);
    const faults: string[] = [];
    for (const [page, line = ""] of lines) {
      const called = await commandOfExample(line).catch(String);
      if (!/^[a-z]/.test(called)) faults.push(`${page}: ${line}: ${called}`);
    }
    expect(faults).toEqual([]);
  });
});

/** The links of a page that lead to no page or to no heading, with the page. */
function brokenLinksIn(page: string, text: string): string[] {
  const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
  const broken = links.filter(([, path = "", heading]) => {
    const target = path === "" ? page : join(dirname(page), path);
    if (!existsSync(target)) return true;
    return heading !== undefined && !headingsOf(readText(target)).includes(heading);
  });
  return broken.map(([link]) => `${page}: ${link}`);
}

/** The lines of code blocks that call `innkeep`, without their comments; those with a gap (`…`) are left out. */
function commandLinesIn(text: string): string[] {
  const blocks = [...text.matchAll(/^```(?:sh|console)?\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);
  return blocks
    .flatMap((block) => block.replace(/\\\n\s*/g, "").split("\n"))
    .map((line) => line.replace(/^\$ /, "").replace(/\s+# .*$/, ""))
    .filter((line) => line.startsWith("innkeep ") && !/[…[]/.test(line));
}

const headingsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading));

describe("docs/sign-in.md", () => {
  const limits = readText("docs/sign-in.md").split("\n## Limits\n")[1]?.split("\n## ")[0] ?? "";
  const names: readonly RateLimitName[] = [
    "exchangeByDevice",
    "exchangeByAddress",
    "awaitByDevice",
    "awaitByAddress",
    "registrationsByAddress",
    "refusedRegistrationsByAddress",
    "signInByAccount",
    "signInByAddress",
    "signInByKnown",
  ];

  it("has the limits of the sign-in", () => {
    for (const name of names) {
      const { limit, windowSeconds } = rateLimits[name];
      expect.soft(limits, name).toMatch(new RegExp(`\\b${limit.toLocaleString("en")}\\b`));
      expect.soft(limits, name).toContain(`${windowSeconds / 60} minutes`);
    }
  });
});

describe("docs/ci.md", () => {
  it("has every exit code", () => {
    const table = readText("docs/ci.md").split("\n## Exit codes\n")[1] ?? "";
    const codes = [...table.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    expect(codes).toEqual(Object.values(exitCodes).map(({ code }) => code));
  });
});

describe("docs/operating.md", () => {
  const text = readText("docs/operating.md");
  const { connections, anonymousBufferedBytes, ...budgets } = readSettings({}, {}).budgets;

  it("has every space limit and its default", () => {
    for (const [name, value] of Object.entries({ anonymousBufferedBytes, ...budgets })) {
      const row = text.split("\n").find((line) => line.startsWith("| `") && line.includes(`\`${name}\``));
      expect.soft(row, name).toMatch(new RegExp(`\\b${value}\\b`));
    }
  });

  it("has every setting of the server", () => {
    const read = [...readTree(["server/settings"], [".ts"]).values()].flatMap((source) =>
      [...source.matchAll(/\bINNKEEP_[A-Z_]+\b/g)].map(([name]) => name),
    );
    expect([...new Set(read)].filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
    expect(connections).toBeGreaterThan(0);
  });
});
