import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { readJsonUpload } from "../../../../server/http/body/read-upload.ts";
import { decodeSlowly, parseSlowly } from "../../../support/files/strict-json-oracle.ts";
import { createReading, type Reading, streaming, withBytes } from "../../../support/files/upload-reading.ts";
import { fc } from "../../../support/property.ts";

const limits = {
  files: { "images.*": 1_000, "videos.*": 1_000, "attachments.*.data": 1_000 },
  body: 1_000_000,
  text: 1_000_000,
};

describe("a JSON body with files", () => {
  it.each([
    ["in memory", ""],
    ["while it streams", streaming],
  ])("that is read %s has the same result as with JSON.parse and a simple decoder", async (_, padding) => {
    const reading = await createReading();
    const property = fc.asyncProperty(documents, cuts, async (text, at) => {
      const bytes = Buffer.from(padding + text);
      expect(await read(reading, bytes, at)).toEqual(expectedOf(bytes));
      expect(await reading.left()).toEqual([]);
    });
    await fc.assert(property, { numRuns: 200 });
  });

  it.each([
    ["in memory", ""],
    ["while it streams", streaming],
  ])("with a broken byte that is read %s is refused exactly if it is no longer JSON", async (_, padding) => {
    const reading = await createReading();
    const property = fc.asyncProperty(documents, cuts, breaks, async (text, at, broken) => {
      const bytes = Buffer.concat([Buffer.from(padding), broken(Buffer.from(text))]);
      const expected = expectedOf(bytes);
      // A misplaced quote can turn text into files. The streaming reader may count too many files before it gets to the
      // fault.
      const wanted = expected === "malformed_json" ? /^(malformed_json|too_many_files)$/ : undefined;
      const result = await read(reading, bytes, at);
      if (wanted) expect(result).toMatch(wanted);
      else expect(result).toEqual(expected);
      expect(await reading.left()).toEqual([]);
    });
    await fc.assert(property, { numRuns: 600 });
  });
});

const base64Text = fc.oneof(
  fc.base64String({ maxLength: 80 }),
  fc.string({ unit: fc.constantFrom(...'AZaz09+/=-_ \n\u0000é€😀\\"%', "%2B", "%3d"), maxLength: 12 }),
);
const fileText = fc.oneof(
  { weight: 4, arbitrary: base64Text.map((text) => `data:image/png;base64,${text}`) },
  { weight: 1, arbitrary: base64Text.map((text) => `DATA:image/svg+xml;charset=utf-8;BASE64,${text}`) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 300 }) },
  { weight: 1, arbitrary: base64Text },
);
const anything = fc.jsonValue({ maxDepth: 3 });
const placed = fc.oneof({ weight: 3, arbitrary: fc.array(fileText, { maxLength: 3 }) }, anything);
const keys = fc.constantFrom("images", "videos", "attachments", "data", "name", "*", "0");
const nested = fc.dictionary(keys, fc.oneof(fileText, fc.array(fileText, { maxLength: 2 }), anything));
const bodies = fc.record(
  {
    images: placed,
    videos: placed,
    attachments: fc.oneof(
      fc.array(fc.oneof(fc.record({ name: fc.string(), data: fileText }), nested, anything), {
        maxLength: 3,
      }),
      nested,
    ),
    message: fc.string({ unit: "grapheme" }),
    metadata: fc.oneof(nested, anything),
  },
  { requiredKeys: [] },
);

// JSON text as another encoder may write it: escapes where none are needed, white space anywhere.
const documents = fc
  .tuple(fc.oneof({ weight: 8, arbitrary: bodies }, nested, anything), fc.constantFrom(0, 1, 2), fc.boolean())
  .map(([value, indent, escaped]) => {
    const text = JSON.stringify(value, null, indent);
    return escaped ? text.replaceAll("/", "\\/").replace(/[+a\u0080-\uffff]/g, escapeOf) : text;
  });

const escapeOf = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

const cuts = fc.array(fc.nat(600), { maxLength: 8 });

// One change to a body: a byte inserted, removed or replaced, or the end removed.
const breaks = fc
  .record({
    how: fc.constantFrom("insert", "remove", "replace", "cut"),
    where: fc.nat(100_000),
    byte: fc.oneof(fc.constantFrom(...Buffer.from('"\\{}[],:u\n\u00e9\u0000')), fc.nat(255)),
  })
  .map(({ how, where, byte }) => (bytes: Buffer): Buffer => {
    const at = where % (bytes.length + 1);
    const removed = how === "insert" ? 0 : how === "cut" ? bytes.length : 1;
    const added = how === "insert" || how === "replace" ? [byte] : [];
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(added), bytes.subarray(at + removed)]);
  });

async function read({ files }: Reading, bytes: Buffer, cutsFromEnd: number[]): Promise<unknown> {
  const at = [...new Set(cutsFromEnd.map((cut) => Math.max(0, bytes.length - cut)))].sort((a, b) => a - b);
  const chunks = [0, ...at].map((from, piece) => bytes.subarray(from, at[piece] ?? bytes.length));
  const upload = await readJsonUpload(Readable.from(chunks), files, limits).catch((error) => error.fault);
  if (typeof upload === "string") return upload;
  const value = await withBytes(upload.value);
  await upload.discard();
  return value;
}

function expectedOf(bytes: Buffer): unknown {
  try {
    return decoded(parseSlowly(bytes), []);
  } catch {
    return "malformed_json";
  }
}

function decoded(value: unknown, path: string[]): unknown {
  if (typeof value === "string")
    return /^((images|videos) \*|attachments \* data)$/.test(path.join(" ")) ? plain(value) : value;
  if (Array.isArray(value)) return value.map((child) => decoded(child, [...path, "*"]));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      decoded(child, [...path, key.replace("*", "no element")]),
    ]),
  );
}

function plain(text: string): string {
  const result = decodeSlowly(text);
  return typeof result === "string" ? result : result.toString("hex");
}
