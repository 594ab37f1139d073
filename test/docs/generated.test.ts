import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/cli/core/program.ts";
import { nouns } from "../../src/cli/nouns.ts";
import { emptyWorld } from "../support/clients/command-line.ts";
import { apiPage } from "./api-page.ts";
import { cliPage } from "./cli-page.ts";
import { anchorOf } from "./markdown.ts";

const wholeProgram = () =>
  createProgram(["--help", ...nouns.map(({ name }) => name)], {
    context: emptyWorld(),
    outcome: { exit: "ok" },
  });

/** `npm run docs` writes the pages again. */
describe("the generated page", () => {
  it("docs/api.md is equal to the output of the contract", async () => {
    await expect(apiPage()).toMatchFileSnapshot("../../docs/api.md");
  });

  it("docs/cli.md is equal to the output of the commands", async () => {
    await expect(cliPage(await wholeProgram())).toMatchFileSnapshot("../../docs/cli.md");
  });

  it.each([
    ["docs/api.md", apiPage],
    ["docs/cli.md", async () => cliPage(await wholeProgram())],
  ])("%s links only to headings that it has", async (_, make) => {
    const text = await make();
    const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading));
    const links = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((anchor) => !headings.includes(anchor ?? ""))).toEqual([]);
    expect(headings).toEqual([...new Set(headings)]);
  });
});
