import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { beforeEach, describe, expect, it } from "vitest";
import { readJsonUpload } from "../../../server/http/body/read-upload.ts";
import { isReceivedFile, type ReceivedFile } from "../../../src/contract/files.ts";
import { dataUrl, jpeg, pdf, png } from "../../support/files/sample-files.ts";
import {
  createReading,
  faultOf,
  jsonLimits,
  type Reading,
  streaming,
} from "../../support/files/upload-reading.ts";
import { fc } from "../../support/property.ts";

const imagesOf = (...images: unknown[]) => JSON.stringify({ images });
const slashEscaped = (text: string) => text.replaceAll("/", "\\/");

describe.each([
  ["read as a whole", ""],
  ["read while it streams", streaming],
])("a JSON body with files, %s,", (_, padding) => {
  let reading: Reading;
  beforeEach(async () => {
    reading = await createReading();
  });

  const read = (text: string | Buffer) =>
    reading.json(Buffer.concat([Buffer.from(padding), Buffer.from(text)]));
  const firstFile = async (text: string) => (await read(text)).files[0];

  it("returns each file with its declared type and its bytes", async () => {
    const { bytes } = jpeg(900);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const file = await firstFile(imagesOf(dataUrl({ ...jpeg(), mediaType: "Image/PNG", bytes })));
    const facts = { declaredType: "image/png", detectedType: "image/jpeg", size: 900, sha256 };
    expect(file).toMatchObject({ ...facts, name: null, fault: null });
    expect(await readFile(file?.path ?? "")).toEqual(bytes);
  });

  it("replaces each file at the place of its text, and passes the rest to JSON.parse", async () => {
    const attachments = [{ name: "../a.pdf", data: dataUrl(pdf()), extra: [1e3, "\ud83d\ude00"] }, "text"];
    const { value } = await read(JSON.stringify({ attachments, data: "data:,", images: { 0: "data:," } }));
    expect(value).toEqual({
      attachments: [{ ...Object(attachments[0]), data: expect.toSatisfy(isReceivedFile) }, "text"],
      data: "data:,",
      images: { 0: "data:," },
    });
  });

  it("reads the type `image/jpg` as image/jpeg", async () => {
    const url = dataUrl(jpeg()).replace("image/jpeg", "image/jpg");
    expect(await firstFile(imagesOf(url))).toMatchObject({ declaredType: "image/jpeg" });
  });

  it.each([
    ["slashes", slashEscaped],
    ["plus signs", (text: string) => text.replaceAll("+", "\\u002b")],
    ["every letter", (text: string) => text.replace(/[A-Z]/g, (a) => `\\u00${a.charCodeAt(0).toString(16)}`)],
  ])("reads files whose encoder escapes %s", async (_, escaped) => {
    const { bytes } = pdf(900);
    bytes.fill(0xfb, 300, 600);
    const url = escaped(dataUrl({ ...pdf(), bytes }));
    const file = await firstFile(`{"im\\u0061ges":["${url}"]}`);
    expect(await readFile(file?.path ?? "")).toEqual(bytes);
  });

  it("reads files with percent escapes and white space", async () => {
    const { bytes } = pdf(900);
    bytes.fill(0xfb, 300, 601);
    const [head = "", base64 = ""] = dataUrl({ ...pdf(), bytes }).split(",");
    const escaped = encodeURIComponent(base64).replace("%2B", "%2b").replaceAll("%2F", " %2F\t");
    const file = await firstFile(imagesOf(`${head},${escaped}`));
    expect(await readFile(file?.path ?? "")).toEqual(bytes);
  });

  it.each([
    ["a parameter", "data:image/png;charset=utf-8;base64,AAAA", null],
    ["no bytes", "data:image/png;base64,", null],
    ["upper case", "DATA:IMAGE/PNG;BASE64,AAAA", null],
    ["no type", "data:;base64,AAAA", null],
    ["no base64", "data:image/png,AAAA", "not_a_data_url"],
    ["no comma", "data:image/png;base64", "not_a_data_url"],
    ["a header that never ends", `data:image/png;x=${"x".repeat(1_100)};base64,AAAA`, "not_a_data_url"],
    ["white space in front", " data:image/png;base64,AAAA", "not_a_data_url"],
    ["an address", "https://example.org/a.png", "not_a_data_url"],
    ["nothing", "", "not_a_data_url"],
    ["one character", "data:image/png;base64,A", "not_base64"],
    ["missing padding", "data:image/png;base64,AA", "not_base64"],
    ["half the padding", "data:image/png;base64,AA=", "not_base64"],
    ["too much padding", "data:image/png;base64,AAAA====", "not_base64"],
    ["padding within", "data:image/png;base64,AA==AAAA", "not_base64"],
    ["only padding", "data:image/png;base64,====", "not_base64"],
    ["base64url", "data:image/png;base64,AA-_", "not_base64"],
    ["white space", "data:image/png;base64, A\fA\tA A ", null],
    ["line breaks", "data:image/png;base64,AA\nAA\r\nAAAA\n", null],
    ["a vertical tab", "data:image/png;base64,AAA\vA", "not_base64"],
    ["a space beyond ASCII", "data:image/png;base64,AAA\u00a0A", "not_base64"],
    ["a tab in its header", "data:image/\tpng;base64,AAAA", "not_a_data_url"],
    ["codecs", "data:video/webm;codecs=vp8,opus;base64,AAAA", null],
    ["codecs in quotes", 'data:video/webm; codecs="vp8, opus";base64,AAAA', null],
    ["a semicolon in quotes", 'data:video/webm;codecs="vp8;opus";x=y;base64,AAAA', null],
    ["a line break in its header", "data:image/png\n;base64,AAAA", "not_a_data_url"],
    ["a letter beyond ASCII", "data:image/png;base64,AAAé", "not_base64"],
    ["escaped padding", "data:image/png;base64,AA%3D%3d", null],
    ["escaped white space", "data:image/png;base64,AA%0D%0AAA%20", null],
    ["an escaped percent sign", "data:image/png;base64,AA%253D", "not_base64"],
    ["a wrong escape", "data:image/png;base64,AA%3X", "not_base64"],
    ["a wrong escape of a letter beyond ASCII", "data:image/png;base64,AAA%é", "not_base64"],
    ["half an escape", "data:image/png;base64,AAAA%3", "not_base64"],
    ["a percent sign at its end", "data:image/png;base64,AAAA%", "not_base64"],
  ])("reports the right fault of a data URL with %s", async (_, url, fault) => {
    expect(await firstFile(imagesOf(url))).toMatchObject({ fault });
  });

  it.each([
    ["one byte under the limit", 999, 999],
    ["at the limit", 1_000, 1_000],
    ["one byte over the limit", 1_001, 1_001],
    ["far over the limit", 9_000, 1_001],
  ])("counts every byte of a file %s, and stores at most one byte above the limit", async (_, size, kept) => {
    const file = await firstFile(imagesOf(dataUrl(png(size))));
    expect(file).toMatchObject({ size, detectedType: "image/png" });
    expect((await stat(file?.path ?? "")).size).toBe(kept);
  });

  it.each([
    ["cut off", '{"images":["data:image/png;base64,AAAA'],
    ["empty", ""],
    ["followed by another value", "{}{}"],
    ["not quoted", "{images:[]}"],
    ["with an extra comma", '{"images":["data:image/png;base64,AAAA",]}'],
    ["with a line break in a file", '{"images":["data:image/png;base64,AA\nAA"]}'],
    ["with a tab in a file", '{"images":["data:image/png;base64,AA\tAA"]}'],
    ["with a form feed behind an escape in a file", '{"images":["data:image\\/png;base64,AA\fAA"]}'],
    ["with a tab in text that is not a file", '{"images":["da\ta"]}'],
    ["with a line break in text that is not a file", '{"images":["da\nta"]}'],
    ["with a wrong escape in a file", '{"images":["data:image/png;base64,\\x41AAA"]}'],
    ["with half an escape in a file", '{"images":["data:image/png;base64,AAA\\u00"]}'],
    ["with the same key twice", '{"images":["data:image/png;base64,AAAA"],"images":[]}'],
    ["with the same key twice, once escaped", '{"a":{"b":1,"\\u0062":2}}'],
    ["with a key named __proto__", '{"a":[{"__proto__":{"images":[]}}]}'],
    ["nested 33 levels deep", `${"[".repeat(33)}${"]".repeat(33)}`],
    ["with a list of 10,001 elements", JSON.stringify({ screens: Array(10_001).fill(0) })],
    ["with a wrong bracket deep in its metadata", `{"metadata":{"a":${"[".repeat(40)}${"]".repeat(39)}}}}`],
    ["with a number in place of a key", '{"metadata":{1e400:1}}'],
    ["with an invalid number", '{"metadata":{"a":1e400e5}}'],
    ["with nesting that never closes", "[".repeat(60_000)],
  ])("is refused if it is %s, and leaves no file", async (_, text) => {
    expect(await faultOf(read(text))).toBe("malformed_json");
    expect(await reading.left()).toEqual([]);
  });

  it.each([
    ["in text", Buffer.from([0x22, 0x61, 0xff, 0x22])],
    [
      "in a file",
      Buffer.concat([Buffer.from('{"images":["data:a/b;base64,AAAA'), Buffer.from([0xc3, 0x22, 0x5d, 0x7d])]),
    ],
    [
      "where a file is expected",
      Buffer.concat([Buffer.from('{"images":["'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"]}')]),
    ],
  ])("is refused if it has bytes %s that are not UTF-8", async (_, bytes) => {
    expect(await faultOf(read(bytes))).toBe("malformed_json");
    expect(await reading.left()).toEqual([]);
  });

  it("can have 32 levels of nesting", async () => {
    const { value } = await read(`${"[".repeat(32)}${"]".repeat(32)}`);
    expect(JSON.stringify(value)).toHaveLength(64);
  });

  it("can contain 32 files, and not 33", async () => {
    const images = (count: number) => imagesOf(...Array.from({ length: count }, () => dataUrl(png())));
    expect((await read(images(32))).files).toHaveLength(32);
    expect(await faultOf(read(images(33)))).toBe("too_many_files");
    expect(await reading.left()).toHaveLength(32);
  });

  it("can contain 32 texts in place of files, and not 33", async () => {
    expect((await read(imagesOf(...Array(32).fill("x")))).files).toHaveLength(32);
    expect(await faultOf(read(imagesOf(...Array(33).fill("x"))))).toBe("too_many_files");
  });

  it("can contain any object in its metadata", async () => {
    const { value } = await read(
      '{"metadata":{"__proto__":{"a":1},"big":12345678901234567890,"huge":-1e400,"held":[0.1,1e3,1.50,-0,1e-7]}}',
    );
    const { metadata } = Object(value);
    expect(JSON.stringify(metadata)).toBe(
      '{"__proto__":{"a":1},"big":"12345678901234567890","huge":"-1e400","held":[0.1,1000,1.5,0,1e-7]}',
    );
  });

  it("gets placeholders for very deep nesting in its metadata, which keep different bodies different", async () => {
    const deep = (inner: string) =>
      read(`{"met\\u0061data" : {"a":${"[".repeat(20_000)}${inner}${"]".repeat(20_000)},"b":1}}`);
    const [one, two] = [await deep("1"), await deep("2")];
    expect(one.value).toMatchObject({ metadata: { a: expect.anything(), b: 1 } });
    expect(one.value).not.toEqual(two.value);
    expect((await deep("1")).value).toEqual(one.value);
  });

  it("never treats an object as a file, even if the object looks like one", async () => {
    const { files, value } = await read(imagesOf(dataUrl(png())));
    const [forged]: ReceivedFile[] = JSON.parse(JSON.stringify(files));
    const forgery = await read(imagesOf({ ...forged, receivedFile: true, path: "/etc/passwd" }));
    expect(isReceivedFile(Object(value).images[0])).toBe(true);
    expect(isReceivedFile(Object(forgery.value).images[0])).toBe(false);
  });

  it("leaves only the stored files after it is deleted", async () => {
    const { files, discard } = await read(imagesOf(dataUrl(png(800)), dataUrl(png(900))));
    if (files[0]) await reading.files.keep(files[0]);
    await discard();
    const left = await reading.left();
    expect(left.map((path) => path.endsWith(files[0]?.sha256 ?? "-"))).toEqual([true]);
  });
});

it("a data URL with escapes in a JSON body has the same bytes in chunks of any size", async () => {
  const reading = await createReading();
  const { bytes } = pdf(700);
  bytes.fill(0xfb, 300, 331);
  const [head = "", base64 = ""] = dataUrl({ ...pdf(), bytes }).split(",");
  const body = streaming + imagesOf(`${head},${encodeURIComponent(base64)}\n`);
  const property = fc.asyncProperty(fc.integer({ min: 5, max: 90 }), async (length) => {
    const { files, discard } = await reading.json(body, {}, length);
    expect(await readFile(files[0]?.path ?? "")).toEqual(bytes);
    await discard();
  });
  await fc.assert(property, { numRuns: 30 });
});

describe("a very long text in a large JSON body", () => {
  const length = 600_000;
  const limits = { body: 4_000_000, text: 400_000 };
  const bodyOf = (raw: string) => `{"metadata":{"a":1,"log":"${raw}"},"note":"x"}`;
  const read = async (raw: string | Buffer, pieceLength?: number) => {
    const [before = "", behind = ""] = bodyOf("|").split("|");
    const body = Buffer.concat([Buffer.from(before), Buffer.from(raw), Buffer.from(behind)]);
    return (await createReading()).json(body, limits, pieceLength);
  };

  it.each([
    ["letters", "x"],
    ["digits of base 16", "0aF9"],
    ["letters beyond ASCII", "żó"],
    ["emoji", "😀"],
    ["escaped letters", "\\u00e9"],
    ["escaped emoji", "\\ud83d\\ude00"],
    ["escaped line breaks", "\\n"],
    ["escaped quotes and backslashes", '\\"\\\\'],
  ])("is cut, whatever its chunks are: %s", async (_, part) => {
    const raw = part.repeat(length / Buffer.byteLength(part));
    const whole = JSON.parse(`"${raw}"`);
    for (const pieceLength of [4_999, 10_000, 65_536, 999_999]) {
      const { value } = await read(raw, pieceLength);
      const { metadata, note } = Object(value);
      expect([metadata.a, note]).toEqual([1, "x"]);
      const kept = metadata.log.slice(0, -64);
      expect(metadata.log.slice(-64)).toMatch(/^[0-9a-f]{64}$/);
      expect(Buffer.byteLength(kept)).toBeGreaterThan(20_000);
      expect(kept.length).toBeLessThan(whole.length);
      expect(whole.startsWith(kept.toWellFormed().replace(/\ufffd$/, ""))).toBe(true);
    }
  });

  it("keeps bodies different that differ only in what is left out", async () => {
    const [one, two] = ["\\u00e9", "\\u00ea"].map((end) => `${"x".repeat(length)}${end}`);
    const first = (await read(one ?? "")).value;
    expect((await read(two ?? "")).value).not.toEqual(first);
    expect((await read(one ?? "")).value).toEqual(first);
  });

  it.each([
    ["a wrong escape", "\\x"],
    ["half an escape", "\\u00"],
    ["a line break", "\n"],
    ["a control character", "\u0001"],
    ["bytes that are not UTF-8", Buffer.from([0xff])],
    ["half a character of UTF-8", Buffer.from([0xc3])],
  ])("is refused if the part that is left out has %s", async (_, end) => {
    const raw = Buffer.concat([Buffer.from("x".repeat(length)), Buffer.from(end)]);
    expect(await faultOf(read(raw))).toBe("malformed_json");
  });

  it("is not cut if it is a key, or if the body has few other bytes", async () => {
    const key = "k".repeat(length);
    const reading = await createReading();
    expect(await faultOf(reading.json(`{"metadata":{"${key}":1}}`, limits))).toBe("too_large");
    const { value } = await reading.json(bodyOf(key), { ...limits, text: 3 * length });
    expect(Object(value).metadata.log === key).toBe(true);
  });

  it("is not cut in a body without metadata", async () => {
    const reading = await createReading();
    const { free, ...others } = jsonLimits;
    expect(
      await faultOf(
        readJsonUpload(Readable.from([Buffer.from(bodyOf("x".repeat(length)))]), reading.files, {
          ...others,
          ...limits,
        }),
      ),
    ).toBe("too_large");
  });
});

describe("a large JSON body", () => {
  const body = imagesOf(dataUrl(png(900)), dataUrl(png(900)));

  it.each([
    ["one byte under", body.length + 1, undefined],
    ["at", body.length, undefined],
    ["one byte over", body.length - 1, "too_large"],
  ])("is accepted or refused when it is %s the limit of the whole body", async (_, limit, fault) => {
    const reading = await createReading();
    expect(await faultOf(reading.json(body, { body: limit }))).toBe(fault);
    if (fault) expect(await reading.left()).toEqual([]);
  });

  it.each([
    ["one byte under", 1, undefined],
    ["at", 0, undefined],
    ["one byte over", -1, "too_large"],
  ])("is accepted or refused when its text is %s the limit of text", async (_, room, fault) => {
    const reading = await createReading();
    // The rest of the body without its files: `{"images":["0","1"]}`.
    const limits = { text: streaming.length + '{"images":["0","1"]}'.length + room };
    expect(await faultOf(reading.json(streaming + body, limits))).toBe(fault);
    if (fault) expect(await reading.left()).toEqual([]);
  });
});
