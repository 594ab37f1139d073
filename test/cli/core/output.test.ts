import { describe, expect, it } from "vitest";
import {
  asTabbed,
  cutTo,
  printable,
  relativeTime,
  table,
  widthOf,
  withoutCommands,
} from "../../../src/cli/core/output.ts";
import { oneLine } from "../../../src/words/visible.ts";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { answers, startRecordingServer } from "../../support/network/recording-server.ts";

const faqs = [
  { id: "1", question: "How?", answer: "So.", sortOrder: 1, extra: { deep: [1] } },
  { id: "2", question: "Why?", answer: "Because.", sortOrder: 2 },
];

async function list(argv: readonly string[], options = {}) {
  const { baseUrl } = await startRecordingServer(answers(200, faqs));
  const line = await createCommandLine({ INNKEEP_API_KEY: "sdk_a", INNKEEP_BASE_URL: baseUrl });
  return line.run(["faq", "list", ...argv], options);
}

describe("the flag --fields", () => {
  it("selects columns in the given order", async () => {
    expect((await list(["--fields", "answer, id"])).stdout).toBe("So.\t1\nBecause.\t2\n");
  });

  it("prints fields that a newer server added, and prints nothing for missing fields", async () => {
    expect((await list(["--fields", "id,extra.deep"])).stdout).toBe("1\t[1]\n2\t\n");
    expect((await list(["--fields", "id,extra.deep", "--json"])).json()).toEqual({
      items: [
        { id: "1", "extra.deep": [1] },
        { id: "2", "extra.deep": null },
      ],
    });
  });

  it("names the columns on a terminal", async () => {
    const { stdout } = await list(["--fields", "id,question", "--no-color"], { terminal: true });
    expect(stdout).toBe("ID  QUESTION\n1   How?\n2   Why?\n");
  });

  it("rejects a column that no entry has, and names the existing columns", async () => {
    expect(await list(["--fields", "id,qestion"])).toMatchObject({
      exit: 2,
      stdout: "",
      stderr: "error: There is no field `qestion`.\n--fields takes: id, question, answer, sortOrder, extra\n",
    });
  });
});

describe("the colour of the output", () => {
  const isColored = ({ stdout }: { stdout: string }) => stdout.includes("\u001b[1m");

  it.each<[string, string[], boolean, Record<string, string>, boolean]>([
    ["on a terminal", [], true, {}, true],
    ["not in a pipe, which gets no headings", [], false, { FORCE_COLOR: "1" }, false],
    ["not with NO_COLOR", [], true, { NO_COLOR: "1" }, false],
    ["not with --no-color", ["--no-color"], true, {}, false],
    ["not with --color never", ["--color", "never"], true, { FORCE_COLOR: "1" }, false],
    ["with --color always, whatever NO_COLOR says", ["--color", "always"], true, { NO_COLOR: "1" }, true],
    ["not on a dumb terminal", [], true, { TERM: "dumb" }, false],
    ["on a dumb terminal with FORCE_COLOR", [], true, { TERM: "dumb", FORCE_COLOR: "1" }, true],
    ["not with FORCE_COLOR=0", [], true, { FORCE_COLOR: "0" }, false],
    ["not with NO_COLOR, even with FORCE_COLOR", [], true, { NO_COLOR: "1", FORCE_COLOR: "1" }, false],
  ])("is shown %s", async (_, argv, terminal, env, expected) => {
    expect(isColored(await list(argv, { terminal, env }))).toBe(expected);
  });

  it("also follows --no-color in errors", async () => {
    const { baseUrl } = await startRecordingServer(answers(404, { error: "No.", code: "not_found" }));
    const line = await createCommandLine({ INNKEEP_API_KEY: "sdk_a", INNKEEP_BASE_URL: baseUrl });
    const errors = async (...argv: string[]) =>
      (await line.run(["faq", "list", ...argv], { terminal: true })).stderr;
    expect(await errors()).toBe("\u001b[31merror:\u001b[39m No.\n");
    expect(await errors("--no-color")).toBe("error: No.\n");
    expect(await errors("--color", "never")).toBe("error: No.\n");
  });
});

describe("a text from the server on a terminal or in a pipe", () => {
  it.each([
    ["escape sequences", "a\u001b[31mb", "a[31mb"],
    ["bells and backspaces", "a\u0007\u0008b\u009b", "ab"],
    ["changes of text direction", "a\u202eb\u2066c\u200f", "abc"],
    ["a change of other characters", "ä 🦆\tb\nc", "ä 🦆\tb\nc"],
  ])("is printed without %s", (_, text, expected) => {
    expect(printable(text)).toBe(expected);
  });

  it("is one value in a tab-separated line, and can be read back", () => {
    expect(asTabbed("a\tb\\n\nc\r")).toBe("a\\tb\\\\n\\nc\\r");
  });

  it("is one line, even in place of a time", () => {
    const now = new Date("2026-11-26T12:00:00.000Z");
    expect(relativeTime("2026-11-26T09:00:00.000Z", now)).toBe("3 h ago");
    expect(relativeTime("a\u202e\u001b[2J\nb", now)).toBe("a[2J b");
  });

  it("is one line in a table", () => {
    expect(oneLine(" a\n\n b\tc ")).toBe("a b c");
  });
});

describe("a text that a CI service would execute", () => {
  const mask = "::add-mask::aaa";
  const path = "x ##vso[task.setvariable variable=PATH]/evil";
  const strangers = [
    { id: "1", question: mask, answer: path },
    { id: "2", question: "", answer: `  ${mask}` },
  ];
  const job = { env: { TF_BUILD: "True" } };
  async function run(argv: readonly string[], options: object = job) {
    const { baseUrl } = await startRecordingServer(answers(200, strangers));
    const line = await createCommandLine({ INNKEEP_API_KEY: "sdk_a", INNKEEP_BASE_URL: baseUrl });
    return line.run(argv, options);
  }

  it("is changed in the rows of a CI job so that it has no effect, and is unchanged elsewhere", async () => {
    const argv = ["faq", "list", "--fields", "question,answer"];
    const safe = "x # #vso[task.setvariable variable=PATH]/evil";
    expect((await run(argv)).stdout).toBe(`\\${mask}\t${safe}\n\t  \\${mask}\n`);
    expect((await run(argv, {})).stdout).toBe(`${mask}\t${path}\n\t  ${mask}\n`);
    expect((await run(["faq", "list", "--fields", "answer,question"])).stdout).toContain(
      `${safe}\t${mask}\n`,
    );
  });

  it("has no effect in the table of a CI job", async () => {
    const argv = ["faq", "list", "--fields", "question,answer", "--no-color"];
    const { stdout } = await run(argv, { ...job, terminal: true });
    expect(stdout).toContain(`\n\\${mask}  x # #vso[task`);
  });

  it("has no effect in the JSON of a CI job, where its value stays the same", async () => {
    const { stdout, json } = await run(["faq", "list", "--json"]);
    expect(stdout).not.toContain("##");
    expect(stdout).toContain("x #\\u0023vso[task");
    expect(json()).toEqual({ items: strangers });
    expect((await run(["faq", "list", "--json"], {})).stdout).toContain(path);
  });

  it("has no effect in the errors and debug lines of a CI job", async () => {
    const fault = { error: `No.\n${mask}\r\n##[error]No`, code: "not_found" };
    const { baseUrl } = await startRecordingServer(answers(404, fault));
    const line = await createCommandLine({ INNKEEP_API_KEY: "sdk_a", INNKEEP_BASE_URL: baseUrl });
    const errors = async (...flags: string[]) => (await line.run(["faq", "list", ...flags], job)).stderr;
    expect(await errors()).toBe(`error: No.\n\\${mask}\n\\# #[error]No\n`);
    const json = await errors("--json");
    expect(json).not.toContain("##");
    expect(JSON.parse(json)).toMatchObject(fault);
    expect(await errors("--debug")).not.toMatch(/^\s*(::|##)|##\w*\[/m);
  });

  it("has no effect in the messages of a CI job", async () => {
    const { baseUrl } = await startRecordingServer(answers(200, { "##vso[x]": 1 }));
    const line = await createCommandLine({ INNKEEP_API_KEY: "sdk_a", INNKEEP_BASE_URL: baseUrl });
    const id = "01a1fe4f-d11f-7363-bbed-5de61a604ebb";
    const { stderr } = await line.run(["api", `/api/v1/faqs/${id}`, "--fields", "none"], job);
    expect(stderr).toBe("There is no field `none`. The fields are: # #vso[x].\n");
  });

  it("is found in one pass after any white space", () => {
    const space = "\u2028".repeat(50_000);
    expect(withoutCommands(`a\n${space}b`)).toBe(`a\n${space}b`);
    expect(withoutCommands(`${space}::x`)).toBe(`${space}\\::x`);
    expect(withoutCommands(`a\u2028::x`)).toBe(`a\u2028::x`);
  });
});

describe("a table on a terminal", () => {
  it.each([
    ["latin", 5],
    ["日本", 4],
    ["🦆", 2],
    ["e\u0301", 1],
  ])("measures the width of %s", (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  it("shortens values by width, not by length", () => {
    expect(cutTo("日本語", 5)).toBe("日本…");
    expect(cutTo("short", 5)).toBe("short");
  });

  it("shortens its widest column until it is narrow enough", () => {
    const lines = table(
      [
        ["id", "text"],
        ["1", "x".repeat(100)],
      ],
      40,
    );
    expect(lines.map(widthOf)).toEqual([8, 40]);
  });

  it("stays readable if it cannot be narrow enough", () => {
    expect(table([["a b".repeat(10), "c d".repeat(10)]], 5)).toEqual(["a ba ba…\n  c dc dc…"]);
  });

  it("continues on another line in place of a shortened id, address or time", () => {
    const id = "01a1fe4f-d11f-7363-bbed-5de61a604ebb";
    const rows = [
      ["number", "tester", "why", "slot"],
      ["1", "nadia@testers.example", "a reason of some length", id],
    ];
    expect(table(rows, 40)).toEqual([
      "number  tester                 why\n  slot",
      `1       nadia@testers.example  a reason…\n  ${id}`,
    ]);
    expect(table(rows, 95)[1]).toBe(`1       nadia@testers.example  a reason of some length  ${id}`);
  });
});
