import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { actionCommands, inputOf, isRepeatable, ownInputs, statusFlag } from "../../../src/cli/action.ts";
import { calledBy } from "../../../src/cli/core/failures.ts";
import { createProgram } from "../../../src/cli/core/program.ts";
import { emptyWorld } from "../../support/clients/command-line.ts";
import { readAction } from "../../support/programs/actions-runner.ts";

/** The commands of the action. */
const commands = () =>
  Promise.all(
    actionCommands.map(async (name) => {
      const words = name.split(" ");
      const setup = { context: emptyWorld(), outcome: { exit: "ok" } } as const;
      return calledBy(words, await createProgram(words, setup));
    }),
  );

describe("the file action.yml", () => {
  it("allows several values for the flags that can be repeated, and for no other flag", async () => {
    const options = (await commands()).flatMap((command) => command.options);
    const several = options.filter(isRepeatable).map(inputOf);
    const described = options.filter(({ description }) => /repeatable|several times/.test(description));
    expect(several.length).toBeGreaterThan(5);
    expect(described.map(inputOf)).toEqual(several);
  });

  it("has an input for each flag of its commands, and no other input", async () => {
    const { inputs } = await readAction();
    const flags = new Set<string>(ownInputs);
    for (const command of await commands()) {
      for (const option of command.options) flags.add(inputOf(option));
      // The input `status` replaces it.
      flags.delete(statusFlag);
      for (const argument of command.registeredArguments) flags.add(argument.name());
    }
    // A step cannot ask a person, so the action sets it.
    flags.delete("yes");
    expect(Object.keys(inputs).sort()).toEqual([...flags].sort());
  });

  it("names files that the build has created for Node 24", async () => {
    const { runs } = await readAction();
    expect(runs.using).toBe("node24");
    const { version } = JSON.parse(await readFile("package.json", "utf8"));
    expect(await readFile(runs.main, "utf8")).toContain(JSON.stringify(version));
    expect(await readFile(runs.pre, "utf8")).toContain("GITHUB_STATE");
  });
});
