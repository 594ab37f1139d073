import { describe, expect, it } from "vitest";
import { exitCodes } from "../../../src/cli/core/cli-error.ts";
import { nounGroups, nouns } from "../../../src/cli/nouns.ts";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { readTree, treeWithout } from "../../support/sources/tree.ts";

const run = async (...argv: string[]) => (await createCommandLine()).run(argv);

describe("the command innkeep", () => {
  it("lists the commands if it has no arguments", async () => {
    const { exit, stdout } = await run();
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^Usage: innkeep <command>/);
    expect(stdout).toMatch(/^ {2}faq +Manage the FAQ of an app$/m);
  });

  it("groups the commands by the people who need them", async () => {
    const { stdout } = await run();
    const headings = [...stdout.matchAll(/^(\w.*):$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual([...nounGroups]);
    for (const { name, isShort } of nouns)
      expect(stdout.match(new RegExp(`^  ${name} {2,}`, "gm")) ?? []).toHaveLength(isShort ? 0 : 1);
  });

  it("lists the commands of an owner of tests once, and accepts their short forms", async () => {
    expect((await run("slot", "--help")).stdout).not.toMatch(
      /^ {2}(accept|decline|remove|confirm-join|assign) /m,
    );
    const { stdout } = await run("testing", "slot", "--help");
    expect(stdout).toMatch(/^ {2}accept <slot> .*\n {2}decline <slot> /m);
    for (const short of ["listing create", "cycle view", "slot accept"]) {
      const usage = `Usage: innkeep ${short} `;
      expect((await run(...short.split(" "), "--help")).stdout).toContain(usage);
      expect((await run("testing", ...short.split(" "), "--help")).stdout).toContain("innkeep testing ");
    }
  });

  it("does not list the flags of every change in the help of each command, but accepts them", async () => {
    const { stdout } = await run("faq", "create", "--help");
    expect(stdout).toContain("--question <text>");
    expect(stdout).not.toMatch(/--(dry-run|idempotency-key|max-wait|timeout)/);
    expect((await run("mcp", "--help")).stdout).toContain("--max-wait <seconds>");
  });

  it("lists no network flags for commands that work only on this machine", async () => {
    for (const noun of ["feedback", "proof"]) {
      expect((await run(noun, "discard", "x", "--max-wait", "1s")).stderr).toContain("is not a flag of");
      expect((await run(noun, "discard", "--help")).stdout).toContain("--dry-run");
    }
  });

  it("shows no short forms", async () => {
    expect((await run("faq", "--help")).stdout).not.toMatch(/\bls\b|\brm\b|faqs/);
  });

  it.each([
    [["faqq", "list"], "`faqq` is not a command of `innkeep`.\n(Did you mean faq?)"],
    [["faq", "lsit"], "`lsit` is not a command of `innkeep faq`.\n(Did you mean list?)"],
    [
      ["faq", "list", "--feilds", "id"],
      "--feilds is not a flag of `innkeep faq list`.\n(Did you mean --fields?)",
    ],
    [["faq", "view"], "error: The command needs one value more:\n  <id> is missing\n"],
    [
      ["feedback", "reply"],
      "error: The command needs 2 values more:\n  <thread> is missing\n  --body is missing\n",
    ],
    [
      ["faq", "create"],
      "error: The command needs 2 flags more:\n  --question is missing\n  --answer is missing\n",
    ],
    [["faq", "new", "--answer", "A"], "error: The command needs one flag more:\n  --question is missing\n"],
    [
      ["changelog", "create"],
      "error: The command needs 2 flags more:\n  --title is missing\n  --version is missing\n",
    ],
    [["testing", "listing", "create"], "error: The command needs 6 flags more:\n  --app-name is missing\n"],
    [["faq", "list", "more"], "`innkeep faq list` takes no argument, and `more` is too much."],
    [
      ["api", "GET", "/api/v1/faqs/remote"],
      "The method is a flag: `innkeep api /api/v1/faqs/remote --method GET`.",
    ],
    [["version"], "(Did you mean --version?)"],
    [["nope"], "`nope` is not a command of `innkeep`.\n`innkeep help` lists them.\n"],
    [["completion", "powershell"], "<shell> must be one of bash, zsh, fish, not `powershell`."],
    [["feedback", "send", "--type"], "--type needs a value."],
    [
      ["faq", "create", "--sort-order", "1.5"],
      "--sort-order must be a whole number of at most 15 digits, not `1.5`",
    ],
    [["faq", "list", "--color", "red"], "--color must be one of auto, always, never, not `red`."],
  ])("rejects %j, and suggests the right word", async (argv, message) => {
    expect(await run(...argv)).toMatchObject({
      exit: 2,
      stdout: "",
      stderr: expect.stringContaining(message),
    });
  });

  it("names all wrong and all missing values in one message", async () => {
    const ran = await run("faq", "create", "--sort-order", "x", "--max-wait", "soon", "--color", "atuo");
    expect(ran).toMatchObject({ exit: 2, stdout: "" });
    expect(ran.stderr).toBe(
      "error: 5 things are wrong:\n" +
        "  --color must be one of auto, always, never, not `atuo`: did you mean auto?\n" +
        "  --sort-order must be a whole number of at most 15 digits, not `x`\n" +
        "  --max-wait must be a length of time such as 8h, 30m or 90s, not `soon`\n" +
        "  --question is missing\n  --answer is missing\n",
    );
  });

  it("does not start a command with a wrong value", async () => {
    expect(await run("help", "options", "--color", "red")).toMatchObject({ exit: 2, stdout: "" });
  });

  it("reports a usage error as one object with --json", async () => {
    const ran = await run("faq", "lsit", "--json");
    expect(JSON.parse(ran.stderr)).toEqual({
      error: "`lsit` is not a command of `innkeep faq`.\n(Did you mean list?)",
      code: "usage",
      exitCode: 2,
    });
  });

  it("rejects a noun without a verb, and shows its commands", async () => {
    const ran = await run("faq");
    expect(ran).toMatchObject({ exit: 2, stdout: "", stderr: expect.stringContaining("Usage: innkeep faq") });
    expect(ran.stderr).not.toContain("error:");
  });
});

describe("the command help", () => {
  it.each([
    [["help"], "Usage: innkeep <command>"],
    [["help", "faq"], "Usage: innkeep faq "],
    [["help", "faqs", "new"], "Usage: innkeep faq create "],
    [["help", "admin", "user", "create"], "Usage: innkeep admin user create "],
  ])("explains a command: %j", async (argv, start) => {
    const ran = await run(...argv);
    expect(ran.exit).toBe(0);
    expect(ran.stdout.startsWith(start)).toBe(true);
  });

  it("prints a description of the command with --json", async () => {
    expect((await run("help", "faq", "view", "--json")).json()).toMatchObject({
      name: "view",
      arguments: [{ name: "id", required: true }],
      flags: [{ flags: "--app <id>" }, { flags: "--raw <field>" }],
    });
  });

  it("rejects an unknown command", async () => {
    expect(await run("help", "faq", "paint")).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("There is no help on `faq paint`."),
    });
  });

  it("prints the table of exit codes for help exit-codes", async () => {
    const rows = Object.values(exitCodes).map(({ code, meaning }) => `${code}\t${meaning}\n`);
    expect((await run("help", "exit-codes")).stdout).toBe(rows.join(""));
  });

  it("prints the options of every command for help options", async () => {
    const { stdout } = await run("help", "options");
    expect(stdout).toContain("--json\tevery command\twrite one JSON object to standard output\n");
    expect(stdout).toContain("--dry-run\tevery command that changes something\t");
    expect(stdout.split("\n")).toHaveLength(16);
  });

  it("names for help environment every variable that the source code reads", async () => {
    const { stdout } = await run("help", "environment");
    const named = stdout.split("\n").flatMap((line) => (line.split("\t")[0] ?? "").split(", "));
    const isNamed = (name: string) =>
      named.some((one) => (one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : one === name));
    const read = variablesInSources();
    expect(read.length).toBeGreaterThan(40);
    expect(read.filter((name) => !isNamed(name))).toEqual([]);
    expect(named.filter((name) => !/[*]|^NODE_|^$/.test(name) && !read.includes(name))).toEqual([]);
  });
});

/**
 * The names of variables in the sources: `env.NAME`, `environment.NAME`, and our own variables in texts, too. The file
 * with the list of `help environment` is left out.
 */
function variablesInSources(): string[] {
  const names = new Set<string>();
  const sources = treeWithout(readTree(["bin", "mcp", "server", "src"], [".ts", ".tsx"]), "src/cli/help.ts");
  for (const text of sources.values()) {
    for (const [, name = ""] of text.matchAll(
      /\benv(?:ironment)?\.([A-Z][A-Z0-9_]+|https?_proxy|no_proxy)\b/g,
    ))
      if (name !== "") names.add(name.toUpperCase());
    for (const [name] of text.matchAll(/\bINNKEEP_[A-Z0-9_]+\b/g)) names.add(name);
  }
  // Defined by the build.
  names.delete("INNKEEP_VERSION");
  return [...names];
}
