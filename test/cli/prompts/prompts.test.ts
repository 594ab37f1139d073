import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Unanswered } from "../../../src/cli/core/cli-error.ts";
import { type CommandLineOptions, createCommandLine } from "../../support/clients/command-line.ts";
import { listen } from "../../support/network/recording-server.ts";

const ids = ["01a1fda4-237d-759b-ad89-7cf5663516dc", "02b1fda4-335d-7457-848d-a03caceeefed"];
const faqs = ids.map((id, at) => ({ id, question: `Question ${at}?`, answer: "A.", sortOrder: at }));
const app = { id: "01a1fda3-dcee-7447-b6de-42c8c3c82f1d", name: "Larder" };

/** A server that answers every call, and a person at a terminal who types the given lines. */
async function person(...lines: readonly string[]) {
  const bodies: unknown[] = [];
  const asked: string[] = [];
  const requests: string[] = [];
  const baseUrl = await listen(async ({ method, url }, response) => {
    requests.push(`${method} ${url}`);
    if (url?.endsWith("/apps")) response.end(JSON.stringify({ items: [app] }));
    else
      response.end(
        JSON.stringify(
          method === "GET" && url?.endsWith("faqs/remote") ? faqs : { success: true, ...faqs[0] },
        ),
      );
  });
  const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_API_KEY: "sdk_a" });
  const left = [...lines];
  const typed = (question: string) => {
    asked.push(question);
    return left.shift() ?? "";
  };
  const run = (argv: readonly string[], options: CommandLineOptions = {}) =>
    line.run(argv, { terminal: true, typed, ...options });
  return { line, run, asked, bodies, requests };
}

/** A person who presses Ctrl-D at every question. */
const endOfInput = { typed: () => Promise.reject(new Unanswered()), env: { NO_COLOR: "1" } };

const dryRun = (ran: { stdout: string }): string => ran.stdout;

describe("a command on a terminal asks for", () => {
  it("the missing type by number and the missing message of `feedback send`", async () => {
    const { run, asked } = await person("1", "It fails.");
    const ran = await run(["feedback", "send", "--dry-run"]);
    expect(ran.exit).toBe(0);
    expect(ran.stderr).toContain("Type:\n   1  bug\n   2  ");
    expect(ran.stderr).toContain("Message: what happened");
    expect(dryRun(ran)).toMatch(/"type": ?"bug"[\s\S]*"message": ?"It fails\."/);
    expect(asked).toEqual(["Number or name: ", "> "]);
  });

  it.each([["bug"], ["bu"], ["bgu"]])(
    "the missing type by its name, by the start of the name, or by a similar word: %s",
    async (answer) => {
      const { run } = await person(answer, "It fails.");
      expect(dryRun(await run(["feedback", "send", "--dry-run"]))).toMatch(/"type": ?"bug"/);
    },
  );

  it("the missing question and answer of `faq create`, which can come from a file", async () => {
    const { line, run } = await person("How do I sync?", "@answer.md");
    await writeFile(join(line.cwd, "answer.md"), "Tap **Sync**.\n");
    const ran = await run(["faq", "create", "--dry-run"]);
    expect(dryRun(ran)).toMatch(/"question": ?"How do I sync\?"[\s\S]*"answer": ?"Tap \*\*Sync\*\*\."/);
  });

  it("the missing version and title of `changelog create`", async () => {
    const { run } = await person("Faster lists", "2.4.0");
    const ran = await run(["changelog", "create", "--dry-run", "--app", app.id], {
      env: { INNKEEP_TOKEN: "sdm_a" },
    });
    expect(dryRun(ran)).toMatch(/"title": ?"Faster lists"[\s\S]*"version": ?"2\.4\.0"/);
  });

  it("only the values that are missing, and asks again after an empty line", async () => {
    const { run, asked } = await person("", "Tap Sync.");
    const ran = await run(["faq", "create", "--question", "How?", "--dry-run"]);
    expect(ran.exit).toBe(0);
    expect(asked).toHaveLength(2);
  });

  it("the missing entry of `faq view`, from a list of the server", async () => {
    const { run } = await person("2");
    const ran = await run(["faq", "view"]);
    expect(ran.stderr).toContain(`Id:\n   1  ${ids[0]}  Question 0?\n   2  ${ids[1]}  Question 1?\n`);
    expect(ran.stdout).toContain("Question 1?");
  });

  it("a missing id with a separate question, and then for the flags", async () => {
    const { run, requests } = await person("02b1");
    expect(await run(["faq", "delete", "--yes"])).toMatchObject({ exit: 0 });
    expect(requests.at(-1)).toBe(`DELETE /api/v1/faqs/remote/${ids[1]}`);
  });

  it("both missing arguments of `config set`", async () => {
    const { run } = await person("app", "Larder");
    expect(await run(["config", "set"])).toMatchObject({ exit: 0 });
    expect((await run(["config", "list", "--json"])).stdout).toContain('"app": "Larder"');
  });
});

describe("a command on a terminal offers a choice", () => {
  it("if the missing value is a kind of credential, which has fixed names", async () => {
    const { run } = await person("1");
    const ran = await run(["auth", "set"], { stdin: "sdk_b", terminal: true });
    expect(ran.stderr).toContain("Kind:\n   1  api-key\n   2  agent-token\n");
  });
});

describe("a command asks no question", () => {
  it("if the missing value is a list of words, such as a whole command", async () => {
    const { run, asked } = await person("npm test");
    expect(await run(["dev", "exec"])).toMatchObject({ exit: 2 });
    expect(asked).toEqual([]);
  });

  it.each<[string, readonly string[], CommandLineOptions]>([
    ["without a terminal", [], { terminal: false }],
    ["with --no-input", ["--no-input"], {}],
    ["with --json", ["--json"], {}],
    ["in a CI job", [], { env: { CI: "true" } }],
  ])("in this case: %s", async (_, flags, options) => {
    const { run, asked, requests } = await person("1", "It fails.");
    for (const argv of [
      ["feedback", "send"],
      ["faq", "create"],
      ["faq", "view"],
    ]) {
      const ran = await run([...argv, ...flags], options);
      expect(ran.exit).toBe(2);
      expect(ran.stderr).toMatch(/is missing/);
    }
    expect(asked).toEqual([]);
    expect(requests).toEqual([]);
  });

  it("if another value is wrong, which it reports first", async () => {
    const { run, asked } = await person();
    const ran = await run(["feedback", "send", "--type", "bgu"]);
    expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining("did you mean bug?") });
    expect(asked).toEqual([]);
  });

  it("if the flag is --best-effort", async () => {
    const { run, asked } = await person("1");
    expect(await run(["feedback", "send", "--best-effort"])).toMatchObject({ exit: 0 });
    expect(asked).toEqual([]);
  });
});

describe("a person who does not answer a question", () => {
  it("gets the usual error after three empty lines", async () => {
    const { run, asked } = await person();
    const ran = await run(["faq", "create"]);
    expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining("--question is missing") });
    expect(asked).toHaveLength(3);
  });

  it.each<readonly string[]>([
    ["faq", "create"],
    ["faq", "view"],
    ["feedback", "send"],
  ])("gets the usual error after the end of the input: %s %s", async (...argv) => {
    const { run } = await person();
    expect(await run(argv, endOfInput)).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("is missing"),
    });
  });

  it.each([
    ["the secret of `auth set`", ["auth", "set", "api-key"]],
    ["the app of `init`", ["init"]],
    ["the password of `admin user create`", ["admin", "user", "create", "--email", "a@example.org"]],
    ["the code of `auth login`", ["auth", "login", "--paste"]],
  ])("gets a usage error after the end of the input: %s", async (_, argv) => {
    const { line, run } = await person();
    const ran = await run(argv, endOfInput);
    expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining("error: The input ended") });
    expect(await readdir(line.cwd)).toEqual([]);
  });

  it.each([
    ["faq delete", ["faq", "delete", ids[0] ?? ""]],
    ["admin secret reset", ["admin", "secret", "reset"]],
  ])("does not confirm `%s` with the end of the input", async (_, argv) => {
    const { run, requests } = await person();
    const ran = await run(argv, endOfInput);
    expect(ran).toMatchObject({ exit: 2, stderr: "error: Nothing was changed.\n" });
    expect(requests.filter((request) => !request.startsWith("GET"))).toEqual([]);
  });

  it("does not store a key and sends no first report with `init` after the end of the input", async () => {
    const { run, requests } = await person();
    const ran = await run(["init", "--app", "Larder"], endOfInput);
    expect(ran).toMatchObject({ exit: 0, stderr: expect.stringContaining("The key is not stored.") });
    expect(requests.filter((request) => request.startsWith("POST"))).toEqual([]);
  });

  it("can interrupt the command, which ends with exit code 130", async () => {
    const { run } = await person();
    const stop = new AbortController();
    const typed = () => {
      stop.abort(new Error("interrupted"));
      return Promise.reject(new Error("interrupted"));
    };
    expect(await run(["faq", "create"], { typed, signal: stop.signal })).toMatchObject({ exit: 130 });
  });
});

describe("a similar value of a fixed list", () => {
  it.each([
    [["feedback", "list", "--status", "opne"], "(Did you mean open?)"],
    [["auth", "set", "api-kye"], "(Did you mean api-key?)"],
    [["config", "unset", "sever"], "(Did you mean server?)"],
    [["completion", "bsh"], "(Did you mean bash?)"],
  ])("is suggested: %j", async (argv, suggestion) => {
    const { run } = await person();
    expect(await run(argv)).toMatchObject({ exit: 2, stderr: expect.stringContaining(suggestion) });
  });

  it("is suggested for the name of a profile", async () => {
    const { run } = await person();
    await run(["config", "set", "app", "Larder", "--profile", "work"]);
    expect((await run(["faq", "list", "--profile", "wrok"])).stderr).toContain("(Did you mean work?)");
  });
});
