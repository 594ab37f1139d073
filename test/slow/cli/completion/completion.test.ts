import { existsSync, readFileSync } from "node:fs";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { listedArguments } from "../../../../src/cli/core/listed-values.ts";
import { createProgram } from "../../../../src/cli/core/program.ts";
import { createCommandLine, emptyWorld } from "../../../support/clients/command-line.ts";
import { completingShell, hasShell, type ShellName } from "../../../support/programs/shells.ts";

const program = await createProgram(["completion"], { context: emptyWorld(), outcome: { exit: "ok" } });
const everything = below(program);
const groups = everything.filter(({ command }) => command.commands.length > 0);
const commands = everything.filter(({ words }) => words.length > 0);

/** The commands of a group, without the aliases that the help omits. */
function shown(command: Command): Command[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.filter((one) => one.name() !== "help");
}

/** Every command and group, by its words. */
function below(
  command: Command,
  words: readonly string[] = [],
  inside: (command: Command) => readonly Command[] = shown,
): { words: readonly string[]; command: Command }[] {
  return [
    { words, command },
    ...inside(command).flatMap((one) => below(one, [...words, one.name()], inside)),
  ];
}

async function scriptFor(shell: ShellName): Promise<string> {
  const { stdout, exit } = await (await createCommandLine()).run(["completion", shell]);
  expect(exit).toBe(0);
  return stdout;
}

const shells: readonly ShellName[] = ["bash", "zsh", "fish"];
const installed = shells.filter(hasShell);
const missing = shells.filter((shell) => !installed.includes(shell));

describe.each(installed)("the completion of commands in %s", (name) => {
  const listed = "01a1fda4\\tHow do I sync?\\n02b1\\tWhy?\\n";
  const open = async () => completingShell(name, await scriptFor(name), listed);

  it("offers every command at its place and no hidden command, and starts no program", async () => {
    const shell = await open();
    const offered = shell.offers(groups.map(({ words }) => ["innkeep", ...words, ""]));
    groups.forEach(({ command }, at) => {
      expect(offered[at]?.toSorted()).toEqual(
        command
          .createHelp()
          .visibleCommands(command)
          .map((one) => one.name())
          .toSorted(),
      );
    });
    expect(existsSync(shell.calls)).toBe(false);
  });

  it("offers every flag of every command, and starts no program", async () => {
    const shell = await open();
    const offered = shell.offers(commands.map(({ words }) => ["innkeep", ...words, "--"]));
    commands.forEach(({ words, command }, at) => {
      const options = [...command.options, ...program.options].filter(({ hidden }) => !hidden);
      const flags = options.flatMap(({ long }) => long ?? []);
      expect(offered[at], words.join(" ")).toEqual(expect.arrayContaining(flags));
    });
    expect(existsSync(shell.calls)).toBe(false);
  });

  it("requests the ids from innkeep after other names of a command", async () => {
    const shell = await open();
    const lines = ["faqs rm", "listings view", "keys rm", "apps show"].map((line) => line.split(" "));
    const offered = shell.offers(lines.map((words) => ["innkeep", ...words, ""]));
    expect(offered.map((some) => some.toSorted())).toEqual(lines.map(() => ["01a1fda4", "02b1"]));
  });

  it("offers words that begin with the typed text", async () => {
    const shell = await open();
    const expected: readonly (readonly [words: readonly string[], fitting: readonly string[]])[] = [
      [["feedback", "list", "--status", "in"], ["in_progress"]],
      [["feedback", "list", "--status", "open", "--type", "b"], ["bug"]],
      [["faqs", "vi"], ["view"]],
      [["faq", "--json", "reo"], ["reorder"]],
      [["auth", "set", "api"], ["api-key"]],
      [["config", "set", "serv"], ["server"]],
      [["completion", "f"], ["fish"]],
    ];
    const offered = shell.offers(expected.map(([words]) => ["innkeep", ...words]));
    const fitting = expected.map(([words], at) => [
      words,
      offered[at]?.filter((word) => word.startsWith(words.at(-1) ?? "")),
    ]);
    expect(fitting).toEqual(expected);
  });

  it("requests the ids from innkeep after each command with an id, even a hidden one, on the same server", async () => {
    const shell = await open();
    const all = Object.entries(listedArguments);
    const offered = shell.offers(
      all.map(([words]) => ["innkeep", ...words.split(" "), "--app", "Larder", ""]),
    );
    const ids = offered.map((some, at) => [all[at]?.[0], some.toSorted()]);
    expect(ids).toEqual(all.map(([words]) => [words, ["01a1fda4", "02b1"]]));
    const calls = all.map(
      ([, { command, value, name: label }]) =>
        `${command.join(" ")} --fields ${value},${label} --app Larder\n`,
    );
    expect(readFileSync(shell.calls, "utf8")).toBe(calls.join(""));
  });
});

describe.each(missing)("the completion for %s, which is not installed here and is read as text,", (name) => {
  it("contains every command and every flag", async () => {
    const script = await scriptFor(name);
    for (const { words, command } of commands) {
      expect(script).toContain(words.join("/"));
      for (const { long, hidden } of command.options) if (!hidden) expect(script).toContain(long ?? "");
    }
  });
});

describe("the lists for the completion", () => {
  it("are for commands that exist and have an argument", () => {
    const withArgument = below(program, [], ({ commands }) => commands)
      .filter(({ command }) => command.registeredArguments.length > 0)
      .map(({ words }) => words.join(" "));
    expect(withArgument).toEqual(expect.arrayContaining(Object.keys(listedArguments)));
  });

  it("refuse an unknown shell", async () => {
    const ran = await (await createCommandLine()).run(["completion", "tcsh"]);
    expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining("bash, zsh, fish") });
  });
});
