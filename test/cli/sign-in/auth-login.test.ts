import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { listen } from "../../support/network/recording-server.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  approveAt,
  createMachineWithDisplay,
  never,
  readTerminal,
  tokenIn,
} from "../../support/worlds/machine-with-display.ts";

let service: Service;
const desk = (asking?: Parameters<typeof createMachineWithDisplay>[1]) =>
  createMachineWithDisplay(service, asking);
beforeAll(async () => {
  service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
});
afterAll(() => service.stop());

describe("the command auth login", () => {
  it("stores a valid device token after the person approves", async () => {
    const { line, login, keychain, world } = await desk();
    const { exit, stdout } = await login();
    expect(exit).toBe(0);
    expect(tokenIn(keychain)).toMatch(/^sdt_/);
    expect(stdout).toContain("testing:read, testing:profile:write");
    expect((await line.run(["slot", "list", "--json"], { world })).json()).toEqual({ slots: [] });
  });

  it("opens an address with a challenge, the device, its name and the redirect page of the server", async () => {
    const { login, opened } = await desk();
    await login(["--name", "Ada's laptop"]);
    expect(opened[0]?.pathname).toBe("/tavern/authorize");
    expect(Object.fromEntries(opened[0]?.searchParams ?? [])).toEqual({
      device: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "Ada's laptop",
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      redirect: `${service.baseUrl}/tavern/code`,
    });
  });

  it("keeps the same device id in a file that only its owner can read", async () => {
    const { line, login, opened } = await desk();
    await login();
    await login();
    const file = join(line.cwd, "../.config/innkeep/device-id");
    const id = (await readFile(file, "utf8")).trim();
    expect(opened.map(({ searchParams }) => searchParams.get("device"))).toEqual([id, id]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("prints no secret on either stream, even with --debug", async () => {
    const { login, keychain } = await desk();
    const ran = await login(["--debug"]);
    expect(ran.stderr).toContain("/api/v1/testing/auth/exchange");
    expect(ran.stderr).toMatch(/"code":"\[redacted\]","verifier":"\[redacted\]"/);
    for (const text of [ran.stdout, ran.stderr])
      expect(text).not.toContain(tokenIn(keychain)?.slice(8) ?? "nothing was stored");
  });

  it("reports to a program what it stored, and prints the address on a separate line", async () => {
    const { login, opened } = await desk();
    const ran = await login(["--json"]);
    expect(JSON.parse(ran.stderr)).toEqual({ event: "open", url: opened[0]?.href });
    expect(ran.json()).toMatchObject({
      origin: service.baseUrl,
      source: "keychain",
      scopes: expect.arrayContaining(["testing:read"]),
      expiresAt: expect.any(String),
      profile: { timezone: Intl.DateTimeFormat().resolvedOptions().timeZone, isTester: false },
    });
  });

  it.each([
    ["with --no-browser", ["--no-browser"], {}],
    ["over SSH", [], { SSH_CONNECTION: "10.0.0.1 22" }],
    ["without a display", [], { DISPLAY: "" }],
    ["in CI", [], { CI: "true" }],
  ])("prints the address and waits %s", async (_, argv, env) => {
    const { login, person } = await desk();
    const openBrowser = () => expect.unreachable("A browser was opened.");
    const { io, address } = readTerminal();
    const waiting = login(argv, { env, world: { openBrowser, io } });
    await approveAt(service, await address, person);
    expect((await waiting).exit).toBe(0);
  });

  it("accepts a pasted code", async () => {
    const { login, person, keychain } = await desk();
    const { io, address } = readTerminal(async () => approveAt(service, await address, person));
    expect((await login(["--paste"], { world: { io } })).exit).toBe(0);
    expect(tokenIn(keychain)).toMatch(/^sdt_/);
  });

  it("refuses --paste without a terminal before it shows an address", async () => {
    const { login } = await desk();
    const ran = await login(["--paste"], { terminal: false });
    expect(ran).toMatchObject({
      exit: 2,
      stderr: "error: Nobody can be asked for the code here.\nLeave out --paste to wait for the approval.\n",
    });
  });

  it("says what a person can do about a wrong code, and stores nothing", async () => {
    const { login, keychain } = await desk();
    const ran = await login(["--paste"], { typed: () => "no such code" });
    expect(ran).toMatchObject({
      exit: 4,
      stderr: expect.stringContaining("Run `innkeep auth login` again."),
    });
    expect(keychain.entries()).toEqual([]);
  });

  it("ends as forbidden if the person refuses", async () => {
    const { login, keychain } = await desk({ decision: "refuse" });
    expect(await login()).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining("The person did not approve this device."),
    });
    expect(keychain.entries()).toEqual([]);
  });

  it("names the flag for a forbidden redirect address before a browser opens", async () => {
    const { login, opened } = await desk();
    const ran = await login(["--redirect", "https://elsewhere.example/"]);
    expect(ran).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("give that address with --redirect"),
    });
    expect(opened).toEqual([]);
  });

  it("says who can release the device of another account", async () => {
    const { line, login } = await desk();
    await login();
    const stranger = await desk();
    const ran = await line.run(["auth", "login"], {
      terminal: true,
      typed: never,
      world: stranger.world,
    });
    expect(ran).toMatchObject({
      exit: 7,
      stderr: expect.stringContaining("Sign this device out in the console"),
    });
  });

  it("waits for at most five minutes", async () => {
    const askedAt: number[] = [];
    const baseUrl = await listen(({ url }, response) => {
      if (url?.includes("/await")) askedAt.push(time - began);
      response.writeHead(url?.includes("/await") ? 202 : 200).end("{}");
    });
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl });
    const began = Date.now();
    let time = began;
    const sleep = async (pause: number) => {
      time += pause;
    };
    const clock = { now: () => new Date(time), sleep };
    const ran = await line.run(["auth", "login"], { world: { clock } });
    expect(ran).toMatchObject({ exit: 4, stderr: expect.stringContaining("Nobody approved this device") });
    expect(time - began).toBe(300_000);
    expect(askedAt[0]).toBe(0);
    expect(askedAt.at(-1)).toBeGreaterThan(280_000);
  });

  it("asks for the code if the server cannot report approvals", async () => {
    const exchanged: unknown[] = [];
    const baseUrl = await listen(async (request, response) => {
      if (request.url?.includes("/await")) return void response.writeHead(404).end("{}");
      if (request.method === "GET") return void response.end("a page");
      for await (const chunk of request) exchanged.push(JSON.parse(String(chunk)));
      response.writeHead(400).end('{"error":"No.","code":"invalid_code"}');
    });
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl });
    const ran = await line.run(["auth", "login"], { terminal: true, typed: () => "pasted" });
    expect(ran.exit).toBe(4);
    expect(exchanged).toMatchObject([{ code: "pasted", verifier: expect.stringMatching(/^[\w-]{43}$/) }]);
  });

  it("reports why attestation failed", async () => {
    const baseUrl = await listen(({ url }, response) => {
      if (url?.endsWith("/exchange")) {
        response.writeHead(403);
        return void response.end(
          '{"error":"Not verified.","code":"integrity_failed","reasons":["app_not_recognized"]}',
        );
      }
      response.writeHead(200).end('{"code":"c"}');
    });
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl });
    const ran = await line.run(["auth", "login", "--json"]);
    expect(JSON.parse(ran.stderr.split("\n")[1] ?? "")).toMatchObject({
      exitCode: 5,
      code: "integrity_failed",
      reasons: ["app_not_recognized"],
    });
  });

  it("stores nothing if it is interrupted", async () => {
    const { login, keychain } = await desk();
    const stopped = new AbortController();
    const openBrowser = async () => stopped.abort(new Error("interrupted"));
    expect((await login([], { signal: stopped.signal, world: { openBrowser } })).exit).toBe(130);
    expect(keychain.entries()).toEqual([]);
  });
});
