import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readText, readTree } from "../support/sources/tree.ts";

const { files } = z.object({ files: z.array(z.string()) }).parse(JSON.parse(readText("package.json")));
const leftOut = files.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1));
const guides = [...readTree(["docs"], [".md"]).keys()].filter((page) => /^docs\/[^/]+$/.test(page));
const packed = ["README.md", "LICENSE", ...guides.filter((page) => !leftOut.includes(page))];
const repository = "https://github.com/innkeep/innkeep/";

/** Where the links of a page lead, without headings. */
const targetsOf = (page: string): string[] =>
  [...readText(page).matchAll(/\]\(([^)#\s]+)(?:#[^)\s]*)?\)/g)].map(([, target = ""]) => target);

describe("the pages in the package", () => {
  it("are the guides for users", () => {
    expect(packed).toContain("docs/ci.md");
    expect(packed).not.toContain("docs/rules.md");
  });

  it.each(packed)("%s links only to pages in the package, or names the repository", (page) => {
    const inside = targetsOf(page).filter((target) => !/^https?:/.test(target));
    expect(inside.filter((target) => !packed.includes(join(dirname(page), target)))).toEqual([]);
  });

  it.each(packed)("%s names only files that the repository has", (page) => {
    const named = targetsOf(page).filter((target) => target.startsWith(repository));
    const paths = named.map((target) => target.slice(repository.length).replace(/^(blob|tree)\/main\//, ""));
    const files = paths.filter((path) => !/^(issues|releases|discussions)\b|^$/.test(path));
    expect(files.filter((path) => !existsSync(path))).toEqual([]);
  });
});
