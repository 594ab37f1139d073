import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCommandLine, type Ran } from "../../support/clients/command-line.ts";
import { responseDroppingProxy } from "../../support/network/response-dropping-proxy.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeChangelogCommandLines } from "../../support/worlds/changelog-command-lines.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const newApp = () => makeChangelogCommandLines(service);

describe("the command changelog create for a version that exists", () => {
  const again = ["changelog", "create", "--title", "Again", "--version", "v1.0.0"];

  it("creates no second entry, and explains how the first one can be changed", async () => {
    const { create, line } = await newApp();
    const id = await create("1.0.0", "--publish");
    const ran = await line.run([...again, "--publish"]);
    expect(ran).toMatchObject({ exit: 7, stderr: expect.stringContaining(id) });
    expect(ran.stderr).toContain("`innkeep changelog edit v1.0.0` changes it, as does `create --update`");
    expect((await line.run(["changelog", "list", "--fields", "id"])).stdout).toBe(`${id}\n`);
  });

  it("changes the entry with --update, and changes nothing if it runs again", async () => {
    const { create, line } = await newApp();
    const id = await create("1.0.0", "--publish");
    const first = await line.run([...again, "--update", "--publish"]);
    expect(first).toMatchObject({ exit: 0, stderr: `Changed title of release note ${id}.\n` });
    const second = await line.run([...again, "--update", "--publish"]);
    expect(second).toMatchObject({ exit: 0, stderr: `Nothing to do for release note ${id}.\n` });
    expect(second.stdout).toBe(first.stdout);
  });

  it("creates the entry with --update if it does not exist", async () => {
    const { line } = await newApp();
    const ran = await line.run(["changelog", "create", "--version", "1.0.0", "--update", "--json"]);
    expect(ran.json()).toMatchObject({ title: "Version 1.0.0", created: true, publishedAt: null });
  });

  it("keeps a person's text with --update and names the field, unless it may overwrite", async () => {
    const { create, line } = await newApp();
    const id = await create("1.0.0");
    await line.run(["changelog", "edit", id, "--title", "By hand"]);
    const kept = await line.run([...again, "--update"]);
    expect(kept.stderr).toContain("Kept what a person wrote: title. --overwrite replaces it.");
    expect(kept.stdout).toContain("By hand");
    expect((await line.run([...again, "--update", "--overwrite"])).stdout).toContain("Again");
  });

  it("creates a second entry only with --allow-duplicate", async () => {
    const { create, line } = await newApp();
    await create("1.0.0");
    expect((await line.run([...again, "--allow-duplicate"])).exit).toBe(0);
    expect((await line.run([...again, "--allow-duplicate", "--update"])).exit).toBe(2);
  });

  it("gives the same answer for the same --idempotency-key, even if it publishes", async () => {
    const { line } = await newApp();
    const argv = [...again, "--publish", "--idempotency-key", "release-1", "--json"];
    const ran = [await line.run(argv), await line.run(argv)];
    expect(ran.map(({ exit }) => exit)).toEqual([0, 0]);
    expect(ran[1]?.stdout).toBe(ran[0]?.stdout);
  });

  it("creates one entry if the answer was lost, with and without the stored key", async () => {
    const { app, line, token } = await newApp();
    const proxy = await responseDroppingProxy(service.baseUrl, (response) => response.destroy());
    const env = { INNKEEP_BASE_URL: proxy };
    const lost = await line.run([...again, "--publish", "--app", app.id], { env });
    expect(lost.exit).toBe(0);
    const elsewhere = await createCommandLine({ INNKEEP_BASE_URL: service.baseUrl, INNKEEP_TOKEN: token });
    expect((await elsewhere.run([...again, "--publish"])).exit).toBe(7);
    expect((await elsewhere.run([...again, "--publish", "--update"])).exit).toBe(0);
    expect((await line.run(["changelog", "list", "--fields", "version"])).stdout).toBe("v1.0.0\n");
  });
});

describe("the command changelog create", () => {
  it.each([
    ["2026-01-02", "2026-01-02T00:00:00.000Z"],
    ["2026-01-02T03:04:05+01:00", "2026-01-02T02:04:05.000Z"],
  ])("publishes at %s with --published-at", async (given, publishedAt) => {
    const { line } = await newApp();
    const argv = ["changelog", "create", "--title", "T", "--version", "1.0.0", "--published-at", given];
    expect((await line.run([...argv, "--json"])).json()).toMatchObject({ publishedAt });
    expect((await line.run([...argv, "--publish"])).exit).toBe(2);
  });

  it("derives the release type from the previous version", async () => {
    const { create, line } = await newApp();
    await create("2.9.0");
    await create("3.0.0");
    const { stdout } = await line.run(["changelog", "view", "3.0.0", "--fields", "releaseType"]);
    expect(stdout).toBe("major\n");
  });
});

describe("a maintainer token with only changelog:write", () => {
  const notes = ["changelog", "create", "--title", "T", "--version", "1.0.0", "--publish"];
  const owned = async (limited: boolean) => {
    const owner = await service.makeUser();
    const app = await service.makeApp(owner, { name: "Larder" });
    await service.makeApp(owner, { name: "Cellar" });
    const scopes = { scopes: ["changelog:write"], ...(limited && { appId: app.id }) };
    const token = await service.makeToken(owner, "maintainer", scopes);
    return {
      app,
      line: await createCommandLine({ INNKEEP_BASE_URL: service.baseUrl, INNKEEP_TOKEN: token }),
    };
  };

  it.each([[[]], [["--app", "Larder"]], [["--app", "larder"]]])(
    "publishes for the only app of the token: %j",
    async (flags) => {
      const { line } = await owned(true);
      expect(await line.run([...notes, ...flags])).toMatchObject({ exit: 0 });
    },
  );

  it("names the app of the token if another app is given", async () => {
    const { app, line } = await owned(true);
    const ran = await line.run([...notes, "--app", "Cellar"]);
    expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining(`${app.id}  Larder`) });
  });

  it("explains what to do if the token has several apps", async () => {
    const { app, line } = await owned(false);
    const ran = await line.run(notes);
    expect(ran).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining("Give the id of the app with --app"),
    });
    expect(await line.run([...notes, "--app", app.id])).toMatchObject({ exit: 0 });
  });
});

describe("a long changelog", () => {
  const filled = async (count: number) => {
    const made = await newApp();
    const argv = ["changelog", "create", "--title", "T", "--publish", "--version"];
    for (let at = 0; at < count; at += 1) await made.line.run([...argv, `1.${at}.0`]);
    return made;
  };
  const linesOf = ({ stdout }: Ran) => stdout.trim().split("\n");

  it("is shown only in part with an app key, with a message that there is more", async () => {
    const { reader } = await filled(22);
    const list = (...flags: string[]) => reader.run(["changelog", "list", ...flags]);
    const usual = await list();
    expect([linesOf(usual).length, usual.stderr]).toEqual([
      20,
      "There are more. Use --limit with a number up to 50, or --all.\n",
    ]);
    const whole = await list("--limit", "22");
    expect([linesOf(whole).length, whole.stderr]).toEqual([22, ""]);
    expect(linesOf(await list("--all"))).toHaveLength(22);
    expect((await list("--json")).json()).toMatchObject({ nextCursor: null, hasMore: true });
    expect((await list("--cursor", "x")).exit).toBe(2);
  });

  it("is shown to its maintainer page by page, or completely with one flag", async () => {
    const { line } = await filled(53);
    const first = await line.run(["changelog", "list", "--fields", "version"]);
    expect(linesOf(first)).toHaveLength(50);
    const [, cursor = ""] = /^There are more\. Use --cursor (\S+), or --all\.$/m.exec(first.stderr) ?? [];
    const second = await line.run(["changelog", "list", "--fields", "version", "--cursor", cursor]);
    expect([linesOf(second), second.stderr]).toEqual([["1.2.0", "1.1.0", "1.0.0"], ""]);
    const all = await line.run(["changelog", "list", "--fields", "version", "--all"]);
    expect(linesOf(all)).toEqual([...linesOf(first), ...linesOf(second)]);
    expect((await line.run(["changelog", "view", "1.0.0"])).exit).toBe(0);
    expect((await line.run(["changelog", "list", "--all", "--limit", "3"])).exit).toBe(2);
  });
});

describe("the commands changelog edit, publish and delete with a version", () => {
  it("find the entry as the command view does", async () => {
    const { create, line } = await newApp();
    const id = await create("2.4.0");
    await create("2.5.0");
    expect((await line.run(["changelog", "edit", "2.4.0", "--title", "B", "--json"])).json()).toMatchObject({
      id,
    });
    expect((await line.run(["changelog", "publish", "v2.4.0", "--json"])).json()).toMatchObject({ id });
    expect((await line.run(["changelog", "delete", "app@2.4.0", "--yes"])).stdout).toBe(`${id}\n`);
  });

  it.each([["edit", "--title", "B"], ["publish"], ["delete", "--yes"], ["view"]])(
    "are refused with the ids if several entries have the version: %s",
    async (verb, ...flags) => {
      const { create, line } = await newApp();
      const ids = [await create("2.4.0"), await create("v2.4.0", "--allow-duplicate")];
      const ran = await line.run(["changelog", verb, "2.4.0", ...flags]);
      expect(ran.exit).toBe(2);
      for (const id of ids) expect(ran.stderr).toContain(id);
      expect((await line.run(["changelog", verb, ids[0] ?? "", ...flags])).exit).toBe(0);
    },
  );

  it("say that no entry has the version", async () => {
    const { line } = await newApp();
    const ran = await line.run(["changelog", "publish", "2.4.0"]);
    expect(ran).toMatchObject({
      exit: 6,
      stderr: expect.stringContaining("There is no release note 2.4.0."),
    });
  });
});
