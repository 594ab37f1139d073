import { describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { fakeKeychain } from "../../support/clients/fake-keychain.ts";
import { listen } from "../../support/network/recording-server.ts";

const key = "sdk_0123456789abcdefghijABCDEFGHIJ012345";
const token = "sdm_0123456789abcdefghijABCDEFGHIJ012345";

/** A server that accepts every credential except the given ones. */
async function serverThatRefuses(...refused: readonly string[]) {
  const asked: string[] = [];
  const baseUrl = await listen(({ headers, method, url }, response) => {
    asked.push(`${method} ${url}`);
    const given = headers["x-api-key"] ?? headers.authorization?.replace("Bearer ", "");
    if (refused.includes(String(given))) response.writeHead(401).end('{"code":"unauthorized","error":"No."}');
    else if (url?.includes("/agent/")) response.writeHead(404).end('{"code":"not_found","error":"No."}');
    else response.end("[]");
  });
  return { baseUrl, asked };
}

const statesIn = (ran: { json(): unknown }): Record<string, unknown>[] => Object(ran.json()).items;

describe("the command auth status", () => {
  it("shows the source of each credential and whether it is valid, and never the whole credential", async () => {
    const { baseUrl } = await serverThatRefuses(token);
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl });
    await line.run(["auth", "set", "api-key", "--no-check"], { stdin: key });
    const env = { INNKEEP_TOKEN: token, INNKEEP_AGENT_TOKEN: "sda_0123456789abcdefghijABCDEFGHIJ" };
    const ran = await line.run(["auth", "status"], { env });
    expect(ran.stdout.split("\n").map((row) => row.split("\t"))).toEqual([
      [baseUrl, "app key", "sdk_0123…", expect.stringMatching(/credentials\.json$/), "valid"],
      [baseUrl, "agent token", "sda_0123…", "INNKEEP_AGENT_TOKEN", "valid"],
      [baseUrl, "device token", "", "none (INNKEEP_DEVICE_TOKEN is not set)", ""],
      [
        baseUrl,
        "maintainer token",
        "sdm_0123…",
        "INNKEEP_TOKEN",
        "not accepted: expired, revoked or mistyped",
      ],
      [""],
    ]);
    expect(ran.stderr).toBe(`Commands go to ${baseUrl} (INNKEEP_BASE_URL).\n`);
  });

  it("ends with exit code 4 for a credential that its server refuses, if the flag is --check", async () => {
    const { baseUrl } = await serverThatRefuses(token);
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl });
    const good = { INNKEEP_API_KEY: key };
    expect(await line.run(["auth", "status", "--check"], { env: good })).toMatchObject({ exit: 0 });
    const bad = { ...good, INNKEEP_TOKEN: token };
    expect(await line.run(["auth", "status", "--check"], { env: bad })).toMatchObject({ exit: 4 });
    expect(await line.run(["auth", "status"], { env: bad })).toMatchObject({ exit: 0 });
  });

  it("lists the credentials of other profiles", async () => {
    const { baseUrl } = await serverThatRefuses();
    const line = await createCommandLine();
    for (const name of ["one", "two"]) {
      await line.run(["config", "set", "server", baseUrl, "--profile", name]);
      await line.run(["auth", "set", "api-key", "--no-check", "--profile", name], { stdin: key });
    }
    const rows = statesIn(await line.run(["auth", "status", "--json"]));
    const keys = rows.filter(({ kind, source }) => kind === "appKey" && source !== null);
    expect(keys).toMatchObject([
      { server: baseUrl, profile: null, valid: true },
      { server: baseUrl, profile: "two", valid: true },
    ]);
  });

  it("lists the credentials of other servers", async () => {
    const [one, two] = [await serverThatRefuses(), await serverThatRefuses(key)];
    const line = await createCommandLine({ INNKEEP_BASE_URL: one.baseUrl });
    await line.run(["auth", "set", "api-key", "--no-check", "--base-url", two.baseUrl], { stdin: key });
    const ran = await line.run(["auth", "status", "--json"]);
    expect(ran.json()).toMatchObject({ server: one.baseUrl });
    expect(statesIn(ran)).toHaveLength(5);
    expect(statesIn(ran)[4]).toMatchObject({
      ...{ server: two.baseUrl, kind: "appKey", valid: false, hint: "sdk_0123…" },
    });
    expect([one.asked, two.asked]).toEqual([[], ["GET /api/v1/faqs/remote"]]);
  });

  it("sends no request with --offline", async () => {
    const { baseUrl, asked } = await serverThatRefuses();
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_API_KEY: key });
    const ran = await line.run(["auth", "status", "--offline", "--json"]);
    expect(statesIn(ran)[0]).toMatchObject({ source: "INNKEEP_API_KEY", valid: null, problem: null });
    expect(asked).toEqual([]);
  });

  it("reports a server that does not answer, and continues", async () => {
    const line = await createCommandLine({ INNKEEP_BASE_URL: "http://127.0.0.1:1", INNKEEP_API_KEY: key });
    const ran = await line.run(["auth", "status", "--json"]);
    expect(ran.exit).toBe(0);
    expect(statesIn(ran)[0]).toMatchObject({
      valid: null,
      problem: "No answer from http://127.0.0.1:1: no program listens at that address.",
    });
    expect(line.pauses).toEqual([]);
  });

  it("reports a keychain that does not return a credential, and continues", async () => {
    const { baseUrl } = await serverThatRefuses();
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl });
    const keychainOf = (keychain: ReturnType<typeof fakeKeychain>) => ({
      world: { keychain: async () => keychain },
    });
    await line.run(["auth", "set", "api-key", "--no-check"], { stdin: key, ...keychainOf(fakeKeychain()) });
    const ran = await line.run(["auth", "status", "--json"], keychainOf(fakeKeychain({ refuses: true })));
    expect(statesIn(ran)[0]).toMatchObject({ source: null, problem: "The keychain refused the request." });
  });

  it("recognises a credential of the wrong kind by its prefix", async () => {
    const { baseUrl, asked } = await serverThatRefuses();
    const line = await createCommandLine({
      INNKEEP_BASE_URL: baseUrl,
      INNKEEP_API_KEY: "sda_0123456789abcdefghij",
    });
    expect(statesIn(await line.run(["auth", "status", "--json"]))[0]).toMatchObject({
      valid: false,
      problem: "INNKEEP_API_KEY contains an agent token (sda_), not an app key (sdk_).",
    });
    expect(asked).toEqual([]);
  });
});

describe("a credential of the wrong kind", () => {
  it.each([
    [["faq", "list"], "INNKEEP_API_KEY", "sda_a", "an agent token (sda_), not an app key (sdk_)"],
    [
      ["agent", "thread", "7"],
      "INNKEEP_AGENT_TOKEN",
      "sdm_a",
      "a maintainer token (sdm_), not an agent token (sda_)",
    ],
    [["task", "list"], "INNKEEP_DEVICE_TOKEN", "stk_a", "a test key (stk_), not a device token (sdt_)"],
    [["feedback", "list"], "INNKEEP_TOKEN", "sdk_a", "an app key (sdk_), not a maintainer token (sdm_)"],
  ])("is reported for the command %j, and is not sent", async (argv, variable, secret, what) => {
    const { baseUrl, asked } = await serverThatRefuses();
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, [variable]: secret });
    expect(await line.run(argv)).toMatchObject({
      exit: 4,
      stderr: expect.stringContaining(
        `error: ${variable} contains ${what}.\nSet ${variable} to the right credential`,
      ),
    });
    expect(asked).toEqual([]);
  });

  it("is also reported if it is in the file of a flag", async () => {
    const line = await createCommandLine();
    const ran = await line.run(["faq", "list", "--api-key-file", "-"], { stdin: "sdt_a" });
    expect(ran.stderr).toContain("--api-key-file contains a device token (sdt_), not an app key (sdk_).");
  });
});
