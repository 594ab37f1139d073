import { describe, expect, it } from "vitest";
import type {
  AdminRequest,
  DevExecRequest,
  McpRequest,
  Programs,
  ServeFlags,
} from "../../../src/programs.ts";
import { createCommandLine } from "../../support/clients/command-line.ts";

/** A command line in which other programs only record their arguments. */
async function noting(env: Record<string, string> = {}, answer: Record<string, unknown> = { userId: "7" }) {
  const told: { serve?: ServeFlags; admin?: AdminRequest; mcp?: McpRequest; devExec?: DevExecRequest } = {};
  const programs: Programs = {
    async serve(flags) {
      told.serve = flags;
      return 0;
    },
    async admin(request) {
      told.admin = request;
      return answer;
    },
    async mcp(request) {
      told.mcp = request;
      return 0;
    },
    async devExec(request) {
      told.devExec = request;
      return 43;
    },
  };
  const line = await createCommandLine(env);
  const run = (argv: string, options = {}) => line.run(argv.split(" "), { world: { programs }, ...options });
  return { run, told, line };
}

describe("the command serve", () => {
  it("passes only the given flags to the server", async () => {
    const { run, told } = await noting();
    const database = "--database-url postgres://h/d";
    await run(
      `serve --host 0.0.0.0 --port 0 --data /d ${database} --base-url https://b --console-url https://c --demo --dev --seed s.yaml --json`,
    );
    expect(told.serve).toEqual({
      ...{ host: "0.0.0.0", port: 0, data: "/d", databaseUrl: "postgres://h/d" },
      ...{ baseUrl: "https://b", consoleUrl: "https://c", demo: true, dev: true, seed: "s.yaml", json: true },
    });
    await run("serve");
    expect(JSON.parse(JSON.stringify(told.serve))).toEqual({});
  });

  it.each<[unknown, number, string]>([
    [
      Object.assign(new Error("INNKEEP_PORT must be a port."), { name: "SettingError" }),
      2,
      "INNKEEP_PORT must be a port.",
    ],
    [Object.assign(new Error("listen"), { code: "EADDRINUSE", port: 4700 }), 7, "Port 4700 is in use"],
    [new Error("The disk is gone."), 1, "The disk is gone."],
  ])("that fails with %s ends with exit code %i", async (error, exit, message) => {
    const { line } = await noting();
    const programs: Programs = { ...(await failing()), serve: () => Promise.reject(error) };
    expect(await line.run(["serve"], { world: { programs } })).toMatchObject({
      exit,
      stderr: expect.stringContaining(`error: ${message}`),
    });
  });
});

describe("the command dev", () => {
  it("starts a local server with the demo, which can use another port", async () => {
    const { run, told } = await noting();
    await run("dev --seed seed.yaml --json");
    expect(JSON.parse(JSON.stringify(told.serve))).toEqual({
      ...{ dev: true, demo: true, local: true, seed: "seed.yaml", json: true },
    });
  });

  it("passes with exec the command after --, and ends with its exit code", async () => {
    const { run, told } = await noting();
    expect((await run("dev exec --seed s.json --keep -- npm test --json")).exit).toBe(43);
    expect(told.devExec).toMatchObject({ command: ["npm", "test", "--json"], seed: "s.json", keep: true });
    expect((await run("dev exec")).exit).toBe(2);
  });
});

describe("the command admin", () => {
  it.each<[string, object]>([
    ["admin app create Atlas --owner a@b.c", { command: "app create", name: "Atlas", owner: "a@b.c" }],
    [
      "admin key create --app 1 --label CI --kind intake",
      { command: "key create", appId: "1", label: "CI", kind: "intake" },
    ],
    [
      "admin token create --kind maintainer --owner a@b.c --scope faqs:write --scope apps:read --app 1 --expires 2027-01-31",
      {
        ...{ command: "token create", kind: "maintainer", owner: "a@b.c", appId: "1" },
        scopes: ["faqs:write", "apps:read"],
        expiresAt: "2027-01-31T00:00:00Z",
      },
    ],
    ["admin member add --app 1 --email a --role owner", { command: "member add", role: "owner" }],
    ["admin key list --app 1 --owner a@b.c", { command: "key list", appId: "1", owner: "a@b.c" }],
    ["admin key revoke 01 --yes", { command: "key revoke", id: "01" }],
    ["admin token list --owner a@b.c", { command: "token list", owner: "a@b.c" }],
    ["admin token rotate 01 --grace 10", { command: "token rotate", id: "01", graceMinutes: 10 }],
    ["admin token revoke 01 -y", { command: "token revoke", id: "01" }],
    ["admin migrate --data /d", { command: "migrate", data: "/d" }],
    ["admin check --database-url postgres://h/d", { command: "check", databaseUrl: "postgres://h/d" }],
    ["admin backup b.tar", { command: "backup", file: "b.tar" }],
    ["admin restore b.tar", { command: "restore", file: "b.tar" }],
  ])("passes this to the work on the database: %s", async (argv, request) => {
    const { run, told } = await noting();
    expect((await run(argv)).exit).toBe(0);
    expect(told.admin).toEqual(expect.objectContaining(request));
  });

  it("uses the database of a flag, or of the environment", async () => {
    const { run, told } = await noting({ INNKEEP_DATA: "/e", INNKEEP_DATABASE_URL: "postgres://e/e" });
    await run("admin check --data /d");
    expect(told.admin).toMatchObject({ data: "/d", databaseUrl: "postgres://e/e" });
  });

  it("prints the created object as text, and as one JSON object", async () => {
    const { run } = await noting({}, { appId: "1", apiKey: "sdk_0123456789" });
    expect((await run("admin app create Atlas --owner a@b.c")).stdout).toBe(
      "appId   1\napiKey  sdk_0123456789\n",
    );
    expect((await run("admin app create Atlas --owner a@b.c --json")).json()).toEqual({
      appId: "1",
      apiKey: "sdk_0123456789",
    });
  });

  it("reads a password from standard input, and never from a flag", async () => {
    const { run, told } = await noting();
    await run("admin user create --email a@b.c --password-stdin", { stdin: "correct horse \n" });
    expect(told.admin).toMatchObject({ command: "user create", email: "a@b.c", password: "correct horse " });
    expect((await run("admin user create --email a@b.c --password x")).exit).toBe(2);
  });

  it("asks for a password on a terminal, and otherwise names the flag", async () => {
    const { run, told } = await noting();
    await run("admin user create --email a@b.c", { terminal: true, typed: () => "typed secret" });
    expect(told.admin).toMatchObject({ password: "typed secret" });
    expect(await run("admin user create --email a@b.c")).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("Pipe it in with --password-stdin."),
    });
  });

  it("sets a new password of an account from standard input", async () => {
    const { run, told } = await noting();
    await run("admin user password --email a@b.c --password-stdin", { stdin: "battery staple\n" });
    expect(told.admin).toMatchObject({
      command: "user password",
      email: "a@b.c",
      password: "battery staple",
    });
  });

  it("lists credentials as a table, as values in a pipe, and as one object", async () => {
    const token = {
      id: "01",
      kind: "agent",
      owner: "a@b.c",
      prefix: "sda_abcd",
      label: "CI",
      lastUsedAt: null,
    };
    const { run } = await noting({}, { items: [token] });
    expect((await run("admin token list --no-color", { terminal: true })).stdout).toBe(
      "ID  KIND   OWNER  PREFIX    LAST USED  LABEL\n01  agent  a@b.c  sda_abcd             CI\n",
    );
    expect((await run("admin token list")).stdout).toBe("01\tagent\ta@b.c\tsda_abcd\t\tCI\n");
    expect((await run("admin token list --json")).json()).toEqual({ items: [token] });
  });

  it.each(["key", "token"])("revokes a %s only after a confirmation", async (thing) => {
    const { run, told } = await noting();
    expect(await run(`admin ${thing} revoke 01`)).toMatchObject({
      exit: 2,
      stderr: `error: Revoke the ${thing} 01? Nobody can be asked here.\nAdd --yes to continue without a question.\n`,
    });
    expect((await run(`admin ${thing} revoke 01`, { terminal: true, typed: () => "n" })).exit).toBe(2);
    expect(told.admin).toBeUndefined();
    expect((await run(`admin ${thing} revoke 01`, { terminal: true, typed: () => "y" })).exit).toBe(0);
    expect(told.admin).toMatchObject({ command: `${thing} revoke`, id: "01" });
  });

  it("reports a refusal with its code", async () => {
    const { line } = await noting();
    const refusal = Object.assign(new Error("No such account."), {
      ...{ name: "ApiError", status: 404, code: "not_found" },
      details: { issues: [{ path: "owner", message: "is nobody" }] },
    });
    const programs: Programs = { ...(await failing()), admin: () => Promise.reject(refusal) };
    const ran = await line.run(["admin", "app", "create", "A", "--owner", "x"], { world: { programs } });
    expect(ran).toMatchObject({ exit: 6, stderr: "error: No such account.\n  --owner is nobody\n" });
  });
});

describe("the command mcp", () => {
  it("passes the server, the token and the flags to the MCP server", async () => {
    const { run, told } = await noting({
      INNKEEP_AGENT_TOKEN: "sda_a",
      INNKEEP_CONSOLE_URL: "https://c",
      INNKEEP_STATE_DIR: "/s",
    });
    await run("mcp --base-url https://b/ --read-only --max-wait 30");
    expect(told.mcp).toMatchObject({
      ...{ baseUrl: "https://b", consoleUrl: "https://c", agentToken: "sda_a" },
      ...{ readOnly: true, maxWaitSeconds: 30, stateDirectory: "/s" },
    });
  });

  it.each([
    ["mcp", { INNKEEP_MCP_WORK: "true" }, true],
    ["mcp", { INNKEEP_MCP_WORK: "false" }, false],
    ["mcp", {}, false],
    ["mcp --work", { INNKEEP_MCP_WORK: "false" }, true],
    ["mcp --read-only", { INNKEEP_MCP_WORK: "true" }, false],
  ])(
    "offers the tools for approved work as a flag says, or else the variable: %s, %o",
    async (words, env, work) => {
      const { run, told } = await noting(env);
      await run(words);
      expect(told.mcp?.work).toBe(work);
    },
  );

  it("reads a stored token when it needs one, and reads a newer token the next time", async () => {
    const { run, told, line } = await noting();
    const set = (stdin: string) => line.run(["auth", "set", "agent-token", "--no-check"], { stdin });
    await run("mcp");
    expect(await told.mcp?.storedToken?.()).toBeUndefined();
    await set("sda_first");
    expect(await told.mcp?.storedToken?.()).toBe("sda_first");
    await set("sda_second");
    expect(await told.mcp?.storedToken?.()).toBe("sda_second");
  });

  it("writes only the protocol to standard output", async () => {
    const { run } = await noting();
    expect((await run("mcp")).stdout).toBe("");
  });
});

async function failing(): Promise<Programs> {
  const fail = () => Promise.reject(new Error("This program is not part of the test."));
  return { serve: fail, admin: fail, mcp: fail, devExec: fail };
}
