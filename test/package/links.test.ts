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

/** The targets of the links of a page, without headings. */
const targetsOf = (page: string): string[] =>
  [...readText(page).matchAll(/\]\(([^)#\s]+)(?:#[^)\s]*)?\)/g)].map(([, target = ""]) => target);

describe("the pages in the package", () => {
  it("are the guides for users", () => {
    expect(packed).toContain("docs/ci.md");
    expect(packed).not.toContain("docs/rules/README.md");
  });

  it("link only to pages in the package, or name the repository", () => {
    const outside = packed.flatMap((page) =>
      targetsOf(page)
        .filter((target) => !/^https?:/.test(target) && !packed.includes(join(dirname(page), target)))
        // Registries and GitHub show the README with links to the repository.
        .filter((target) => page !== "README.md" || !existsSync(target))
        .map((target) => [page, target]),
    );
    expect(outside).toEqual([]);
  });

  it("name only files that the repository has", () => {
    const missing = packed.flatMap((page) => {
      const named = targetsOf(page).filter((target) => target.startsWith(repository));
      const paths = named.map((target) =>
        target.slice(repository.length).replace(/^(blob|tree)\/main\//, ""),
      );
      const files = paths.filter((path) => !/^(issues|releases|discussions)\b|^$/.test(path));
      return files.filter((path) => !existsSync(path)).map((path) => [page, path]);
    });
    expect(missing).toEqual([]);
  });
});
