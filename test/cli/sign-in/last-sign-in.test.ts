import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Transport } from "../../../src/client/call.ts";
import { ConnectionError } from "../../../src/client/errors.ts";
import { listen } from "../../support/network/recording-server.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { createMachineWithDisplay } from "../../support/worlds/machine-with-display.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
});
afterAll(() => service.stop());

/** A tester who signed in, and then opened a new shell without INNKEEP_BASE_URL. */
async function newShell() {
  const { line, login, world } = await createMachineWithDisplay(service);
  expect((await login()).exit).toBe(0);
  const run = (argv: readonly string[], env: Record<string, string> = {}, transport?: Transport) =>
    line.run(argv, {
      world: { ...world, ...(transport && { transport }) },
      env: { INNKEEP_BASE_URL: "", ...env },
    });
  return { run };
}

/** A network without servers that records the requested addresses. */
function emptyNetwork() {
  const tried = new Set<string>();
  const transport: Transport = async ({ url }) => {
    tried.add(url.origin);
    throw new ConnectionError("ECONNREFUSED", `No answer from ${url.origin}.`);
  };
  return { tried, transport };
}

describe("after a sign-in, in a new shell,", () => {
  it.each([[["task", "list"]], [["slot", "list"]], [["slot", "list", "--open"]], [["auth", "profile"]]])(
    "the command %j uses the server of the sign-in",
    async (argv) => {
      const { run } = await newShell();
      expect(await run([...argv, "--json"])).toMatchObject({ exit: 0, stderr: "" });
    },
  );

  it("the command auth status names that server and its token", async () => {
    const { run } = await newShell();
    const ran = await run(["auth", "status", "--json"]);
    expect(ran.json()).toMatchObject({
      server: service.baseUrl,
      testerServer: service.baseUrl,
      items: expect.arrayContaining([
        expect.objectContaining({ server: service.baseUrl, kind: "deviceToken", valid: true }),
      ]),
    });
    expect((await run(["auth", "status"])).stderr).toBe(
      `Commands go to ${service.baseUrl} (the last sign-in).\n`,
    );
  });

  it("the commands auth token and auth logout use that server, and no server is stored after the logout", async () => {
    const { run } = await newShell();
    expect((await run(["auth", "token", "device-token"])).stdout).toMatch(/^sdt_/);
    expect((await run(["auth", "logout", "--json"])).json()).toMatchObject({
      origin: service.baseUrl,
      removed: ["deviceToken"],
    });
    expect((await run(["task", "list"])).stderr).toContain(
      "The server is http://127.0.0.1:4700 (the default).",
    );
  });

  it("commands with other stored credentials also use that server", async () => {
    const { run } = await newShell();
    expect((await run(["agent", "thread", "7"])).stderr).toContain(
      `The server is ${service.baseUrl} (the last sign-in).`,
    );
  });

  it("commands with a credential in a variable use the default server", async () => {
    const { run } = await newShell();
    const { tried, transport } = emptyNetwork();
    const ran = await run(["agent", "thread", "7"], { INNKEEP_AGENT_TOKEN: "sda_a" }, transport);
    expect(ran.stderr).toContain("No answer from http://127.0.0.1:4700");
    expect([...tried]).toEqual(["http://127.0.0.1:4700"]);
  });

  it("a given address has precedence, and the error says where a token is stored", async () => {
    const { run } = await newShell();
    const elsewhere = await listen((_, response) => void response.end("{}"));
    const ran = await run(["task", "list"], { INNKEEP_BASE_URL: elsewhere });
    expect(ran).toMatchObject({ exit: 4, stdout: "" });
    expect(ran.stderr).toContain(
      `The server is ${elsewhere} (INNKEEP_BASE_URL). A credential is stored for ${service.baseUrl}: select that server with --base-url.`,
    );
  });

  it("a token in a variable is never sent to a stored server", async () => {
    const { run } = await newShell();
    const { tried, transport } = emptyNetwork();
    const ran = await run(["task", "list"], { INNKEEP_DEVICE_TOKEN: "sdt_a" }, transport);
    expect(ran.stderr).toContain("No answer from http://127.0.0.1:4700");
    expect([...tried]).toEqual(["http://127.0.0.1:4700"]);
  });
});
