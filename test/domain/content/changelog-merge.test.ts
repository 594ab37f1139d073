import { describe, expect, it } from "vitest";
import {
  markEdited,
  mergeImport,
  type StoredRelease,
} from "../../../server/domain/content/changelog-merge.ts";

const stored: StoredRelease = {
  values: { title: "Maps", body: "By a person.", items: null, publishedAt: "2026-05-01" },
  edited: ["body", "publishedAt"],
};

describe("an import of a release note", () => {
  it("changes what differs, and keeps what a person wrote", () => {
    const given = { title: "More maps", body: "By a program.", items: null };
    expect(mergeImport(stored, given, false)).toEqual({
      changed: ["title"],
      kept: ["body"],
      edited: ["body", "publishedAt"],
    });
  });

  it("changes what a person wrote, too, where it may, and then it is the person's no more", () => {
    const given = { title: "Maps", body: "By a program." };
    expect(mergeImport(stored, given, true)).toEqual({
      changed: ["body"],
      kept: [],
      edited: ["publishedAt"],
    });
  });

  it("takes back what is the same on both sides", () => {
    expect(mergeImport(stored, { body: "By a person." }, false)).toEqual({
      changed: [],
      kept: [],
      edited: ["publishedAt"],
    });
  });

  it("says nothing of fields that it does not give", () => {
    expect(mergeImport(stored, { title: undefined }, false)).toEqual({
      changed: [],
      kept: [],
      edited: ["body", "publishedAt"],
    });
  });
});

it("what a person changes is the person's, beside what was", () => {
  const given = { title: "Maps", items: "[]", releaseType: undefined };
  expect(markEdited(stored, given)).toEqual(["body", "items", "publishedAt"]);
});
