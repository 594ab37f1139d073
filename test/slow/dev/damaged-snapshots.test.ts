import { cp, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { dataUrl, png } from "../../support/files/sample-files.ts";
import { removableFolder } from "../../support/files/temporary-folder.ts";
import { type Service, startService } from "../../support/service/service.ts";

const message = "The snapshot broken is damaged. Delete its folder, and save a new one.";

describe("a snapshot that another program has changed", () => {
  let service: Service;
  let place: Awaited<ReturnType<typeof removableFolder>>;
  let [snapshots, broken, hash] = ["", "", ""];

  beforeAll(async () => {
    place = await removableFolder();
    service = await startService({ settings: { dev: true, data: place.path } });
    const { key } = await service.makeApp(await service.makeUser());
    const headers = { "x-api-key": key };
    const body = { type: "bug", message: "It rains.", images: [dataUrl(png())] };
    await service.request("POST", "/api/v1/feedback/remote", { headers, body });
    await service.request("POST", "/dev/snapshots", { body: { name: "whole" } });
    snapshots = join(place.path, "snapshots");
    broken = join(snapshots, "broken");
    hash = (await readdir(join(snapshots, "whole", "files")))[0] ?? "";
  });
  afterAll(async () => {
    await service.stop();
    await place.remove();
  });
  beforeEach(async () => {
    await rm(broken, { recursive: true, force: true });
    await cp(join(snapshots, "whole"), broken, { recursive: true });
  });

  const load = (name: string) => service.request("POST", `/dev/snapshots/${name}/load`);
  const list = () => service.request("GET", "/dev/snapshots");
  const rowsOf = (table: string) => join(broken, "rows", `${table}.ndjson`);
  const fact = async (name: string, value: unknown) => {
    const file = join(broken, "snapshot.json");
    const facts = JSON.parse(await readFile(file, "utf8"));
    await writeFile(file, JSON.stringify({ ...facts, [name]: value }));
  };

  it.each<[string, () => Promise<unknown>]>([
    ["has a time that is none", () => fact("now", "yesterday")],
    ["has a time that no clock is set to", () => fact("now", "9999-01-01T00:00:00Z")],
    ["has broken facts", () => writeFile(join(broken, "snapshot.json"), '{"name":')],
    ["has no facts", () => rm(join(broken, "snapshot.json"))],
    ["has no rows of a table", () => rm(rowsOf("apps"))],
    ["has fewer rows", () => writeFile(rowsOf("feedback"), "")],
    ["has a row that is not JSON", () => writeFile(rowsOf("apps"), '["one\n')],
    ["contains a row of another table", () => cp(rowsOf("app_keys"), rowsOf("apps"))],
    ["has rows that refer to nothing", () => changed(rowsOf("apps"), /[0-9a-f]{8}-/, "00000000-")],
    ["has a file with another content", () => writeFile(join(broken, "files", hash), "other")],
    ["has no file", () => rm(join(broken, "files", hash))],
    ["has no folder of files", () => rm(join(broken, "files"), { recursive: true })],
    ["has a file of another name", () => writeFile(join(broken, "files", "notes.txt"), "mine")],
    ["has a link to an endless file", () => linked(join(broken, "files", hash), "/dev/zero")],
    ["has a link in place of rows", () => linked(rowsOf("apps"), "/dev/zero")],
    ["has a link in place of its facts", () => linked(join(broken, "snapshot.json"), "/dev/zero")],
    ["is a link", () => linked(broken, join(snapshots, "whole"))],
    ["is a file", () => replaced(broken)],
  ])("is refused as damaged and changes nothing if %s", async (_, damage) => {
    await damage();
    const before = (await service.request("GET", "/dev/clock")).field("now");
    expect(await load("broken")).toMatchObject({ status: 409, body: { error: message } });
    const after = (await service.request("GET", "/dev/clock")).field("now");
    expect(Math.abs(Date.parse(after) - Date.parse(before))).toBeLessThan(600_000);
    expect(await load("whole")).toMatchObject({ status: 200 });
    expect(await readdir(join(place.path, "files", "temporary"))).toEqual([]);
  });

  it("does not hide the other snapshots, on the page as well", async () => {
    await writeFile(join(broken, "snapshot.json"), "{");
    await writeFile(join(snapshots, "stray"), "");
    expect((await list()).body).toMatchObject({ items: [{ name: "whole" }] });
    expect((await service.request("GET", "/dev")).status).toBe(200);
  });

  it("has the name of its folder", async () => {
    expect((await list()).body).toMatchObject({ items: [{ name: "broken" }, { name: "whole" }] });
    expect(await load("broken")).toMatchObject({ status: 200, body: { name: "broken" } });
  });

  it("can be read only by its owner", async () => {
    const names = await readdir(broken, { recursive: true });
    const modes = await Promise.all(
      names.map(async (name) => (await stat(join(snapshots, "whole", name))).mode),
    );
    expect(modes.filter((mode) => (mode & 0o077) !== 0)).toEqual([]);
  });

  it.each(["con", "NUL", "aux.txt", "com1", "LPT9.log", "day."])(
    "cannot have the name %s, which Windows does not store",
    async (name) => {
      const saved = await service.request("POST", "/dev/snapshots", { body: { name } });
      expect(saved).toMatchObject({ status: 400, body: { issues: [{ path: "name" }] } });
    },
  );
});

describe("a snapshot whose replacement was interrupted", () => {
  it("is restored after the next start, and leaves no files", async () => {
    const place = await removableFolder();
    const settings = { dev: true, data: place.path };
    const first = await startService({ settings });
    await first.request("POST", "/dev/snapshots", { body: { name: "one" } });
    await first.stop();
    const snapshots = join(place.path, "snapshots");
    await rename(join(snapshots, "one"), join(snapshots, ".one.old"));
    await mkdir(join(snapshots, ".one.draft", "rows"), { recursive: true });
    await mkdir(join(snapshots, ".scratch"), { recursive: true });
    const next = await startService({ settings });
    expect((await next.request("GET", "/dev/snapshots")).body).toMatchObject({ items: [{ name: "one" }] });
    expect(await readdir(snapshots)).toEqual(["one"]);
    await next.stop();
    await place.remove();
  });
});

async function changed(file: string, from: RegExp, to: string): Promise<void> {
  await writeFile(file, (await readFile(file, "utf8")).replace(from, to));
}

async function linked(path: string, target: string): Promise<void> {
  await rm(path, { recursive: true });
  await symlink(target, path);
}

async function replaced(path: string): Promise<void> {
  await rm(path, { recursive: true });
  await writeFile(path, "");
}
