import { describe, expect, it } from "vitest";
import * as fields from "../../../server/transfer/fields.ts";

const uuid = "01a3b7bf-0000-7000-8000-000000000001";
const naming: fields.Naming = {
  idOf: (id) => `new ${id.slice(0, 8)}`,
  uploadOf: (name) => `new-${name}`,
  pictureOf: (name) => `new-${name}`,
  addressOf: ({ address }) => address,
  now: "2026-11-23T10:00:00.000Z",
  ownerId: "owner",
  withFiles: true,
};
const file = { upload: "a".repeat(16), name: "crash.png", mediaType: "image/png", size: 12 };
const noFiles = { images: [], videos: [], attachments: [] };
const schemaOfX = { safeParse: (value: unknown) => ({ success: JSON.stringify(value).includes("x") }) };

describe("a wrong value of an export", () => {
  const text = /must be text|at most|NUL/;
  it.each<[string, fields.Field, readonly unknown[], readonly unknown[], RegExp]>([
    ["text", fields.text(3), ["", "abc", "😀"], ["abcd", 1, null, "a\0", "\ud800", "a\udc00"], text],
    ["text or null", fields.orNull(fields.text(1)), ["a", null], ["ab", undefined], text],
    [
      "one of a list",
      fields.oneOf("open", "done"),
      ["open"],
      ["Open", "", null, 1],
      /must be one of open, done/,
    ],
    [
      "a whole number",
      fields.whole(1, 3),
      [1, 3],
      [0, 4, 1.5, "2", null],
      /must be a whole number from 1 to 3/,
    ],
    ["a flag", fields.flag, [true, false], [1, 0, "true", null], /must be true or false/],
    [
      "an instant",
      fields.instant,
      ["2026-11-23T10:00:00.000Z"],
      ["2026-11-23", "2026-11-23T10:00:00Z", "2026-02-30T10:00:00.000Z", "2026-11-23T10:00:00.00Zx", 5],
      /must be an instant/,
    ],
    [
      "a pattern",
      fields.matching(/^a+$/, "letters a"),
      ["aa"],
      ["b", "a".repeat(2_001), 1],
      /must be letters a/,
    ],
    ["what the contract accepts", fields.accepted(schemaOfX, "an x"), ["x"], ["y", 1, "x\0"], /must be an x/],
    [
      "JSON",
      fields.json(schemaOfX, "an x", 12),
      [{ a: "x" }, "x", "x\\\\u0000"],
      [{ a: "y" }, { a: "xxxxxxxxxxxx" }, "x\0", "x\ud800"],
      /must be an x|at most 12|NUL/,
    ],
    ["an id", fields.id, [uuid], [uuid.toUpperCase(), ` ${uuid}`, "", null], /must be an id/],
    [
      "the name of an upload",
      fields.upload,
      ["a".repeat(16), `${"a".repeat(100)}.png`],
      ["a", "../aaaaaaaaaaaaaaaa", null],
      /name of an upload/,
    ],
    [
      "files of a report",
      fields.reportFiles,
      [noFiles, { ...noFiles, images: [file] }, { ...noFiles, images: Array(20).fill(file) }],
      [
        null,
        [],
        { ...noFiles, more: [] },
        { images: [], videos: [] },
        { ...noFiles, images: Array(21).fill(file) },
        { ...noFiles, images: [{ ...file, more: 1 }] },
        { ...noFiles, images: [{ ...file, size: -1 }] },
        { ...noFiles, images: [{ ...file, upload: "x" }] },
        { ...noFiles, images: [null] },
      ],
      /must be (the )?lists/,
    ],
    ["an actor", fields.actor, ["maria@larder.example"], ["a".repeat(1_001), null], text],
  ])("is refused with an error that says what it must be: %s", (_, field, right, wrong, says) => {
    expect(right.map(field.fault)).toEqual(right.map(() => undefined));
    for (const value of wrong) expect(field.fault(value)).toMatch(says);
  });
});

describe("a value of an export", () => {
  it.each<[string, fields.Field, unknown, fields.Stored, unknown]>([
    ["text", fields.text(9), "abc", "abc", "abc"],
    ["null", fields.orNull(fields.flag), null, null, null],
    ["a number", fields.whole(0, 9), 7, 7, 7],
    ["true", fields.flag, true, 1, true],
    ["false", fields.flag, false, 0, false],
    ["JSON", fields.json(schemaOfX, "x"), { a: ["x"] }, '{"a":["x"]}', { a: ["x"] }],
    ["an id, renamed", fields.id, uuid, "new 01a3b7bf", "new 01a3b7bf"],
    ["ids within text", fields.textWithIds(99), `see ${uuid}.`, "see new 01a3b7bf.", "see new 01a3b7bf."],
    ["an upload, renamed", fields.upload, "b", "new-b", "new-b"],
    ["an actor, marked once", fields.actor, "maria", "maria (imported)", "maria"],
    ["a marked actor", fields.actor, "maria (imported)", "maria (imported)", "maria"],
    [
      "an actor with a token",
      fields.actor,
      `maria, token ${uuid}`,
      "maria, token new 01a3b7bf (imported)",
      "maria, token new 01a3b7bf",
    ],
  ])("is stored in the form of its column, and exported again: %s", (_, field, value, stored, shown) => {
    expect(field.stored(value, naming)).toEqual(stored);
    expect(field.shown(stored)).toEqual(shown);
  });

  it("is imported only if the export contains the bytes, if it is a file", () => {
    const value = { ...noFiles, images: [file] };
    const renamed = { ...noFiles, images: [{ ...file, upload: `new-${file.upload}` }] };
    const stored = (withFiles: boolean) =>
      fields.reportFiles.shown(fields.reportFiles.stored(value, { ...naming, withFiles }));
    expect([stored(true), stored(false)]).toEqual([renamed, noFiles]);
  });
});
