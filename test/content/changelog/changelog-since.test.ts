import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { issuesOf } from "../../support/service/issues.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  writeNote,
} from "../../support/worlds/app-with-owner-and-agent.ts";

describe("GET /api/v1/changelog/remote?since=", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
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

  describe("with a version that an entry has", () => {
    it("returns only the entries that were published after the entry", async () => {
      await publish("1.0.0", "1.1.0", "1.2.0");
      expect(await unseen("1.0.0")).toEqual(["1.2.0", "1.1.0"]);
      expect(await unseen("1.2.0")).toEqual([]);
    });

    it("compares the times of publication, not the version numbers", async () => {
      await publish("2.0.0", "1.9.1");
      expect(await unseen("2.0.0")).toEqual(["1.9.1"]);
    });

    it.each([
      ["2025.01.15", "2025.1.15", "2025.02.01"],
      ["24.08.1", "24.8.1", "24.10.0"],
      ["2.1.00", "v2.1.0", "2.1.01"],
      ["1.4.0-rc.01", "1.4.0-rc.1", "1.4.0-rc.10"],
    ])("ignores zeros before a number: %s is %s", async (published, asked, newer) => {
      await publish("0.1.0", published, newer);
      expect(await unseen(asked)).toEqual([newer]);
      expect(await unseen(published)).toEqual([newer]);
    });

    it("accepts names that are not versions", async () => {
      await publish("Spring", "Summer", "Autumn");
      expect(await unseen("Summer")).toEqual(["Autumn"]);
    });

    it("finds the version among the per-platform versions of the entry", async () => {
      const versions = [
        { platform: "android", version: "301" },
        { platform: "ios", version: "3.0.1" },
      ];
      await publish("2.9.0", { title: "three", version: "3.0.0", versions }, "3.1.0");
      expect(await unseen("301")).toEqual(["3.1.0"]);
      expect(await unseen("3.0.1")).toEqual(["3.1.0"]);
    });

    it("starts after the oldest entry if several entries have the version, and returns none of these entries", async () => {
      await publish("1.0.0", "1.1.0", "1.0.0", "1.2.0");
      expect(await unseen("1.0.0")).toEqual(["1.2.0", "1.1.0"]);
    });

    it("also returns greater versions if a correction of an older version was published last", async () => {
      await publish("2.0.0", "3.0.0", "2.0.1");
      expect(await unseen("2.0.1")).toEqual(["3.0.0"]);
      expect(await unseen("3.0.0")).toEqual(["2.0.1"]);
    });

    it("searches the own versions of the entries first", async () => {
      const versions = [{ platform: "android", version: "2.0.0" }];
      await publish("2.0.0", { title: "three", version: "3.0.0", versions });
      expect(await unseen("2.0.0")).toEqual(["three"]);
    });

    it("returns greater versions than that of the entry if only a per-platform version matches", async () => {
      const versions = [{ platform: "android", version: "1.2" }];
      await publish("2.0.0", "4.0.0", { title: "three", version: "3.0.0", versions }, "2.9.0");
      expect(await unseen("1.2")).toEqual(["2.9.0", "4.0.0"]);
    });

    it.each(["v2.4.0", "V2.4.0", "2.4.0", "app@2.4.0", "@inn/app@v2.4.0"])(
      "reads %s as 2.4.0",
      async (since) => {
        await publish("2.3.0", "2.4.0", "1.0.0");
        expect(await unseen(since)).toEqual(["1.0.0"]);
      },
    );

    it("trims the version", async () => {
      await publish("1.0.0", "1.1.0");
      expect(await unseen(" 1.0.0 ")).toEqual(["1.1.0"]);
    });
  });

  describe("with a version that no entry has", () => {
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
    ])("returns for %s the entries whose version is greater by SemVer: %j", async (since, titles) => {
      await publish("1.9.0", "1.10.0", "2.0.0");
      expect(await unseen(since)).toEqual(titles);
    });

    it("also reads the versions of the entries as the nearest SemVer", async () => {
      await publish("v1.0", "1.4.2.9", "2", "Autumn");
      expect(await unseen("1.4")).toEqual(["2", "1.4.2.9"]);
    });

    it("also compares per-platform versions", async () => {
      await publish({ title: "three", version: "Autumn", versions: [{ platform: "ios", version: "3.0.1" }] });
      expect(await unseen("3.0.0")).toEqual(["three"]);
      expect(await unseen("3.0.2")).toEqual([]);
    });

    it("prefers the entry's own version if both can be compared", async () => {
      const versions = [{ platform: "ios", version: "9.0.0" }];
      await publish({ title: "two", version: "2.0.0", versions });
      expect(await unseen("3.0.0")).toEqual([]);
    });

    it("compares build numbers only with build numbers", async () => {
      const built = (title: string, build: string) => ({
        title,
        version: title,
        versions: [{ platform: "android", version: build }],
      });
      await publish("0.9.0", built("1.53.4", "1053"), built("1.53.6", "1070"));
      expect(await unseen("1.53.5")).toEqual(["1.53.6"]);
      expect(await unseen("1060")).toEqual(["1.53.6"]);
      expect(await unseen("1071")).toEqual([]);
      expect(await unseen("7")).toEqual(["1.53.6", "1.53.4"]);
    });

    it("does not read an entry's build number as a version", async () => {
      await publish("1053", "1.53.6");
      expect(await unseen("1.53.5")).toEqual(["1.53.6"]);
    });

    it("compares dates only with dates", async () => {
      await publish("2025-12-01", "2026-01-15", "1.0.0");
      expect(await unseen("2025-12-24")).toEqual(["2026-01-15"]);
    });

    it.each(["1.1.0 (45)", "1.1.0(45)", "1.1.0 build 45"])("reads %s as 1.1.0", async (since) => {
      await publish("1.0.0", "1.1.0", "1.2.0");
      expect(await unseen(since)).toEqual(["1.2.0"]);
    });

    it("ignores drafts, entries of the future and entries of other apps", async () => {
      await publish("1.0.0", "2.0.0");
      const tomorrow = new Date(service.clock.now().getTime() + 86_400_000).toISOString();
      await writeNote(service, cast, { version: "1.5.0", publishedAt: null });
      await writeNote(service, cast, { version: "1.6.0", publishedAt: tomorrow });
      await writeNote(service, await makeAppWithAgent(service), { version: "1.7.0" });
      for (const since of ["1.5.0", "1.6.0", "1.7.0"]) expect(await unseen(since)).toEqual(["2.0.0"]);
    });
  });

  it.each([
    ...["Winter", "1.x", "latest", "1.2.3.4.5", "-1", "1..2", "٣.٠.٠", "", "  ", "1.0\0", "%", "\u{1F37A}"],
    `1.${"0".repeat(99)}`,
  ])("returns all entries if it cannot parse the version %j", async (since) => {
    await publish("1.0.0", "Spring");
    expect(await unseen(since)).toEqual(["Spring", "1.0.0"]);
  });

  it("is refused for a wrong limit before the version is read", async () => {
    const query = "?since=&limit=0";
    const answer = await service.request("GET", `/api/v1/changelog/remote${query}`, { headers: cast.key });
    expect(issuesOf(answer).map((issue) => issue.split(":", 1)[0])).toEqual(["limit"]);
  });
});
