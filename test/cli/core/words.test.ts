import type { Command } from "commander";
import { beforeAll, describe, expect, it } from "vitest";
import { createProgram } from "../../../src/cli/core/program.ts";
import { nouns } from "../../../src/cli/nouns.ts";
import { emptyWorld } from "../../support/clients/command-line.ts";
import { readTree } from "../../support/sources/tree.ts";

let program: Command;
beforeAll(async () => {
  const argv = ["--help", ...nouns.map(({ name }) => name)];
  program = await createProgram(argv, { context: emptyWorld(), outcome: { exit: "ok" } });
});

/** The groups of commands, with those inside others. */
const groups = (command: Command): Command[] =>
  command.commands.flatMap((one) => (one.commands.length === 0 ? [] : [one, ...groups(one)]));

/** Groups of commands that need no `list`, because they have no objects. */
const noThings = ["auth", "dev", "testing", "admin", "config", "audit", "feedback", "faults", "secret"];

describe("the words of commands", () => {
  it("are nouns in the singular, and the plural has the same meaning", () => {
    const things = program.commands.filter(
      (one) => one.commands.length > 0 && !noThings.includes(one.name()),
    );
    expect(things.length).toBeGreaterThan(8);
    const without = things.filter((one) => !one.aliases().includes(`${one.name()}s`));
    expect(without.map((one) => one.name())).toEqual([]);
  });

  it.each([
    ["list", "ls"],
    ["view", "show"],
    ["create", "new"],
    ["delete", "rm"],
  ])("include %s, which can also be called %s", (verb, alias) => {
    const verbs = groups(program)
      .filter((group) => !["dev", "admin", "config"].includes(topOf(group)))
      .flatMap((group) => group.commands)
      .filter((command) => command.name() === verb);
    expect(verbs.length).toBeGreaterThan(0);
    const without = verbs.filter((command) => !command.aliases().includes(alias));
    expect(without.map((command) => `${command.parent?.name()} ${command.name()}`)).toEqual([]);
  });
});

describe("the messages about an unknown id", () => {
  it("say with the same words which command lists all ids", () => {
    const sources = readTree(["mcp", "server", "src"], [".ts", ".tsx"]);
    const sentences = [...sources].flatMap(([file, text]) =>
      [...text.matchAll(/ list[^`\n]*` ((?:shows|lists) (?:all|them)\b[^.;`"]*)/g)].map(
        ([, words = ""]) => `${file}: ${words}`,
      ),
    );
    expect(sentences.length).toBeGreaterThan(4);
    expect(sentences.filter((sentence) => !sentence.endsWith(": lists all"))).toEqual([]);
  });
});

/** The first word of a command in this group. */
const topOf = (group: Command): string => (group.parent?.parent ? topOf(group.parent) : group.name());
