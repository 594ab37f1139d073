import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { exitCodes } from "../../../src/cli/core/cli-error.ts";
import {
  type CommandLine,
  type CommandLineOptions,
  createCommandLine,
  type Ran,
} from "../../support/clients/command-line.ts";
import { everyExample } from "../../support/clients/every-command.ts";
import { wordsOfShell } from "../../support/clients/example-command.ts";
import { expectOneDocument } from "../../support/clients/one-document.ts";
import { png } from "../../support/files/sample-files.ts";
import { startExampleServer } from "../../support/network/example-server.ts";
import { secrets } from "../../support/specified-server/operation.ts";
import { startSpecifiedServer } from "../../support/specified-server/server.ts";

const lines = (await everyExample()).flatMap(([, examples]) => examples);

describe("the examples of the help", () => {
  it.each(lines)("succeed: %s", async (example) => {
    const ran = await runExample(example);
    expect(ran.exit, ran.stderr + ran.stdout).toBe(exitOf(example));
  });
});

describe("the examples of the help with --json", () => {
  it.each(lines.filter((example) => !hasAnotherForm.test(example)))("succeed: %s", async (example) => {
    expectOneDocument(await runExample(example, ["--json"]));
  });

  it("include task list --watch, which writes one document in each line", async () => {
    const { stdout } = await runExample("innkeep task list --watch", ["--json"]);
    const documents = stdout.trimEnd().split("\n");
    expect(documents.map((text) => JSON.parse(text))).toEqual([expect.objectContaining({ outstanding: 1 })]);
  });
});

describe("the examples of the help with a server that has only the specification", () => {
  it.each(lines)("end with an expected exit code and without a stack trace: %s", async (example) => {
    const ran = await runExample(example, [], await startSpecifiedServer());
    expect(expectedExits, ran.stderr).toContain(ran.exit);
    expect(ran.stderr).not.toMatch(/TypeError|\n {4}at /);
  });
});

/** The exits of examples for which the server has no data. An exit is never 1. */
const expectedExits = ["ok", "usage", "differences", "notFound", "conflict", "interrupted"].map(
  (exit) => Object.entries(exitCodes).find(([name]) => name === exit)?.[1].code,
);

/** Commands that start other programs, print one document per line, or need a terminal. */
const hasAnotherForm = /^innkeep (?:serve|dev|mcp)(?: exec| listen| --|$)|--watch|--ndjson/;

async function runExample(
  example: string,
  more: readonly string[] = [],
  server?: { readonly baseUrl: string },
): Promise<Ran> {
  const { line, baseUrl } = await machineFor(example, server);
  for (const words of firstOf(example)) await line.run(words.split(" "));
  return line.run([...argvOf(example, baseUrl), ...more], optionsFor(example));
}

/** The commands that come before an example. */
function firstOf(example: string): readonly string[] {
  const faq = /faq (?:diff|push)(?: (docs\/faq))?/.exec(example);
  if (faq) return [`faq pull ${faq[1] ?? ""}`.trim()];
  if (example.includes("config ")) return ["config set app Larder --profile work"];
  return [];
}

/**
 * The exit of an example. There are differences to show, no unsent reports, no terminal, no programs to run, and an
 * interruption.
 */
function exitOf(example: string): number {
  if (/ inbox| agent work /.test(example)) return 2;
  if (/ (feedback|proof) discard /.test(example)) return 6;
  return isEndless(example) ? 130 : 0;
}

const isEndless = (example: string): boolean => / --watch|^innkeep dev listen /.test(example);

const argvOf = (example: string, baseUrl: string): string[] =>
  wordsOfShell(example)
    .slice(1)
    .map((word) => (word === "https://inn.example.org" ? baseUrl : word));

function optionsFor(example: string): CommandLineOptions {
  const over = new AbortController();
  const clock = {
    now: () => new Date(),
    sleep: async () => {
      if (isEndless(example)) over.abort(new Error("interrupted"));
    },
  };
  return {
    stdin: inputOf(example),
    terminal: /faq edit \w+$/.test(example),
    signal: over.signal,
    world: { programs, clock, openEditor: async () => 0, openBrowser: async () => {} },
  };
}

/** The text of the file that an example has as its standard input. */
function inputOf(example: string): string {
  if (example.endsWith("< address.txt")) return "https://hooks.example/1";
  if (example.endsWith("< key.txt")) return secrets.appKey;
  return `sdm_${"0".repeat(36)}\n`;
}

const programs = {
  serve: async () => 0,
  mcp: async () => 0,
  devExec: async () => 0,
  admin: async () => ({ id: "7", items: [] }),
};

/** A machine with every credential, a server that answers every request, and the files that examples name. */
async function machineFor(
  example: string,
  server?: { readonly baseUrl: string },
): Promise<{ readonly line: CommandLine; readonly baseUrl: string }> {
  const baseUrl = server?.baseUrl ?? (await startExampleServer(idsIn(example)));
  const line = await createCommandLine({
    INNKEEP_BASE_URL: baseUrl,
    INNKEEP_API_KEY: secrets.appKey,
    INNKEEP_AGENT_TOKEN: secrets.agentToken,
    INNKEEP_DEVICE_TOKEN: secrets.deviceToken,
    INNKEEP_TOKEN: "sdm_a",
    INNKEEP_TEST_KEY: secrets.testKey,
    ...(/ resolve /.test(example) && {
      GITHUB_ACTIONS: "true",
      GITHUB_RUN_ID: "7",
      GITHUB_JOB: "test",
    }),
  });
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(line.cwd, name)), { recursive: true });
    await writeFile(join(line.cwd, name), content);
  }
  if (example.includes("--format git")) history(line.cwd);
  return { line, baseUrl };
}

const files: Readonly<Record<string, string | Buffer>> = {
  "screen.png": png().bytes,
  ...Object.fromEntries(
    ["log.txt", "build.log", "note.md", "notes.md", "answer.md", "plan.md", "brief.md"].map((name) => [
      name,
      "Text.",
    ]),
  ),
  "token.txt": "sda_ofTheTest0000000000000000000000000000\n",
  "key.txt": "stk_a\n",
  "seed.yaml": "",
  "entry.json": '{"question":"How?","answer":"So."}',
  "reports/a.xml": '<testsuite name="a"><testcase name="b"><failure>No.</failure></testcase></testsuite>',
  "CHANGELOG.md": "# Changelog\n\n## [2.4.0] - 2026-11-20\n\n### Added\n\n- Sorting\n",
};

function history(cwd: string): void {
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...words], { cwd });
  git("init", "-q");
  for (const tag of ["v2.3.0", "v2.4.0"]) {
    git("commit", "-q", "--allow-empty", "-m", `feat: sort for ${tag}`);
    git("tag", tag);
  }
}

/** Whole ids for the ids and starts of ids in an example. */
const idsIn = (example: string): string[] =>
  [...example.matchAll(/\b0[0-9a-f]{7}(-[0-9a-f-]{27})?\b/g)].map(([found]) =>
    found.length === 36 ? found : `${found}-237d-759b-ad89-7cf5663516dc`,
  );
