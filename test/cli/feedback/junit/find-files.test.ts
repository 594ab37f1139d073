import { mkdir, symlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { findFiles } from "../../../../src/cli/feedback/junit/find-files.lazy.ts";
import { place } from "../../../support/clients/junit-sending.ts";
import { temporaryFolder } from "../../../support/files/temporary-folder.ts";

const files = ["a.xml", "b [1].xml", "out/c.xml", "out/deep/d.xml", "out/e.txt", ".hidden/f.xml"];
/** A folder with these files, a package, and a link that points back to the folder. */
async function filledFolder(): Promise<string> {
  const cwd = join(await temporaryFolder(), "work");
  for (const file of [...files, "node_modules/g/h.xml", "../beside.xml"]) await place({ cwd }, file, "");
  await mkdir(join(cwd, "loop"));
  await symlink(cwd, join(cwd, "loop", "again"));
  return cwd;
}

async function found(pattern: string): Promise<string[]> {
  const cwd = await filledFolder();
  const paths = await findFiles(cwd, pattern.replace("<folder>", cwd));
  return paths.map((path) => relative(cwd, path)).filter((path) => !path.startsWith("loop"));
}

describe("the files that a pattern matches", () => {
  it.each([
    ["a file", "a.xml", ["a.xml"]],
    ["a file with the signs of a pattern", "b [1].xml", ["b [1].xml"]],
    ["a glob of one folder", "out/*.xml", ["out/c.xml"]],
    ["a glob of all folders, links that lead back included", "out/**/*.xml", ["out/c.xml", "out/deep/d.xml"]],
    ["a glob with alternatives", "{a,out/c}.{xml,txt}", ["a.xml", "out/c.xml"]],
    ["a glob of hidden folders", ".hidden/*", [".hidden/f.xml"]],
    ["a folder, by its XML files", "out", ["out/c.xml", "out/deep/d.xml"]],
    ["a folder above", "../*.xml", ["../beside.xml"]],
    ["packages, if it names them", "node_modules/**/*.xml", ["node_modules/g/h.xml"]],
    ["nothing", "none/**/*.xml", []],
    ["a folder that is not there", "none/", []],
    ["a file in place of a folder", "a.xml/*.xml", []],
  ])("are found for %s", async (_, pattern, expected) => {
    expect(await found(pattern)).toEqual(expected);
  });

  it("do not contain installed packages, and can be found by an absolute path", async () => {
    const all = await found("**/*.xml");
    expect(all).toEqual([".hidden/f.xml", "a.xml", "b [1].xml", "out/c.xml", "out/deep/d.xml"]);
    expect(await found("<folder>/out/*.xml")).toEqual(["out/c.xml"]);
  });
});
