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

/** An owner whose script changed Larder three times and Lantern once. */
async function ownerOfFourEntries() {
  const world = await makeOwnerCommandLine(service);
  const line = await world.script(["apps:read", "apps:write", "audit:read"]);
  for (const [app, name] of [
    ["Larder", "A"],
    ["A", "B"],
    ["B", "Larder"],
    ["Lantern", "Lamp"],
  ] as const)
    await line.run(["app", "edit", app, "--name", name]);
  return { ...world, line };
}

describe("the command audit list", () => {
  it("shows who did what, the newest entry first, one page at a time", async () => {
    const { line, larder, lantern, owner } = await ownerOfFourEntries();
    const { items, nextCursor } = Object((await line.run(["audit", "ls", "--limit", "3", "--json"])).json());
    expect(items).toMatchObject([
      { action: "app.update", appId: lantern.id, actor: expect.stringContaining(owner.email) },
      { appId: larder.id },
      { appId: larder.id },
    ]);
    const rest = await line.run(["audit", "list", "--cursor", nextCursor, "--json"]);
    expect(rest.json()).toMatchObject({ items: [{ appId: larder.id }], nextCursor: null });
    const text = await line.run(["audit", "list", "--limit", "3"]);
    expect(text.stdout.split("\n")).toHaveLength(4);
    expect(text.stderr).toContain("There are more. Use --cursor ");
  });

  it("can be limited by app, action, actor and period", async () => {
    const { line, lantern, owner } = await ownerOfFourEntries();
    const count = async (...argv: string[]) =>
      Object((await line.run(["audit", "list", "--json", ...argv])).json()).items.length;
    expect(await count("--app", "Larder")).toBe(3);
    expect(await count("--app", lantern.id)).toBe(1);
    expect(await count("--action", "app.update")).toBe(4);
    expect(await count("--action", "key.delete")).toBe(0);
    expect(await count("--actor", owner.email)).toBe(4);
    expect(await count("--actor", "nobody@example.org")).toBe(0);
    const today = service.clock.now().toISOString().slice(0, 10);
    expect([await count("--from", today), await count("--to", today)]).toEqual([4, 0]);
  });

  it.each([
    ["key.delet", "(Did you mean key.delete?)"],
    ["nonsense", "The actions are app.create, "],
  ])("warns about the unknown action %s if nothing is found", async (action, hint) => {
    const { line } = await ownerOfFourEntries();
    for (const form of [[], ["--all", "--ndjson"]]) {
      const ran = await line.run(["audit", "list", "--action", action, ...form]);
      expect(ran).toMatchObject({
        exit: 0,
        stderr: expect.stringContaining(`no action "${action}". ${hint}`),
      });
    }
    const known = await line.run(["audit", "list", "--action", "key.delete"]);
    expect(known).toMatchObject({ exit: 0, stderr: "" });
  });

  it("has one line of 80 columns for each entry on a terminal, and complete ids in a pipe", async () => {
    const [app, target] = ["01a1fda3-dcee-7447-b6de-42c8c3c82f1d", "01a1fda4-237d-759b-ad89-7cf5663516dc"];
    const entry = { at: "2026-11-01T09:00:00.000Z", action: "changelog.create", appId: app, target };
    const actors = ["ada@larder.example", `ada@larder.example, token ${target}`, "agent"];
    const items = actors.map((actor, id) => ({ ...entry, id, actor, address: "203.0.113.7" }));
    const baseUrl = await listen(
      (_, response) => void response.end(JSON.stringify({ items, nextCursor: null })),
    );
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_TOKEN: "sdm_a" });
    const { stdout } = await line.run(["audit", "list", "--no-color"], { terminal: true });
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(1 + items.length);
    expect(Math.max(...lines.map((shown) => [...shown].length))).toBeLessThanOrEqual(80);
    expect((await line.run(["audit", "list"])).stdout).toContain(`\t${app}\t${target}\t`);
  });

  it("reads every page with --all, and writes one entry in each line with --ndjson", async () => {
    const pages = new Map([
      ["", { items: [{ id: "4", action: "b" }], nextCursor: "three" }],
      ["three", { items: [{ id: "3", action: "a" }], nextCursor: null }],
    ]);
    const baseUrl = await listen(({ url = "" }, response) => {
      const page = pages.get(new URL(url, "http://a").searchParams.get("cursor") ?? "");
      response.end(JSON.stringify(page));
    });
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_TOKEN: "sdm_a" });
    const all = await line.run(["audit", "list", "--all", "--json"]);
    expect(all.json()).toMatchObject({ items: [{ id: "4" }, { id: "3" }], nextCursor: null });
    const lines = await line.run(["audit", "list", "--all", "--ndjson"]);
    expect(lines.stdout).toBe('{"id":"4","action":"b"}\n{"id":"3","action":"a"}\n');
    const fields = await line.run(["audit", "list", "--ndjson", "--fields", "action"]);
    expect(fields).toMatchObject({
      stdout: '{"action":"b"}\n',
      stderr: expect.stringContaining("--cursor three"),
    });
  });

  it("ends if a server returns the cursor of the same page twice", async () => {
    const baseUrl = await listen((_, response) => void response.end('{"items":[],"nextCursor":"again"}'));
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_TOKEN: "sdm_a" });
    expect(await line.run(["audit", "list", "--all"])).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining("returned the same page of the list twice"),
    });
  });

  it.each([
    [["--all", "--limit", "3"], "--all reads all pages"],
    [["--ndjson", "--json"], "Leave out --json"],
    [["--from", "yesterday"], "--from must be a day"],
    [["--limit", "0"], "--limit"],
  ])("refuses %j", async (argv, message) => {
    const { script } = await makeOwnerCommandLine(service);
    const line = await script(["audit:read"]);
    const ran = await line.run(["audit", "list", ...argv]);
    expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining(message) });
  });

  it("needs the scope audit:read", async () => {
    const { script } = await makeOwnerCommandLine(service);
    const line = await script(["apps:read"]);
    expect(await line.run(["audit", "list"])).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining("audit:read"),
    });
  });
});
