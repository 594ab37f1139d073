import { readFile, stat } from "node:fs/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { isReceivedFile } from "../../../src/contract/files.ts";
import { pdf, png, type SampleFile } from "../../support/files/sample-files.ts";
import { createReading, faultOf, type Reading, withBytes } from "../../support/files/upload-reading.ts";
import { fc } from "../../support/property.ts";

type Field = readonly [name: string, content: string | SampleFile];

const type = "multipart/form-data; boundary=b0";

/** A form as a browser writes it. */
function formOf(...fields: Field[]): Buffer {
  const parts = fields.map(([name, content]) =>
    typeof content === "string"
      ? part(`form-data; name="${name}"`, "", Buffer.from(content))
      : part(`form-data; name="${name}"; filename="${content.name}"`, content.mediaType, content.bytes),
  );
  return Buffer.concat([...parts, Buffer.from("--b0--\r\n")]);
}

function part(disposition: string, mediaType: string, content: Buffer): Buffer {
  const kind = mediaType === "" ? "" : `Content-Type: ${mediaType}\r\n`;
  const head = `--b0\r\nContent-Disposition: ${disposition}\r\n${kind}\r\n`;
  return Buffer.concat([Buffer.from(head), content, Buffer.from("\r\n")]);
}

describe("a form with files", () => {
  let reading: Reading;
  beforeEach(async () => {
    reading = await createReading();
  });

  const read = (...fields: Field[]) => reading.form(formOf(...fields), type);
  const firstFile = async (...fields: Field[]) => (await read(...fields)).files[0];

  it("has the same result as the same JSON body", async () => {
    const fields: Field[] = [
      ["message", "Zażółć 😀"],
      ["metadata", '{"build":{"number":42}}'],
      ["images", png(900)],
      ["attachments", { ...pdf(), name: "ü.pdf" }],
      ["images", png(800)],
    ];
    expect(await withBytes((await read(...fields)).value)).toEqual({
      message: "Zażółć 😀",
      metadata: { build: { number: 42 } },
      images: [png(900).bytes.toString("hex"), png(800).bytes.toString("hex")],
      attachments: [{ name: "ü.pdf", data: pdf().bytes.toString("hex") }],
    });
  });

  it("returns each file with its declared type and its bytes", async () => {
    const file = await firstFile(["images", { ...png(700), name: "../a.png", mediaType: "image/JPG" }]);
    const facts = { declaredType: "image/jpeg", detectedType: "image/png", size: 700 };
    expect(file).toMatchObject({ ...facts, name: "../a.png", fault: null });
    expect(await readFile(file?.path ?? "")).toEqual(png(700).bytes);
  });

  it("detects the type of a file by its bytes if the declared type is unspecific", async () => {
    const file = await firstFile(["images", { ...png(), mediaType: "application/octet-stream" }]);
    expect(file).toMatchObject({ detectedType: "image/png", fault: null });
  });

  it.each([
    ["one byte under the limit", 999, 999],
    ["at the limit", 1_000, 1_000],
    ["one byte over the limit", 1_001, 1_001],
    ["far over the limit", 9_000, 1_001],
  ])("counts every byte of a file %s, and stores at most one byte above the limit", async (_, size, kept) => {
    const file = await firstFile(["images", png(size)]);
    expect(file).toMatchObject({ size });
    expect((await stat(file?.path ?? "")).size).toBe(kept);
  });

  const asFile = (text: string, mediaType: string) => ({
    ...{ name: "blob", mediaType, bytes: Buffer.from(text) },
  });

  it.each(["", "application/json", "application/octet-stream", "text/plain; charset=utf-8"])(
    "reads a text field whose part has a file name and the type '%s' as text",
    async (mediaType) => {
      const { value, files } = await read(
        ["metadata", asFile('{"build":"ż"}', mediaType)],
        ["message", asFile("Zażółć 😀", mediaType)],
        ["other", asFile("x", mediaType)],
      );
      expect([value, files]).toEqual([{ metadata: { build: "ż" }, message: "Zażółć 😀" }, []]);
    },
  );

  it.each([
    ["too_large", [["message", asFile("x".repeat(2_001), "")]]],
    [
      "malformed_multipart",
      [
        ["message", "x"],
        ["message", asFile("x", "")],
      ],
    ],
  ] satisfies [string, Field[]][])(
    "is refused as %s for such a part, as for any other text",
    async (fault, fields) => {
      expect(await faultOf(read(["images", png()], ...fields))).toBe(fault);
      expect(await reading.left()).toEqual([]);
    },
  );

  it("contains no file for an empty file input, an unknown field, or an empty part without a name", async () => {
    const empty = { name: "", mediaType: "application/octet-stream", bytes: Buffer.alloc(0) };
    const { value, files, discard } = await read(["images", empty], ["other", png()], ["attachments", ""]);
    await discard();
    expect([value, files]).toEqual([{}, []]);
    expect(await reading.left()).toEqual([]);
  });

  it.each([
    ["blank", " ", null],
    ["no JSON", "{a", "{a"],
    ["JSON with a key twice", '{"a":1,"a":2}', { a: 2 }],
  ])("passes a JSON field that is %s to the validation", async (_, text, value) => {
    expect((await read(["metadata", text])).value).toEqual({ metadata: value });
  });

  const text = (disposition: string) =>
    Buffer.concat([
      part("form-data; name=images; filename=a", "image/png", png().bytes),
      part(disposition, "", Buffer.from("x")),
      Buffer.from("--b0--\r\n"),
    ]);
  it.each([
    ["a part without a name", text("form-data"), type],
    ["a part with an empty name", text('form-data; name=""'), type],
    ["a file with an empty name", text('form-data; name=""; filename="a"'), type],
    ["a name of 201 characters", text(`form-data; name="${"n".repeat(201)}"`), type],
    ["a field named __proto__", text("form-data; name=__proto__"), type],
    ["a file named __proto__", text("form-data; name=__proto__; filename=a"), type],
    ["a text field twice", formOf(["images", png()], ["a", "1"], ["a", "1"]), type],
    ["no boundary", formOf(["images", png()]), "multipart/form-data"],
    ["another boundary", formOf(["images", png()]), "multipart/form-data; boundary=b1"],
    ["no content", Buffer.alloc(0), type],
  ])("is refused for %s, and leaves no file", async (_, body, contentType) => {
    expect(await faultOf(reading.form(body, contentType))).toBe("malformed_multipart");
    expect(await reading.left()).toEqual([]);
  });

  it("can contain 32 files, and leaves no file with 33", async () => {
    const files = (count: number) => Array.from({ length: count }, (): Field => ["images", png()]);
    expect(await faultOf(read(...files(33)))).toBe("too_many_files");
    expect(await reading.left()).toEqual([]);
    expect((await read(...files(32))).files).toHaveLength(32);
  });

  it.each([
    ["257 parts", formOf(...Array.from({ length: 257 }, (_, at): Field => [`f${at}`, ""]))],
    ["text that is too long", formOf(["images", png()], ["a", "x".repeat(2_001)])],
    [
      "texts that are too long together",
      formOf(["images", png()], ["a", "x".repeat(1_001)], ["b", "y".repeat(1_000)]),
    ],
    ["a body that is too long", formOf(["images", png()], ["other", png(300_000)])],
  ])("is too large with %s, and leaves no file", async (_, body) => {
    expect(await faultOf(reading.form(body, type))).toBe("too_large");
    expect(await reading.left()).toEqual([]);
  });

  it("can have text exactly at its limit", async () => {
    const { value } = await read(["a", "x".repeat(1_000)], ["b", "é".repeat(500)]);
    expect(value).toEqual({ a: "x".repeat(1_000), b: "é".repeat(500) });
  });

  const whole = formOf(["a", "1"], ["images", png(300)], ["metadata", "{}"], ["attachments", pdf(400)]);
  it("is refused if it ends at any byte too early, and leaves no file", async () => {
    const end = whole.length - "--\r\n".length;
    for (let at = 0; at < end; at += 7) {
      expect([at, await faultOf(reading.form(whole.subarray(0, at), type))]).toEqual([
        at,
        "malformed_multipart",
      ]);
      expect(await reading.left()).toEqual([]);
    }
  });

  it("has the same result in chunks of any size", async () => {
    const expected = await withBytes((await reading.form(whole, type)).value);
    const property = fc.asyncProperty(fc.integer({ min: 1, max: 400 }), async (length) => {
      const { value, discard } = await reading.form(whole, type, {}, length);
      expect(await withBytes(value)).toEqual(expected);
      await discard();
    });
    await fc.assert(property, { numRuns: 50 });
  });

  it("does not accept an object in a JSON field as a file", async () => {
    const { value } = await read(["metadata", JSON.stringify({ receivedFile: true, path: "/etc/passwd" })]);
    expect(isReceivedFile(Object(value).metadata)).toBe(false);
  });
});
