import { describe, expect, it } from "vitest";
import { demoAnnouncement } from "../../server/demo/seed-demo.ts";
import { announce } from "../../server/main.ts";
import { readSettings } from "../../server/settings/read-settings.ts";
import type { ServeFlags } from "../../server/settings/settings.ts";

/** The text that a server prints as soon as it listens. */
function said(flags: ServeFlags, environment: Record<string, string> = {}) {
  const told = { out: "", err: "", warned: "" };
  const settings = readSettings(flags, environment);
  const voice = {
    out: (text: string) => {
      told.out += text;
    },
    err: (text: string) => {
      told.err += text;
    },
    warn: (text: string) => {
      told.warned += text;
    },
  };
  announce({ flags, settings, environment, demo: undefined, command: "innkeep" }, voice);
  return told;
}

/** The output of the demo, as `innkeep serve --demo` prints it. */
const demo = () => {
  const tokens = { agentToken: "sda_1", maintainerToken: "sdm_1", deviceToken: "sdt_1", testKey: "stk_1" };
  const secrets = { apiKey: "sdk_1", ...tokens, password: "secret-word" };
  const access = { ...secrets, email: "ada@example.com", appId: "a", threadId: "t", runId: "r" };
  return demoAnnouncement(readSettings({ port: 4800 }, {}), access, "innkeep");
};

describe("the start of the demo", () => {
  it("puts no secret into the arguments of a command, which other users of the machine can read", () => {
    const commands = demo().split("In another terminal")[1] ?? "";
    const lines = commands.split("\n").filter((line) => !line.startsWith("  export "));
    expect(lines.filter((line) => /s[dt][kamt]_1|stk_1|secret-word/.test(line))).toEqual([]);
    expect(commands).toMatch(/^ {2}printenv INNKEEP_AGENT_TOKEN \| innkeep auth set agent-token/m);
    expect(commands).toMatch(/^ {2}claude mcp add .* -- innkeep mcp$/m);
  });
});

describe("the printed lines of the demo", () => {
  it("export every credential, and name the data folder", () => {
    for (const [name, value] of [
      ["INNKEEP_API_KEY", "sdk_1"],
      ["INNKEEP_AGENT_TOKEN", "sda_1"],
      ["INNKEEP_TOKEN", "sdm_1"],
      ["INNKEEP_DEVICE_TOKEN", "sdt_1"],
      ["INNKEEP_TEST_KEY", "stk_1"],
    ])
      expect(demo()).toContain(`\n  export ${name}=${value}\n`);
    expect(demo()).toMatch(/\n {2}Data folder {7}\/\S+\n/);
  });
});

const warning =
  "This server listens on http://127.0.0.1:4800, but all links begin with https://inn.example.org, because INNKEEP_BASE_URL has this value. " +
  "If the variable is only for the client, start with --base-url http://127.0.0.1:4800.";

describe("a server at its start", () => {
  it("prints its address", () => {
    expect(said({ port: 4800 })).toEqual({
      ...{ out: "", warned: "" },
      err: "Innkeep serves http://127.0.0.1:4800\nConsole: http://127.0.0.1:4800/console\n",
    });
  });

  it("prints why its links use another address, on standard error or in the log", () => {
    const environment = { INNKEEP_BASE_URL: "https://inn.example.org" };
    expect(said({ port: 4800 }, environment).err).toContain(`\nwarning: ${warning}\n`);
    const json = said({ port: 4800, json: true }, environment);
    expect(json).toMatchObject({ err: "", warned: warning });
    expect(JSON.parse(json.out)).toMatchObject({ event: "ready", baseUrl: "https://inn.example.org" });
  });

  it.each<[string, ServeFlags, Record<string, string>]>([
    ["the same address", { port: 4800 }, { INNKEEP_BASE_URL: "http://127.0.0.1:4800/" }],
    ["another name of this machine", { port: 4800 }, { INNKEEP_BASE_URL: "http://localhost:4800" }],
    [
      "a flag",
      { port: 4800, baseUrl: "https://inn.example.org" },
      { INNKEEP_BASE_URL: "https://b.example.org" },
    ],
    ["a server for all networks", { host: "0.0.0.0" }, { INNKEEP_BASE_URL: "https://inn.example.org" }],
    ["an empty variable", { port: 4800 }, { INNKEEP_BASE_URL: "" }],
  ])("prints no warning about %s", (_, flags, environment) => {
    expect(said(flags, environment).err).not.toContain("warning");
  });

  it("prints a warning about another port of this machine", () => {
    expect(said({ port: 4800 }, { INNKEEP_BASE_URL: "http://127.0.0.1:4700" }).err).toContain("warning:");
  });
});
