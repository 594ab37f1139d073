import { spawnSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/cli/core/program.ts";
import { nouns } from "../../src/cli/nouns.ts";
import { emptyWorld } from "../support/clients/command-line.ts";
import { manPages } from "./man-pages.ts";

const program = await createProgram(["--help", ...nouns.map(({ name }) => name)], {
  context: emptyWorld(),
  outcome: { exit: "ok" },
});
const pages = manPages(program);
const formatter = ["groff", "mandoc"].find((name) => spawnSync(name, ["--version"]).error === undefined);

/** `npm run docs` writes the pages again. */
describe("the manual page", () => {
  it.each([...pages])("man/%s is equal to the output of the commands", async (name, text) => {
    await expect(text).toMatchFileSnapshot(`../../man/${name}`);
  });

  it("of each command is in the folder and in the package, and there are no other pages", async () => {
    const names = [...pages.keys()].toSorted();
    expect((await readdir("man")).toSorted()).toEqual(names);
    const { man, files } = JSON.parse(await readFile("package.json", "utf8"));
    expect(man.toSorted(), "`man` of package.json").toEqual(names.map((name) => `man/${name}`));
    expect(files).toContain("man");
  });

  it(`has correct macros${formatter ? `, by ${formatter}` : ", as far as this can be checked without groff"}`, () => {
    for (const [name, text] of pages) {
      expect(text, name).not.toMatch(/^\.(?!\\"|TH |SH |SS |TP$|PP$|B |BR |I |br$|nf$|fi$)/m);
      if (!formatter) continue;
      const flags = formatter === "groff" ? ["-man", "-Tutf8", "-ww", "-z"] : ["-Tlint"];
      expect(spawnSync(formatter, flags, { input: text, encoding: "utf8" }).stderr, name).toBe("");
    }
  });
});
