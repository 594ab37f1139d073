import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import { makeChangelogCommandLines } from "../../support/worlds/changelog-command-lines.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const newApp = () => makeChangelogCommandLines(service);

describe("the command changelog create", () => {
  it("writes a draft with the values of all flags", async () => {
    const { line } = await newApp();
    const flags = [
      "--platform-version",
      "android=1.2",
      "--platform-version",
      "ios=1.2.1",
      "--release-type",
      "major",
    ];
    const items = ["--item", "added=Maps", "--item", "fixed=a = b"];
    const argv = [
      "changelog",
      "create",
      "--title",
      "New",
      "--version",
      "1.2.0",
      ...flags,
      ...items,
      "--json",
    ];
    expect((await line.run(argv)).json()).toMatchObject({
      ...{ title: "New", version: "1.2.0", releaseType: "major", bodyFormat: "items", publishedAt: null },
      versions: [
        { platform: "android", version: "1.2" },
        { platform: "ios", version: "1.2.1" },
      ],
      items: [
        { type: "added", text: "Maps" },
        { type: "fixed", text: "a = b" },
      ],
    });
  });

  it("publishes immediately with --publish", async () => {
    const { create, reader } = await newApp();
    const id = await create("1.0.0", "--publish");
    expect((await reader.run(["changelog", "list", "--fields", "id"])).stdout).toBe(`${id}\n`);
  });

  it.each([
    [
      ["--item", "pancakes=More"],
      "--item must begin with one of added, changed, deprecated, removed, fixed, security, not `pancakes=More`.",
    ],
    [["--item", "added"], "must be of the form name=value"],
    [["--platform-version", "=1"], "must be of the form name=value"],
    [["--release-type", "huge"], "must be one of major, minor, patch, not `huge`."],
    [[], "--version is missing"],
  ])("refuses %j before any request", async (flags, message) => {
    const { line } = await newApp();
    const ran = await line.run(["changelog", "create", "--title", "New", ...flags]);
    expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining(message) });
  });
});

describe("the command changelog list", () => {
  it("shows published entries with an app key, the newest first, and can begin after a version", async () => {
    const { create, reader } = await newApp();
    await create("1.0.0", "--publish");
    await create("1.1.0");
    await create("1.2.0", "--publish");
    const versions = async (...flags: string[]) =>
      (await reader.run(["changelog", "list", "--fields", "version", ...flags])).stdout;
    expect(await versions()).toBe("1.2.0\n1.0.0\n");
    expect(await versions("--limit", "1")).toBe("1.2.0\n");
    expect(await versions("--since", "1.0.0")).toBe("1.2.0\n");
  });

  it("also shows drafts with a maintainer token", async () => {
    const { create, line } = await newApp();
    const id = await create("1.1.0");
    expect((await line.run(["changelog", "ls"])).stdout).toBe(`${id}\t1.1.0\tminor\tdraft\tAbout 1.1.0\n`);
  });

  it("has the same form with --json for each credential", async () => {
    const { create, line, reader } = await newApp();
    await create("1.0.0", "--publish");
    const shown = async (person: typeof line) =>
      (await person.run(["changelog", "list", "--fields", "version", "--json"])).json();
    expect(await shown(reader)).toEqual({ items: [{ version: "1.0.0" }], nextCursor: null });
    expect(await shown(line)).toEqual(await shown(reader));
  });

  it("refuses --since with an unknown version", async () => {
    const { line } = await newApp();
    expect((await line.run(["changelog", "list", "--since", "1.0.0"])).exit).toBe(2);
  });

  it("reports the limits that the server accepts", async () => {
    const { reader } = await newApp();
    const ran = await reader.run(["changelog", "list", "--limit", "51"]);
    expect(ran).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("limit must be a whole number from 1 to 50"),
    });
  });
});

describe("the command changelog view", () => {
  it.each(["the id", "the version"])("finds an entry by %s", async (name) => {
    const { create, line, reader } = await newApp();
    const id = await create("1.0.0", "--publish", "--body", "All *new*.");
    for (const person of [line, reader]) {
      const { stdout } = await person.run(["changelog", "view", name === "the id" ? id : "1.0.0"]);
      expect(stdout).toContain("title      About 1.0.0\n");
    }
  });

  it("says with an app key that drafts need another credential", async () => {
    const { create, reader } = await newApp();
    expect(await reader.run(["changelog", "view", await create("1.0.0")])).toMatchObject({
      exit: 6,
      stderr: expect.stringContaining("Drafts need a maintainer token"),
    });
  });
});

describe("the commands changelog edit, publish and delete", () => {
  it("change only the given fields of an entry", async () => {
    const { create, line } = await newApp();
    const id = await create("1.0.0");
    const ran = await line.run(["changelog", "edit", id, "--title", "Better", "--json"]);
    expect(ran.json()).toMatchObject({ id, title: "Better", version: "1.0.0", publishedAt: null });
  });

  it("publish an entry", async () => {
    const { create, line } = await newApp();
    const ran = await line.run([
      "changelog",
      "publish",
      await create("1.0.0"),
      "--json",
      "--fields",
      "publishedAt",
    ]);
    expect(ran.json()).toEqual({ publishedAt: expect.stringMatching(/Z$/) });
  });

  it("delete an entry only with --yes", async () => {
    const { create, line } = await newApp();
    const id = await create("1.0.0");
    expect((await line.run(["changelog", "rm", id])).exit).toBe(2);
    expect((await line.run(["changelog", "rm", id, "-y"])).exit).toBe(0);
    expect((await line.run(["changelog", "view", id])).exit).toBe(6);
  });

  it("need a maintainer token, and the message says so", async () => {
    const { reader } = await newApp();
    expect(await reader.run(["changelog", "publish", "x"])).toMatchObject({
      exit: 4,
      stderr: expect.stringContaining("Set INNKEEP_TOKEN, or store one with `innkeep auth set token`."),
    });
  });
});
