import { describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { fakeKeychain } from "../../support/clients/fake-keychain.ts";
import { listen } from "../../support/network/recording-server.ts";
import { startService } from "../../support/service/service.ts";

const token = `sda_${"T0ken".repeat(7)}`;
const reported = (ran: { json(): unknown }) => Object(ran.json());
const stateOf = (ran: { json(): unknown }, check: string) =>
  reported(ran).findings.find((finding: { check: string }) => finding.check === check);

/** A server that answers a thread with this status. */
const serverThat = (status: number, { claims = 404 } = {}) =>
  listen(({ url = "", method }, response) => {
    if (url === "/healthz") return void response.end('{"status":"ok","version":"0.0.1"}');
    response.writeHead(method === "POST" ? claims : status).end('{"error":"No.","code":"not_found"}');
  });

describe("the command innkeep mcp --check", () => {
  it.each([
    [[], ["read", "propose"], "needs a token with the scope runs:work"],
    [["runs:work"], ["read", "propose", "work"], "and work on approved plans"],
  ])("says for a token with the scopes %j what it can do, on a real server", async (scopes, may, text) => {
    const service = await startService();
    const owner = await service.makeUser();
    const secret = await service.makeToken(owner, "agent", { scopes });
    const line = await createCommandLine({ INNKEEP_BASE_URL: service.baseUrl, INNKEEP_AGENT_TOKEN: secret });
    const ran = await line.run(["mcp", "--check", "--json"]);
    expect(reported(ran)).toMatchObject({ ok: true, baseUrl: service.baseUrl, may, failures: 0 });
    expect(ran.exit).toBe(0);
    for (const check of ["address", "server", "clock", "agent token"])
      expect(stateOf(ran, check), check).toMatchObject({ state: "ok" });
    const shown = await line.run(["mcp", "--check"]);
    expect(shown.stdout).toContain(text);
    expect(ran.stdout + ran.stderr + shown.stdout + shown.stderr).not.toContain(secret);
    const working = await line.run(["mcp", "--check", "--work", "--json"]);
    expect(stateOf(working, "permissions").state).toBe(scopes.length > 0 ? "ok" : "warning");
    const readOnly = await line.run(["mcp", "--check", "--read-only", "--json"]);
    expect(reported(readOnly).may).toEqual(["read"]);
    await service.stop();
  });

  it("finds the token in the keychain, as the MCP server does", async () => {
    const baseUrl = await serverThat(404);
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl });
    const keychain = fakeKeychain();
    await line.run(["auth", "set", "agent-token", "--no-check"], {
      stdin: token,
      world: { keychain: async () => keychain },
    });
    const ran = await line.run(["mcp", "--check", "--json"], { world: { keychain: async () => keychain } });
    expect(stateOf(ran, "agent token").what).toContain("(keychain) is accepted");
    expect(stateOf(ran, "permissions").what).toContain("agents cannot claim");
    expect(stateOf(ran, "versions").state).toBe("ok");
    expect(ran.exit).toBe(0);
  });

  it("ends with exit code 4 if there is no token, and says how a person stores one outside the client's settings", async () => {
    const baseUrl = await serverThat(404);
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl });
    const ran = await line.run(["mcp", "--check", "--json"]);
    expect(ran.exit).toBe(4);
    expect(stateOf(ran, "agent token")).toMatchObject({
      state: "failure",
      next: expect.stringContaining(`innkeep auth set agent-token --base-url ${baseUrl}`),
    });
    expect(reported(ran).may).toEqual([]);
  });

  it.each([
    ["of another kind", `sdm_${"x".repeat(36)}`, 404, "maintainer token"],
    ["that is refused", token, 401, "not accepted"],
  ])("ends with exit code 4 for a token %s", async (_, secret, status, what) => {
    const line = await createCommandLine({
      INNKEEP_BASE_URL: await serverThat(status),
      INNKEEP_AGENT_TOKEN: secret,
    });
    const ran = await line.run(["mcp", "--check"]);
    expect(ran.exit).toBe(4);
    expect(ran.stdout).toMatch(new RegExp(`^failure  agent token: .*${what}`, "m"));
    expect(ran.stdout).toMatch(/Next: .*innkeep auth set agent-token/);
    expect(ran.stdout + ran.stderr).not.toContain(secret);
  });

  it("ends with exit code 75 if the server cannot be reached, and still checks the token", async () => {
    const line = await createCommandLine({ INNKEEP_BASE_URL: "http://127.0.0.1:9" });
    const ran = await line.run(["mcp", "--check", "--json"]);
    expect(ran.exit).toBe(75);
    expect(stateOf(ran, "tcp")).toMatchObject({ state: "failure" });
    expect(stateOf(ran, "agent token")).toMatchObject({ state: "failure" });
  });

  it.each([500, 502, 503, 504])("ends with exit code 75 if the server answers %i", async (status) => {
    const baseUrl = await listen((_, response) => void response.writeHead(status).end("down"));
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_AGENT_TOKEN: token });
    const ran = await line.run(["mcp", "--check", "--json"]);
    expect(ran.exit).toBe(75);
    expect(stateOf(ran, "server")).toMatchObject({ state: "failure" });
  });

  it("ends with exit code 1 if the address belongs to another program", async () => {
    const baseUrl = await listen((_, response) => void response.end("<html>"));
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_AGENT_TOKEN: token });
    const ran = await line.run(["mcp", "--check"]);
    expect(ran.exit).toBe(1);
    expect(ran.stdout).toContain("but it is not an Innkeep server");
  });

  it.each([429, 503])(
    "ends with exit code 75 and does not call the token valid if the server answers %i",
    async (status) => {
      const line = await createCommandLine({
        INNKEEP_BASE_URL: await serverThat(status),
        INNKEEP_AGENT_TOKEN: token,
      });
      const ran = await line.run(["mcp", "--check", "--json"]);
      expect(ran.exit).toBe(75);
      expect(stateOf(ran, "agent token")).toMatchObject({ state: "warning" });
      expect(reported(ran).may).toEqual([]);
    },
  );
});

describe("the command innkeep mcp --setup", () => {
  it("prints a line for each client, with the address of the person's server", async () => {
    const line = await createCommandLine({ INNKEEP_BASE_URL: "https://feedback.example.com/" });
    const ran = await line.run(["mcp", "--setup"]);
    expect(ran.stdout).toContain(
      "Claude Code (run)\n  claude mcp add --env INNKEEP_BASE_URL=https://feedback.example.com ",
    );
    expect(ran.stdout).toContain("Cursor (open)\n  cursor://");
    expect(ran.exit).toBe(0);
    const { setups } = reported(await line.run(["mcp", "--setup", "--json"]));
    expect(setups.length).toBeGreaterThan(7);
  });

  it("refuses an unknown value of INNKEEP_MCP_WORK", async () => {
    const line = await createCommandLine({ INNKEEP_MCP_WORK: "perhaps" });
    const ran = await line.run(["mcp", "--check"]);
    expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining("must be true or false") });
  });

  it("prints lines with the tools for approved work if a flag asks for them", async () => {
    const line = await createCommandLine({ INNKEEP_BASE_URL: "https://feedback.example.com" });
    expect((await line.run(["mcp", "--setup", "codex", "--work"])).stdout).toMatch(
      / -- innkeep mcp --work\n$/,
    );
    const { setups } = reported(await line.run(["mcp", "--work", "--setup", "--json"]));
    expect(setups.filter(({ text }: { text: string }) => text.includes("--work")).length).toBeGreaterThan(4);
  });

  it("prints only the line for the client that is named", async () => {
    const line = await createCommandLine({ INNKEEP_BASE_URL: "https://feedback.example.com" });
    expect((await line.run(["mcp", "--setup", "codex"])).stdout).toBe(
      "codex mcp add innkeep --env INNKEEP_BASE_URL=https://feedback.example.com -- innkeep mcp\n",
    );
    expect((await line.run(["mcp", "--setup", "emacs"])).exit).toBe(2);
  });
});
