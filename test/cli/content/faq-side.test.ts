import { describe, expect, it } from "vitest";
import {
  changedMarkdown,
  checkFields,
  markdownOf,
  rawFieldsOf,
  splitMarkdown,
} from "../../../src/cli/faq/entry.ts";
import { sideOf } from "../../../src/cli/faq/plan.ts";
import { fc } from "../../support/property.ts";

describe("the side whose text is kept (rule C22)", () => {
  it.each([
    // the columns: mine, theirs, base, pushed, elsewhere, in CI
    ["A", "A", undefined, undefined, "same", "same"],
    ["B", "A", "A", undefined, "mine", "mine"],
    ["A", "B", "A", undefined, "theirs", "theirs"],
    ["B", "C", "A", undefined, "conflict", "conflict"],
    ["B", "C", undefined, undefined, "conflict", "conflict"],
    // The server has what the last push set.
    ["C", "B", "A", "B", "mine", "mine"],
    ["C", "B", undefined, "B", "mine", "mine"],
    // A file from before that push: out of date on a person's machine, but an intended return in CI.
    ["A", "B", "A", "B", "theirs", "mine"],
    // A person changed the entry since the last push.
    ["B", "C", "A", "B", "theirs", "theirs"],
    ["D", "C", "A", "B", "conflict", "conflict"],
    ["D", "C", "C", "B", "mine", "mine"],
    ["B", "C", "C", "B", "mine", "mine"],
  ])(
    "is for the file %s, the server %s, the base %s and the last push %s: %s, and in CI %s",
    (mine, theirs, base, pushed, usual, inCi) => {
      const values = { mine, theirs, base, pushed };
      expect([sideOf(values, false), sideOf(values, true)]).toEqual([usual, inCi]);
    },
  );

  it("is the text of the file if the server has a text of an earlier commit, but not if it has a new text of a colleague", () => {
    expect(sideOf({ mine: "C", theirs: "B", base: "A", pushed: undefined, wasMine: true }, false)).toBe(
      "mine",
    );
    expect(sideOf({ mine: "A", theirs: "B", base: "A", pushed: undefined, wasMine: true }, false)).toBe(
      "theirs",
    );
    expect(sideOf({ mine: "A", theirs: "B", base: "A", pushed: undefined, wasMine: true }, true)).toBe(
      "mine",
    );
  });
});

const text = fc
  .oneof(
    fc.string({ unit: "grapheme", maxLength: 60 }),
    fc
      .array(
        fc.constantFrom(
          "---",
          "a: b",
          "  - x",
          "\t",
          "",
          "'q'",
          '"',
          "# h",
          "> f",
          "| l",
          "...",
          "%",
          "&a *a !t",
          "null",
          "7",
        ),
      )
      .map((lines) => lines.join("\n")),
  )
  .map((given) => given.toWellFormed().replaceAll("\0", "").replace(/\r\n?/g, "\n").trim())
  .filter((given) => given !== "");

describe("a Markdown file of an FAQ entry", () => {
  const read = (file: string) => {
    const split = splitMarkdown(file);
    if ("fault" in split) return expect.fail(`${split.fault} in ${file}`);
    const { value, faults } = checkFields(rawFieldsOf(split.value, "a.md"));
    expect(faults).toEqual([]);
    return { value, parts: split.value };
  };
  const id = "01a1fda4-237d-759b-ad89-7cf5663516dc";

  it("returns every question and answer that was written into it, even after a change", () => {
    fc.assert(
      fc.property(
        text,
        text,
        text,
        fc.integer({ min: -2_147_483_648, max: 2_147_483_647 }),
        (question, answer, next, sortOrder) => {
          const fields = { id, question, answer, sortOrder };
          const first = read(markdownOf(fields));
          expect({ ...first.value, answer: first.value.answer.trim() }).toEqual(fields);
          const changed = read(changedMarkdown(first.parts, { question: next, sortOrder: 3 }));
          expect(changed.value).toEqual({ ...first.value, question: next, sortOrder: 3 });
          expect(read(changedMarkdown(changed.parts, { answer: next })).value.answer.trim()).toBe(next);
        },
      ),
    );
  });
});
