import { describe, expect, it } from "vitest";
import {
  isGreaterVersion,
  unseenSince,
  type VersionedEntry,
  type VersionOrder,
  versionOrder,
} from "../../../../server/content/changelog/rules.ts";

/** Whole numbers are build numbers; `a.b` with one digit each is a version; other texts have no order. */
const order: VersionOrder = {
  formsOf(version) {
    if (/^\d$/.test(version)) return ["build", "semver"];
    if (/^\d+$/.test(version)) return ["build"];
    return /^\d\.\d$/.test(version) ? ["semver"] : [];
  },
  compare: (a, b) => Number(a) - Number(b),
};

const entry = (version: string, ...platforms: readonly string[]): VersionedEntry => ({
  id: version,
  version,
  versions: platforms.map((platform) => ({ version: platform })),
});

const unseen = (entries: readonly VersionedEntry[], since: string) =>
  unseenSince(entries, since, order).map(({ version }) => version);

const versionsSince = (entries: readonly VersionedEntry[], since: string) =>
  unseenSince(entries, since, versionOrder).map(({ version }) => version);

describe("the release notes since a version", () => {
  it("of an entry are the notes that were published after the entry, and earlier notes with greater versions", () => {
    const entries = ["1.3", "Winter", "1.1", "1.5", "1.0"].map((version) => entry(version));
    expect(unseen(entries, "1.1")).toEqual(["1.3", "Winter", "1.5"]);
  });

  it("of several entries are the notes after the oldest entry, without these entries", () => {
    const entries = [
      entry("1.2"),
      { ...entry("1.1"), id: "again" },
      entry("Spring"),
      entry("1.1"),
      entry("1.0"),
    ];
    expect(unseen(entries, "1.1")).toEqual(["1.2", "Spring"]);
  });

  it("of an entry's platform are the notes with greater versions than the entry", () => {
    expect(unseen([entry("1.4"), entry("1.2", "1.1"), entry("1.3"), entry("1.0")], "1.1")).toEqual([
      "1.4",
      "1.3",
    ]);
  });

  it("of an entry do not depend on another entry with the same platform version", () => {
    expect(unseen([entry("1.1"), entry("1.0", "1.1")], "1.1")).toEqual([]);
    expect(unseen([entry("Autumn"), entry("1.1"), entry("Winter", "1.1")], "1.1")).toEqual(["Autumn"]);
  });

  it("without an entry are the notes with greater versions, compared by platform if the versions have no order", () => {
    const entries = [entry("Winter", "1.9"), entry("1.8"), entry("1.6"), entry("Spring", "1.2", "Old")];
    expect(unseen(entries, "1.6")).toEqual(["Winter", "1.8"]);
    expect(unseen(entries, "1.7")).toEqual(["Winter", "1.8"]);
    expect(unseen([entry("1.0", "1.9")], "1.5")).toEqual([]);
  });

  it.each([
    ["1", ["3.0", "2.5", "2.0"]],
    ["3", ["3.0", "2.5"]],
    ["40", ["3.0", "2.5"]],
    ["56", ["3.0", "2.5"]],
    ["57", ["3.0"]],
    ["58", []],
  ])("of the number %s without an entry are compared as a build and as SemVer: %j", (since, found) => {
    const entries = [entry("3.0"), entry("2.5", "57"), entry("2.0"), entry("1.0")];
    expect(unseen(entries, since)).toEqual(found);
  });

  it("of a build are not compared with years, but are if no note has a build number", () => {
    const years = versionsSince([entry("2026.3"), entry("2026.2", "57"), entry("2026.1")], "40");
    expect(years).toEqual(["2026.3", "2026.2"]);
    expect(versionsSince([entry("2026.2"), entry("2026.1")], "40")).toEqual(["2026.2", "2026.1"]);
  });

  it("are compared in each form of an entry", () => {
    expect(unseen([entry("12"), entry("3"), entry("1.9")], "5")).toEqual(["12"]);
    expect(unseen([entry("1.9"), entry("6.0")], "5")).toEqual(["6.0"]);
  });

  it("without an order are all notes, or none if no entry has the form of the version", () => {
    expect(unseen([entry("1.1"), entry("Winter")], "Summer")).toEqual(["1.1", "Winter"]);
    expect(unseen([entry("Winter"), entry("Spring")], "1.1")).toEqual([]);
  });
});

describe("a comparison of versions", () => {
  it.each([
    ["1.2", "1.1", true],
    ["1.1", "1.1", false],
    ["1.0", "1.1", false],
    ["12", "1.1", false],
    ["2", "1.1", true],
    ["Winter", "Spring", false],
  ])("says that %s is greater than %s: %s", (a, b, greater) => {
    expect(isGreaterVersion(a, b, order)).toBe(greater);
  });
});
