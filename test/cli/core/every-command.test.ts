import { describe, expect, it } from "vitest";
import { examplesOf } from "../../../src/cli/core/command.ts";
import { createProgram } from "../../../src/cli/core/program.ts";
import { createCommandLine, emptyWorld } from "../../support/clients/command-line.ts";
import { everyCommand, sampleFor } from "../../support/clients/every-command.ts";
import { commandOfExample } from "../../support/clients/example-command.ts";
import { expectOneDocument } from "../../support/clients/one-document.ts";
import { listen } from "../../support/network/recording-server.ts";

const credentials = { INNKEEP_API_KEY: "sdk_a", INNKEEP_AGENT_TOKEN: "sda_a", INNKEEP_TOKEN: "sdm_a" };
const commands = await everyCommand();
const mutations = commands.filter(([, command]) => command.options.some(({ long }) => long === "--dry-run"));

describe.each(commands)("the command innkeep %s", (words, command) => {
  it("shows help without network, folder or keychain: with its required flags and correct examples", async () => {
    const line = await createCommandLine({ INNKEEP_CONFIG_DIR: "/nowhere", INNKEEP_BASE_URL: "nowhere" });
    const forbidden = () => Promise.reject(new Error("touched"));
    const world = { keychain: forbidden, transport: forbidden, home: "/nowhere" };
    const ran = await line.run([...words.split(" "), "--help"], { world });
    expect(ran).toMatchObject({ exit: 0, stderr: "" });
    expect(ran.stdout).toMatch(new RegExp(`^Usage: innkeep ${words} `));
    const inOneLine = ran.stdout.replace(/\s+/g, " ");
    for (const { flags, mandatory } of command.options)
      if (mandatory) expect(inOneLine).toMatch(new RegExp(`${flags} (?:(?! --).)*\\(required\\)`));
    expect(examplesOf(command).length).toBeGreaterThan(0);
    for (const example of examplesOf(command)) {
      expect(ran.stdout).toContain(`\n  ${example}\n`);
      expect(example.startsWith(`innkeep ${words}`)).toBe(true);
      expect(await commandOfExample(example)).toBe(words);
    }
    expect(ran.stdout).toMatch(/\nGlobal options: innkeep help options\n$/);
    expect(ran.stdout).not.toContain("--agent-token-file <");
  });

  it("writes only JSON with --json, and asks no question", async () => {
    const baseUrl = await listen((_, response) => void response.writeHead(418).end('{"code":"teapot"}'));
    const line = await createCommandLine({ ...credentials, INNKEEP_BASE_URL: baseUrl });
    const typed = () => expect.unreachable("Something was asked.");
    const programs = {
      serve: async () => 0,
      admin: async () => ({ id: "7" }),
      mcp: async () => 0,
      devExec: async () => 0,
    };
    const ran = await line.run([...words.split(" "), ...sampleFor(command), "--json"], {
      typed,
      world: { programs },
    });
    if (!programsOfTheirOwn.includes(words)) expectOneDocument(ran);
  });
});

describe.each(mutations)("the command innkeep %s with --dry-run", (words, command) => {
  it("sends no request that changes data", async () => {
    const methods: (string | undefined)[] = [];
    const baseUrl = await listen(({ method }, response) => {
      methods.push(method);
      response.end('{"items":[{"id":"1","name":"Demo"}],"entries":[]}');
    });
    const line = await createCommandLine({ ...credentials, INNKEEP_BASE_URL: baseUrl });
    await line.run([...words.split(" "), ...sampleFor(command), "--dry-run"]);
    expect(methods.filter((method) => method !== "GET")).toEqual([]);
  });
});

describe("the list of all commands", () => {
  it("has the nouns and verbs of the design", () => {
    const words = commands.map(([name]) => name);
    expect(words).toEqual(
      expect.arrayContaining(["serve", "mcp", "api", "open", "feedback send", "faq list"]),
    );
    expect(words).toEqual(
      expect.arrayContaining(["changelog publish", "agent decision", "auth set", "admin user create"]),
    );
  });

  it("contains no argument for a secret", () => {
    const secrets = commands.flatMap(([words, { options }]) =>
      options
        .filter(({ long, required }) => required && isSecret.test(long ?? ""))
        .map(({ long }) => [words, long]),
    );
    expect(secrets).toEqual([]);
  });

  it("describes each command in one sentence", () => {
    const others = commands.filter(([, command]) => !/^[A-Z].{8,}[^.]$/.test(command.description()));
    expect(others.map(([words]) => words)).toEqual([]);
  });

  it("loads only the noun that the command line starts with", async () => {
    const program = await createProgram(["faq", "list"], { context: emptyWorld(), outcome: { exit: "ok" } });
    expect(program.commands.map((command) => command.name())).toEqual(["faq"]);
  });
});

/** Matches the name of a flag whose value is a secret. Idempotency keys are not secret. */
const isSecret = /^--(?!idempotency|dedupe)(?:.*-)?(?:key|token|password|secret)$/;

/** These only start another program, which writes its own output. */
const programsOfTheirOwn = ["serve", "dev", "dev exec", "mcp"];
