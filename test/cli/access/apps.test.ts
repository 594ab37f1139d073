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

describe("the command app list", () => {
  it("shows the apps of the token, one in each line", async () => {
    const { script, larder, lantern } = await makeOwnerCommandLine(service);
    const line = await script(scopes);
    const rows = (await line.run(["apps", "ls", "--fields", "id,name"])).stdout;
    expect(rows).toBe(`${larder.id}\tLarder\n${lantern.id}\tLantern\n`);
    const limited = await script(scopes, lantern.id);
    expect((await limited.run(["app", "list", "--fields", "name"])).stdout).toBe("Lantern\n");
  });
});

describe("the command app view", () => {
  it.each([
    ["its name", () => "larder"],
    ["its id", (id: string) => id],
    ["the start of its id", (id: string) => id.slice(0, 35)],
  ])("finds the app by %s", async (_, given) => {
    const { script, larder } = await makeOwnerCommandLine(service);
    const line = await script(scopes);
    const ran = await line.run(["app", "show", given(larder.id), "--json"]);
    expect(ran.json()).toMatchObject({ id: larder.id, name: "Larder", feedbackEnabled: true });
  });

  it("needs no name if the token has only one app, and otherwise lists the apps", async () => {
    const { script, lantern } = await makeOwnerCommandLine(service);
    const limited = await script(scopes, lantern.id);
    expect((await limited.run(["app", "view", "--fields", "name"])).stdout).toBe("Lantern\n");
    const line = await script(scopes);
    expect(await line.run(["app", "view"])).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(
        /This token has access to several apps[\s\S]*Name one:[\s\S]*Larder[\s\S]*Lantern/,
      ),
    });
    expect(await line.run(["app", "view", "Cellar"])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('No app is called "Cellar".'),
    });
  });
});

describe("the command app edit", () => {
  it("changes only the given settings, and empties a field", async () => {
    const { script, larder } = await makeOwnerCommandLine(service);
    const line = await script(scopes);
    const change = ["--feedback-enabled", "off", "--github-repository", "larder/app", "--json"];
    const changed = { name: "Larder", feedbackEnabled: false, changelogEnabled: true };
    expect((await line.run(["app", "edit", "Larder", ...change])).json()).toMatchObject({
      ...changed,
      githubRepository: "larder/app",
    });
    const second = ["--name", "Pantry", "--feedback-enabled", "on", "--github-repository", "", "--json"];
    expect((await line.run(["app", "edit", larder.id, ...second])).json()).toMatchObject({
      name: "Pantry",
      feedbackEnabled: true,
      githubRepository: null,
    });
  });

  it("reads the address of a chat channel from standard input, and never shows its secret part", async () => {
    const { script } = await makeOwnerCommandLine(service);
    const line = await script(scopes);
    const run = (...argv: string[]) =>
      line.run(["app", "edit", "Larder", "--chat-webhook-url", "-", ...argv], {
        stdin: "https://chat.example/hook/hidden\n",
      });
    const ran = [await run("--dry-run"), await run("--debug"), await run("--json")];
    expect(ran.map(({ exit }) => exit)).toEqual([0, 0, 0]);
    expect(ran[2]?.json()).toMatchObject({ chatWebhookUrl: "https://chat.example/***" });
    for (const { stdout, stderr } of ran) expect(stdout + stderr).not.toContain("hidden");
    const removed = await line.run(["app", "edit", "Larder", "--chat-webhook-url", "", "--json"]);
    expect(removed.json()).toMatchObject({ chatWebhookUrl: null });
  });

  it("sets a lifetime for approvals, and removes it", async () => {
    const { script } = await makeOwnerCommandLine(service);
    const line = await script(scopes);
    const run = (hours: string) => line.run(["app", "edit", "Larder", "--approval-hours", hours, "--json"]);
    expect((await run("24")).json()).toMatchObject({ approvalHours: 24 });
    expect((await line.run(["app", "view", "Larder"])).stdout).toContain("expire after 24 hours");
    expect((await run("")).json()).toMatchObject({ approvalHours: null });
  });

  it("sets the retention of resolved threads, shows what it deletes, and removes it", async () => {
    const { script } = await makeOwnerCommandLine(service);
    const line = await script(scopes);
    const run = (days: string) => line.run(["app", "edit", "Larder", "--retention-days", days, "--json"]);
    expect((await run("365")).json()).toMatchObject({ retentionDays: 365 });
    const set = await line.run(["app", "edit", "Larder", "--retention-days", "365"]);
    expect(set.stderr).toContain("0 resolved threads are older than 365 days.");
    expect((await line.run(["app", "view", "Larder"])).stdout).toContain("deleted after 365 days");
    expect((await run("")).json()).toMatchObject({ retentionDays: null });
  });

  it.each([
    [["--retention-days", "0"], "--retention-days must be a whole number from 1 to 36500."],
    [["--approval-hours", "0"], "--approval-hours must be a whole number from 1 to 8760."],
    [["--approval-hours", "soon"], "--approval-hours must be a whole number from 1 to 8760."],
    [[], "There is nothing to change."],
    [["--name", " "], "--name"],
    [["--github-repository", "no repository"], "--github-repository must be of the form owner/name"],
    [["--feedback-enabled", "maybe"], "must be one of on, off, not `maybe`."],
  ])("refuses %j", async (flags, message) => {
    const { script } = await makeOwnerCommandLine(service);
    const line = await script(scopes);
    const ran = await line.run(["app", "edit", "Larder", ...flags]);
    expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining(message) });
  });

  it("needs the scope apps:write", async () => {
    const { script } = await makeOwnerCommandLine(service);
    const line = await script(["apps:read"]);
    expect(await line.run(["app", "edit", "Larder", "--name", "Pantry"])).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining("apps:write"),
    });
  });

  it("explains that on some servers only people can change apps", async () => {
    const baseUrl = await listen((request, response) => {
      if (request.method === "GET") return void response.end('{"items":[{"id":"1","name":"Larder"}]}');
      response.writeHead(401).end('{"error":"Sign in.","code":"sign_in_required"}');
    });
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_TOKEN: "sdm_a" });
    expect(await line.run(["app", "edit", "Larder", "--name", "Pantry"])).toMatchObject({
      exit: 4,
      stderr: expect.stringContaining("This server lets only a person do that"),
    });
  });
});

describe("on a server that has only the specification,", () => {
  it.each([
    [["app", "list"]],
    [["app", "edit", "Larder", "--name", "Pantry"]],
    [["key", "list"]],
    [["key", "revoke", "01a1fda3", "--yes"]],
    [["token", "list"]],
    [["token", "revoke", "--self", "--yes"]],
    [["audit", "list"]],
  ])("the command %j says in one sentence that the server has no such endpoints", async (argv) => {
    const baseUrl = await listen((_, response) => void response.writeHead(404).end('{"error":"Not found"}'));
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_TOKEN: "sdm_a" });
    expect(await line.run(argv)).toMatchObject({
      exit: 6,
      stderr: expect.stringContaining(
        "This server has no endpoints for apps, keys, tokens and the audit log",
      ),
    });
  });
});
