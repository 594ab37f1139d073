import { describe, expect, it } from "vitest";
import { markEdited, mergeImport, type StoredRelease } from "../../../../server/content/changelog/rules.ts";

const stored: StoredRelease = {
  values: { title: "Maps", body: "By a person.", items: null, publishedAt: "2026-05-01" },
  edited: ["body", "publishedAt"],
};

describe("an import of a release note", () => {
  it("changes the fields that differ, and keeps the fields of a person", () => {
    const given = { title: "More maps", body: "By a program.", items: null };
    expect(mergeImport(stored, given, false)).toEqual({
      changed: ["title"],
      kept: ["body"],
      edited: ["body", "publishedAt"],
    });
  });

  it("changes the fields of a person if it may, and they then belong to the import", () => {
    const given = { title: "Maps", body: "By a program." };
    expect(mergeImport(stored, given, true)).toEqual({
      changed: ["body"],
      kept: [],
      edited: ["publishedAt"],
    });
  });

  it("returns a field of a person to the import if both have the same value", () => {
    expect(mergeImport(stored, { body: "By a person." }, false)).toEqual({
      changed: [],
      kept: [],
      edited: ["publishedAt"],
    });
  });

  it("does not change missing fields", () => {
    expect(mergeImport(stored, { title: undefined }, false)).toEqual({
      changed: [],
      kept: [],
      edited: ["body", "publishedAt"],
    });
  });
});

it("a change by a person marks the changed fields as the person's, in addition to earlier fields", () => {
  const given = { title: "Maps", items: "[]", releaseType: undefined };
  expect(markEdited(stored, given)).toEqual(["body", "items", "publishedAt"]);
});
