import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readText } from "../support/sources/tree.ts";

const readme = readText("README.md");
const commands = [...readme.matchAll(/^\$ (innkeep .+)$/gm)].map(([, command = ""]) => command);

describe("the README", () => {
  it("has commands that a person can copy", () => {
    expect(commands.length).toBeGreaterThan(8);
  });

  it("names only files that are in the repository", () => {
    const files = commands.flatMap((command) =>
      [...command.matchAll(/(?:--(?:image|attach|video|plan|message) )@?([\w/-]+\.\w+)/g)].map(
        ([, file = ""]) => file,
      ),
    );
    expect(files.length).toBeGreaterThan(3);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });

  it("shows the two commands before the installation", () => {
    expect(readme.indexOf("npm ci && npm start")).toBeLessThan(readme.indexOf("## Install"));
  });
});
