import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { issuesOf } from "../../support/service/issues.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  writeNote,
} from "../../support/worlds/app-with-owner-and-agent.ts";

const path = "/api/v1/changelog/remote";

describe.each(databases)("GET /api/v1/changelog/remote on $name", (engine) => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const list = (query = "", headers = cast.key) => service.request("GET", path + query, { headers });
  const write = (note: object) => writeNote(service, cast, note);
  const inMinutes = (minutes: number) =>
    new Date(service.clock.now().getTime() + minutes * 60_000).toISOString();
  const titles = async (query = "") =>
    [...JSON.stringify((await list(query)).body).matchAll(/"title":"(\w+)"/g)].map(([, title]) => title);

  it("answers 200 with an empty list when there are no entries", async () => {
    const answer = await list();
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ entries: [] });
  });

  it("answers 200 with every field of an entry", async () => {
    const note = {
      title: "Faster export",
      version: "2.1.0",
      versions: [
        { platform: "android", version: "2.1.0.7" },
        { platform: "ios", version: "2.1" },
      ],
      releaseType: "minor",
      bodyFormat: "items",
      body: "# Export\n\nIs *fast* now.",
      items: [
        { type: "added", text: "Export to PDF" },
        { type: "security", text: "Sandboxed" },
      ],
      publishedAt: inMinutes(-1),
    };
    const id = (await write(note)).field("id");
    expect((await list()).body).toEqual({ entries: [{ id, ...note }] });
  });

  it.each(["major", "minor", "patch"])("shows the release type %s", async (releaseType) => {
    await write({ releaseType });
    expect((await list()).body).toMatchObject({ entries: [{ releaseType }] });
  });

  it.each(["added", "changed", "deprecated", "removed", "fixed", "security"])(
    "shows items of type %s",
    async (type) => {
      const items = [{ type, text: "Export" }];
      await write({ bodyFormat: "items", items });
      expect((await list()).body).toMatchObject({ entries: [{ bodyFormat: "items", items }] });
    },
  );

  it("shows publishedAt in UTC with milliseconds, with any offset in the request", async () => {
    await write({ publishedAt: "2024-05-01T12:00:00+02:00" });
    expect((await list()).body).toMatchObject({ entries: [{ publishedAt: "2024-05-01T10:00:00.000Z" }] });
  });

  it("returns the newest publication first, not the newest text", async () => {
    await write({ title: "middle", publishedAt: inMinutes(-20) });
    await write({ title: "oldest", publishedAt: inMinutes(-30) });
    await write({ title: "newest", publishedAt: inMinutes(-10) });
    expect(await titles()).toEqual(["newest", "middle", "oldest"]);
  });

  it("contains only published entries of the key's app", async () => {
    await write({});
    const other = await makeAppWithAgent(service);
    expect((await list("", other.key)).body).toEqual({ entries: [] });
  });

  it("hides a draft until it is published", async () => {
    const id = (await write({ title: "draft", publishedAt: null })).field("id");
    expect(await titles()).toEqual([]);
    await service.request("POST", `/api/v1/console/changelog/${id}/publish`, { headers: cast.person });
    expect(await titles()).toEqual(["draft"]);
  });

  it("hides an entry with a future publishedAt until that time", async () => {
    await write({ title: "now" });
    await write({ title: "soon", publishedAt: inMinutes(10) });
    await write({ title: "later", publishedAt: inMinutes(20) });
    expect(await titles()).toEqual(["now"]);
    service.clock.advance(9 * 60_000);
    expect(await titles()).toEqual(["now"]);
    service.clock.advance(61_000);
    expect(await titles()).toEqual(["soon", "now"]);
    service.clock.advance(10 * 60_000);
    expect(await titles()).toEqual(["later", "soon", "now"]);
  });

  it("leaves out a deleted entry, and returns a changed entry", async () => {
    const [gone, changed] = [(await write({ title: "gone" })).field("id"), (await write({})).field("id")];
    await titles();
    await service.request("DELETE", `/api/v1/console/changelog/${gone}`, { headers: cast.person });
    const change = { headers: cast.person, body: { title: "changed" } };
    await service.request("PATCH", `/api/v1/console/changelog/${changed}`, change);
    expect(await titles()).toEqual(["changed"]);
  });

  it("is refused with 403 changelog_disabled while the changelog is not enabled for the app", async () => {
    const off = await makeAppWithAgent(service, { changelogEnabled: false });
    expect(await list("", off.key)).toMatchObject({ status: 403, body: { code: "changelog_disabled" } });
    const body = { changelogEnabled: true };
    await service.request("PATCH", `/api/v1/console/apps/${off.appId}`, { headers: off.person, body });
    expect(await list("", off.key)).toMatchObject({ status: 200, body: { entries: [] } });
  });

  describe("with limit", () => {
    beforeEach(async () => {
      for (let n = 1; n <= 51; n++)
        await write({ title: `n${n}`, version: `1.0.${n}`, publishedAt: inMinutes(-60 + n) });
    });

    it("returns 20 entries if the limit is omitted", async () => {
      const newest = Array.from({ length: 20 }, (_, at) => `n${51 - at}`);
      expect(await titles()).toEqual(newest);
    });

    it.each([1, 2, 49, 50])("accepts the limit %d", async (limit) => {
      expect(await titles(`?limit=${limit}`)).toHaveLength(limit);
    });

    it("returns the newest of the entries that since selects", async () => {
      expect(await titles("?since=1.0.40&limit=3")).toEqual(["n51", "n50", "n49"]);
      expect(await titles("?since=1.0.40")).toHaveLength(11);
      expect(await titles("?since=1.0.1")).toHaveLength(20);
    });
  });

  it.each(["0", "51", "-1", "1.5", "1e1", "ten", "", "%20", "+5", "0x10", "99999999999999999999"])(
    "refuses limit=%s with 400, and names the parameter",
    async (limit) => {
      expect(issuesOf(await list(`?limit=${limit}`))).toEqual(["limit: must be a whole number from 1 to 50"]);
    },
  );

  it("refuses a limit that is given twice", async () => {
    expect(issuesOf(await list("?limit=5&limit=6"))).toEqual(["limit: must be given only once"]);
  });
});
