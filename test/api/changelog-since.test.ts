import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Cast, makeCast, writeNote } from "../support/cast.ts";
import { databases } from "../support/databases.ts";
import { issuesOf } from "../support/issues.ts";
import { type Service, startService } from "../support/service.ts";

describe.each(databases)("GET /api/v1/changelog/remote?since= on $name", (engine) => {
  let service: Service;
  let cast: Cast;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  beforeEach(async () => {
    cast = await makeCast(service);
  });
  afterAll(() => service.stop());

  const list = (since: string) =>
    service.request("GET", `/api/v1/changelog/remote?since=${encodeURIComponent(since)}`, {
      headers: cast.key,
    });
  const unseen = async (since: string) =>
    [...JSON.stringify((await list(since)).body).matchAll(/"title":"([^"]+)"/g)].map(([, title]) => title);

  /** Publishes one entry for each version, a minute apart, oldest first. The title is the version. */
  async function publish(...versions: (string | { title: string; version: string; versions: object[] })[]) {
    const now = service.clock.now().getTime();
    for (const [at, version] of versions.entries()) {
      const publishedAt = new Date(now - (versions.length - at) * 60_000).toISOString();
      const note = typeof version === "string" ? { title: version, version } : version;
      await writeNote(service, cast, { ...note, publishedAt });
    }
  }

  describe("of a version that an entry has", () => {
    it("returns only the entries published after it", async () => {
      await publish("1.0.0", "1.1.0", "1.2.0");
      expect(await unseen("1.0.0")).toEqual(["1.2.0", "1.1.0"]);
      expect(await unseen("1.2.0")).toEqual([]);
    });

    it("goes by publication, not by the numbers", async () => {
      await publish("2.0.0", "1.9.1");
      expect(await unseen("2.0.0")).toEqual(["1.9.1"]);
    });

    it("takes names that are no versions at all", async () => {
      await publish("Spring", "Summer", "Autumn");
      expect(await unseen("Summer")).toEqual(["Autumn"]);
    });

    it("finds it among the entry's per-platform versions", async () => {
      const versions = [
        { platform: "android", version: "301" },
        { platform: "ios", version: "3.0.1" },
      ];
      await publish("2.9.0", { title: "three", version: "3.0.0", versions }, "3.1.0");
      expect(await unseen("301")).toEqual(["3.1.0"]);
      expect(await unseen("3.0.1")).toEqual(["3.1.0"]);
    });

    it("counts from the newest where several entries have it", async () => {
      await publish("1.0.0", "1.1.0", "1.0.0", "1.2.0");
      expect(await unseen("1.0.0")).toEqual(["1.2.0"]);
    });

    it("is trimmed", async () => {
      await publish("1.0.0", "1.1.0");
      expect(await unseen(" 1.0.0 ")).toEqual(["1.1.0"]);
    });
  });

  describe("of a version that no entry has", () => {
    it.each([
      ["1.5.0", ["2.0.0", "1.10.0", "1.9.0"]],
      ["1.9.1", ["2.0.0", "1.10.0"]],
      ["0.0.1", ["2.0.0", "1.10.0", "1.9.0"]],
      ["2.0.1", []],
      ["2.0.0-beta.1", ["2.0.0"]],
      ["v1.9.5", ["2.0.0", "1.10.0"]],
      ["v1.9.0", ["2.0.0", "1.10.0"]],
      ["1.9", ["2.0.0", "1.10.0"]],
      ["1", ["2.0.0", "1.10.0", "1.9.0"]],
      ["2", []],
      ["1.9.0.7", ["2.0.0", "1.10.0"]],
      ["1.9.5+build.7", ["2.0.0", "1.10.0"]],
    ])("%s returns the entries whose version is greater by SemVer", async (since, titles) => {
      await publish("1.9.0", "1.10.0", "2.0.0");
      expect(await unseen(since)).toEqual(titles);
    });

    it("reads the entries' versions as the nearest SemVer, too", async () => {
      await publish("v1.0", "1.4.2.9", "2", "Autumn");
      expect(await unseen("1.4")).toEqual(["2", "1.4.2.9"]);
    });

    it("looks at per-platform versions, too", async () => {
      await publish({ title: "three", version: "Autumn", versions: [{ platform: "ios", version: "3.0.1" }] });
      expect(await unseen("3.0.0")).toEqual(["three"]);
      expect(await unseen("3.0.2")).toEqual([]);
    });

    it("does not find it in drafts, in the future or in other apps", async () => {
      await publish("1.0.0", "2.0.0");
      const tomorrow = new Date(service.clock.now().getTime() + 86_400_000).toISOString();
      await writeNote(service, cast, { version: "1.5.0", publishedAt: null });
      await writeNote(service, cast, { version: "1.6.0", publishedAt: tomorrow });
      await writeNote(service, await makeCast(service), { version: "1.7.0" });
      for (const since of ["1.5.0", "1.6.0", "1.7.0"]) expect(await unseen(since)).toEqual(["2.0.0"]);
    });
  });

  it.each(["Winter", "1.x", "latest", "1.2.3.4.5", "-1", "1..2", "٣.٠.٠"])(
    "refuses %s, which is no version either, with 400",
    async (since) => {
      await publish("1.0.0");
      expect(issuesOf(await list(since))).toEqual([
        "since: must be the version of an entry, or a version such as 1.4.2",
      ]);
    },
  );

  it.each([
    ["nothing", "", "must not be empty"],
    ["blanks", "  ", "must not be empty"],
    ["over 100 characters", `1.${"0".repeat(99)}`, "must have at most 100 characters"],
    ["a NUL", "1.0\0", "must not contain NUL characters or lone surrogates"],
  ])("refuses %s with 400", async (_, since, message) => {
    expect(issuesOf(await list(since))).toEqual([`since: ${message}`]);
  });

  it("is named with limit where both are wrong", async () => {
    const query = "?since=&limit=0";
    const answer = await service.request("GET", `/api/v1/changelog/remote${query}`, { headers: cast.key });
    expect(issuesOf(answer).map((issue) => issue.split(":", 1)[0])).toEqual(["limit", "since"]);
  });
});
