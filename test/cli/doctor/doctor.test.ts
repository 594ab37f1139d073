import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { listen } from "../../support/network/recording-server.ts";
import { startService } from "../../support/service/service.ts";
import { faultsOfMachine } from "./faults-of-machine.ts";
import { faultsOfNetwork, faultsOfServer } from "./faults-of-server.ts";
import { type Place, secrets } from "./planted.ts";

const plantedFaults = [...faultsOfMachine, ...faultsOfNetwork, ...faultsOfServer];

interface Found {
  readonly check: string;
  readonly state: string;
  readonly what: string;
  readonly why: string | null;
  readonly next: string | null;
}

const findingsIn = (ran: { json(): unknown }): readonly Found[] => Object(ran.json()).findings;

/** A server that refuses one token, and returns the scopes of another one. */
const soundServer = () =>
  listen(({ url, headers }, response) => {
    const refuses = headers.authorization === `Bearer ${secrets.refused}`;
    if (url === "/healthz") response.end('{"status":"ok","version":"0.0.1"}');
    else if (refuses) response.writeHead(401).end('{"code":"unauthorized","error":"No."}');
    else if (url === "/api/v1/console/me")
      response.end('{"user":{"id":"1","email":"a@b"},"scopes":["faq:write"],"app":null}');
    else response.end('{"items":[{"id":"01a1fda3-dcee-7447-b6de-42c8c3c82f1d","name":"Larder"}]}');
  });

async function place(): Promise<Place> {
  const baseUrl = await soundServer();
  const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl });
  return { line, baseUrl, config: join(line.cwd, "..", ".config", "innkeep") };
}

describe("the command innkeep doctor", () => {
  it.each(plantedFaults)("names $fault, the reason, and the next step", async (planted) => {
    const here = await place();
    const options = await planted.plant(here);
    const ran = await here.line.run(["doctor", "--json"], options);
    const found = findingsIn(ran).find(
      ({ check, what }) => check === planted.check && planted.what.test(what),
    );
    expect(found).toMatchObject({ state: planted.state });
    expect(found?.why).toMatch(/\w{3,}/);
    expect(found?.next).toMatch(planted.next);
    expect(ran.exit).toBe(planted.state === "failure" ? 1 : 0);
    const text = await here.line.run(["doctor"], { ...options, terminal: true });
    for (const secret of Object.values(secrets))
      expect(ran.stdout + ran.stderr + text.stdout + text.stderr).not.toContain(secret);
  });

  it("colours the states on a terminal, and breaks lines only between words", async () => {
    const line = await createCommandLine({ INNKEEP_BASE_URL: "http://127.0.0.1:9" });
    const { stdout } = await line.run(["doctor"], { terminal: true });
    expect(stdout).toContain("\n\u001b[31mfailure\u001b[39m  tcp: ");
    for (const shown of stripVTControlCharacters(stdout).split("\n"))
      expect(shown.length).toBeLessThanOrEqual(80);
    const inPipe = await line.run(["doctor"]);
    expect(inPipe.stdout).toMatch(/^failure {2}tcp: /m);
    expect(inPipe.stdout).not.toContain("\u001b");
  });

  it("finds no fault with a working server, and lists the rights of a token", async () => {
    const service = await startService();
    const owner = await service.makeUser();
    await service.makeApp(owner);
    const token = await service.makeToken(owner, "maintainer", { scopes: ["apps:read", "faqs:write"] });
    const line = await createCommandLine({ INNKEEP_BASE_URL: service.baseUrl, INNKEEP_TOKEN: token });
    const ran = await line.run(["doctor", "--json"]);
    expect(findingsIn(ran).filter(({ state }) => state === "failure")).toEqual([]);
    expect(ran.exit).toBe(0);
    expect(ran.stdout).toContain("may use faqs:write, apps:read");
    expect(ran.stdout).not.toContain(token);
    await service.stop();
  });

  it("accepts a server that has only the specification", async () => {
    const baseUrl = await listen(({ url }, response) => {
      if (url === "/healthz") response.writeHead(404).end("Not here");
      else response.writeHead(401).end('{"error":"unauthorized"}');
    });
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl });
    const ran = await line.run(["doctor", "--json"]);
    expect(ran.exit).toBe(0);
    expect(findingsIn(ran)).toContainEqual(
      expect.objectContaining({
        check: "server",
        state: "ok",
        what: expect.stringContaining("only the base API"),
      }),
    );
  });

  it("prints one line for each result, and the number of faults", async () => {
    const { line } = await place();
    const { stdout, stderr } = await line.run(["doctor"], { env: { CI: "false" } });
    expect(stdout).toMatch(/^ok {7}node: Node 24\.4\.0\.\n/);
    expect(stdout).toMatch(/^warning {2}ci: CI is set to `false`.*\n {9}Effect: .*\n {9}Next: .*`unset CI`/m);
    expect(stderr).toMatch(/^0 failures, \d warnings\.\n$/);
  });

  it("warns ten days before a sign-in expires", async () => {
    const { line, baseUrl, config } = await place();
    await line.run(["auth", "set", "device-token", "--no-check"], { stdin: `sdt_${"d".repeat(36)}` });
    await writeFile(join(config, "last-sign-in"), `${baseUrl}\n`, { mode: 0o600 });
    await writeFile(join(config, "last-sign-in-expires"), "2027-01-10T00:00:00.000Z\n", { mode: 0o600 });
    const on = async (day: string) => {
      const ran = await line.run(["doctor", "--json"], { now: () => new Date(day) });
      return findingsIn(ran).find(({ check }) => check === "sign-in");
    };
    expect(await on("2026-11-01")).toMatchObject({ state: "ok" });
    expect(await on("2027-01-02")).toMatchObject({
      state: "warning",
      next: expect.stringContaining("login"),
    });
    expect(await on("2027-01-11")).toMatchObject({ state: "failure" });
  });
});
