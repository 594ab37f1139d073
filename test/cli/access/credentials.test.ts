import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { makeOwnerCommandLine } from "../../support/clients/owner-command-line.ts";
import { listen } from "../../support/network/recording-server.ts";
import { type Service, startService } from "../../support/service/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const scopes = ["apps:read", "apps:write"];

describe("the command key", () => {
  const keysSeen = async (line: Awaited<ReturnType<typeof createCommandLine>>, ...argv: string[]) => {
    const ran = await line.run(["key", "list", "--json", ...argv]);
    return Object(ran.json()).items as { id: string; app: string; prefix: string }[];
  };
  const works = async (key: string) =>
    (await service.request("GET", "/api/v1/faqs/remote", { headers: { "x-api-key": key } })).status === 200;

  it("lists the keys of all apps, or of one app", async () => {
    const { script, larder } = await makeOwnerCommandLine(service);
    const line = await script(scopes);
    expect((await keysSeen(line)).map(({ app }) => app)).toEqual(["Larder", "Lantern"]);
    const [only, ...others] = await keysSeen(line, "--app", "Larder");
    expect([only?.app, others]).toEqual(["Larder", []]);
    expect(larder.key.startsWith(only?.prefix ?? "none")).toBe(true);
    expect((await line.run(["keys", "ls"])).stdout).not.toContain(larder.key);
  });

  it("revokes a key by the start of its id after a confirmation", async () => {
    const { script, lantern, larder } = await makeOwnerCommandLine(service);
    const line = await script(scopes);
    const [, key] = await keysSeen(line);
    const start = key?.id.slice(0, 35) ?? "";
    expect(await line.run(["key", "revoke", start])).toMatchObject({ exit: 2 });
    const questions: string[] = [];
    const asked = await line.run(["key", "revoke", start], {
      terminal: true,
      typed(question) {
        questions.push(question);
        return "n";
      },
    });
    expect(asked.exit).toBe(2);
    expect(questions[0]).toMatch(/Revoke the key .*\(sdk_.*…\) of Lantern\?/);
    expect((await line.run(["key", "revoke", start, "--dry-run"])).stdout).toContain("DELETE");
    expect(await works(lantern.key)).toBe(true);
    expect(await line.run(["key", "rm", start, "--yes", "--json"])).toMatchObject({ exit: 0 });
    expect([await works(lantern.key), await works(larder.key)]).toEqual([false, true]);
    expect((await line.run(["key", "revoke", start, "--yes"])).exit).toBe(6);
  });

  it("revokes a key by its whole id without the scope apps:read, with a token of the app", async () => {
    const { script, larder, lantern } = await makeOwnerCommandLine(service);
    const reader = await script(["apps:read"]);
    const [ofLarder, ofLantern] = await keysSeen(reader);
    const line = await script(["apps:write"], larder.id);
    expect((await line.run(["key", "revoke", ofLantern?.id ?? "", "--yes"])).exit).toBe(6);
    expect((await line.run(["key", "revoke", ofLarder?.id ?? "", "--yes"])).exit).toBe(0);
    expect([await works(larder.key), await works(lantern.key)]).toEqual([false, true]);
  });
});

describe("the command token", () => {
  const tokensSeen = async (line: Awaited<ReturnType<typeof createCommandLine>>) => {
    const ran = await line.run(["token", "list", "--json"]);
    return Object(ran.json()).items as { id: string; scopes: string[] }[];
  };

  it("lists what each token can do and for which app", async () => {
    const { script, larder } = await makeOwnerCommandLine(service);
    const [line] = [await script(scopes), await script(["changelog:write"], larder.id)];
    const { stdout } = await line.run(["tokens", "ls"]);
    expect(stdout).toMatch(/\tmaintainer\t.*\tall\tapps:read, apps:write\tsdm_/);
    expect(stdout).toMatch(/\tmaintainer\t.*\tLarder\tchangelog:write\tsdm_/);
  });

  it("revokes a token by the start of its id", async () => {
    const { script, larder } = await makeOwnerCommandLine(service);
    const [line, other] = [await script(scopes), await script(["apps:read"], larder.id)];
    const found = (await tokensSeen(line)).find((token) => token.scopes.length === 1);
    const revoke = ["token", "revoke", found?.id.slice(0, 35) ?? ""];
    expect(await line.run(revoke)).toMatchObject({ exit: 2, stderr: expect.stringContaining("--yes") });
    expect((await other.run(["app", "list"])).exit).toBe(0);
    expect(await line.run([...revoke, "--yes"])).toMatchObject({ exit: 0, stdout: `${found?.id}\n` });
    expect((await other.run(["app", "list"])).exit).toBe(4);
  });

  it("revokes the present token with --self, whatever its scopes", async () => {
    const { script } = await makeOwnerCommandLine(service);
    const [line, other] = [await script(["testing:manage"]), await script(["apps:read"])];
    expect((await line.run(["token", "revoke", "--self", "--dry-run"])).stdout).toContain("DELETE");
    expect((await line.run(["token", "revoke", "--self", "--yes"])).exit).toBe(0);
    expect((await line.run(["token", "revoke", "--self", "--yes"])).exit).toBe(4);
    expect(await tokensSeen(other)).toHaveLength(1);
  });

  it.each([[[]], [["01a1fda3", "--self"]]])("refuses %j, because it must be one token", async (argv) => {
    const { script } = await makeOwnerCommandLine(service);
    const line = await script(scopes);
    expect(await line.run(["token", "revoke", ...argv, "--yes"])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("Name exactly one token"),
    });
  });

  it("explains that some servers do not return the id of a token", async () => {
    const baseUrl = await listen((_, response) => void response.end('{"scopes":[],"app":null}'));
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_TOKEN: "sdm_a" });
    expect(await line.run(["token", "revoke", "--self", "--yes"])).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining("This server does not say which token this command uses."),
    });
  });
});
