import { describe, expect, it } from "vitest";
import { explain } from "../../../mcp/refusals.ts";
import { ConnectionError } from "../../../src/client/errors.ts";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { failingProxies, startProxy } from "../../support/network/failing-proxies.ts";
import { commandsOfScript, runScriptCommand } from "../../support/programs/input-script.ts";

const credentials = { INNKEEP_API_KEY: "sdk_x", INNKEEP_AGENT_TOKEN: "sda_x" };
const aboutProxy = /HTTP_PROXY and HTTPS_PROXY name the proxy: .*NO_PROXY/;

describe("a proxy that requires a name and a password", () => {
  it.each(["http", "https"])(
    "is named in the error, gets one request, and the message explains where both are set: %s",
    async (scheme) => {
      const proxy = await startProxy(failingProxies["wants a name and a password"]);
      const line = await createCommandLine({
        ...credentials,
        ...{ INNKEEP_BASE_URL: `${scheme}://inn.example` },
        ...{ HTTP_PROXY: proxy.address, HTTPS_PROXY: proxy.address },
      });
      const ran = await line.run(["faq", "list"]);
      expect(ran.exit).toBe(75);
      expect(ran.stderr).toMatch(
        /The proxy 127\.0\.0\.1:\d+ refused .* 407\. It requires a name and a password/,
      );
      expect(ran.stderr).toMatch(aboutProxy);
      expect(proxy.connections()).toBe(1);
    },
  );
});

it("a proxy of this machine that refuses the connection gets only one request", async () => {
  const line = await createCommandLine({
    ...credentials,
    ...{ INNKEEP_BASE_URL: "http://inn.example", HTTP_PROXY: "http://127.0.0.1:1" },
  });
  const ran = await line.run(["faq", "list"]);
  expect(ran).toMatchObject({
    exit: 75,
    stderr: expect.stringContaining("no program listens at that address"),
  });
  expect(ran.stderr).not.toContain("Trying again");
});

describe("a proxy that is not running", () => {
  it.each([
    [
      "proxy-down.sh",
      "the proxy 127.0.0.1:1 for requests to http://inn.example: no program listens at that address",
    ],
    [
      "proxy-down-https.sh",
      "the proxy 127.0.0.1:1 for requests to https://inn.example: no program listens at that address",
    ],
    [
      "proxy-down-name.sh",
      "the proxy mandatory.invalid:3128 for requests to http://inn.example:8080: the host name",
    ],
  ])(
    "is named by the command and by the command doctor of %s, and no message suggests the start of a server",
    async (name, what) => {
      const [command, doctor] = await commandsOfScript(name);
      if (!command || !doctor) throw new Error("The script has two commands.");
      const ran = await runScriptCommand(command, { env: credentials });
      expect(ran.exit).toBe(75);
      expect(ran.stderr).toContain(`No answer from ${what}`);
      expect(ran.stderr).toMatch(aboutProxy);
      const examined = await runScriptCommand(doctor, { env: { ...credentials, COLUMNS: "500" } });
      expect(examined.exit).toBe(1);
      expect(examined.stdout).toMatch(/the proxy for inn\.example/);
      expect(examined.stdout.replace(/\s+/g, " ")).toMatch(aboutProxy);
      for (const text of [ran.stderr, examined.stdout])
        expect(text).not.toMatch(/server running|whether the server runs|Start the server with|secret/);
    },
  );

  it.each(["faq list", "feedback send --type bug --message m", "agent thread 1", "api /x"])(
    "is named in the error of %s",
    async (command) => {
      const line = await createCommandLine({
        ...credentials,
        ...{ INNKEEP_BASE_URL: "https://inn.example", HTTPS_PROXY: "http://127.0.0.1:1" },
      });
      const ran = await line.run(command.split(" "));
      expect(ran.stderr).toContain("the proxy 127.0.0.1:1");
    },
  );

  it.each(["hangs up", "refuses the way", "wants a name and a password", "speaks no HTTP"] as const)(
    "is named in the error if it %s",
    async (way) => {
      const proxy = await startProxy(failingProxies[way]);
      const line = await createCommandLine({
        ...credentials,
        ...{ INNKEEP_BASE_URL: "https://inn.example", HTTPS_PROXY: proxy.address },
      });
      const ran = await line.run(["faq", "list"]);
      expect(ran.stderr).toContain(new URL(proxy.address).host);
      expect(ran.stderr).toMatch(aboutProxy);
    },
  );

  it("is named in the error of an MCP tool", () => {
    const error = new ConnectionError("ECONNREFUSED", "", { proxy: "127.0.0.1:1" });
    expect(explain(error, "http://inn.example")).toMatch(
      /^The proxy 127\.0\.0\.1:1 for http:\/\/inn\.example/,
    );
  });
});
