import { describe, expect, it } from "vitest";
import { fingerprintOf } from "../../../server/http/call-steps.ts";
import { dataUrl, pdf, png } from "../../support/files/sample-files.ts";
import { createReading } from "../../support/files/upload-reading.ts";
import { fc } from "../../support/property.ts";

const part = (disposition: string, type: string, content: Buffer | string, boundary: string) =>
  Buffer.concat([
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: ${type}\r\n\r\n`,
    ),
    Buffer.from(content),
    Buffer.from("\r\n"),
  ]);

async function formPrint(boundary: string, file = pdf()): Promise<string> {
  const reading = await createReading();
  const body = Buffer.concat([
    part("name=message", "text/plain", "Hi", boundary),
    part("name=attachments; filename=a.pdf", file.mediaType, file.bytes, boundary),
    Buffer.from(`--${boundary}--`),
  ]);
  const { value } = await reading.form(body, `multipart/form-data; boundary=${boundary}`);
  return fingerprintOf(value);
}

async function jsonPrint(body: object): Promise<string> {
  return fingerprintOf((await (await createReading()).json(JSON.stringify(body))).value);
}

// The same value with the keys of each object in reverse order.
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, child]) => [key, turned(child)])
      .reverse(),
  );
}

describe("the hash of a body for an Idempotency-Key", () => {
  it("does not depend on the order of the keys", () => {
    const property = fc.property(fc.jsonValue(), (value) => {
      expect(fingerprintOf(turned(value))).toBe(fingerprintOf(value));
    });
    fc.assert(property, { numRuns: 500 });
  });

  it("differs for different values", () => {
    const property = fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const same = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
      expect(fingerprintOf(one) === fingerprintOf(other)).toBe(same);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it.each([
    [
      [1, 2],
      [2, 1],
    ],
    [{ a: 1 }, [["a", 1]]],
    [{ entries: [["a", 1]] }, { a: 1 }],
    [{ a: null }, {}],
    ["1", 1],
  ])("differs for %j and %j", (one, other) => {
    expect(fingerprintOf(one)).not.toBe(fingerprintOf(other));
  });

  it("does not depend on the path of a file on the disk", async () => {
    const body = { images: [dataUrl(png(900))] };
    expect(await jsonPrint(body)).toBe(await jsonPrint(body));
  });

  it.each([
    ["bytes", png(901)],
    ["declared types", { ...png(900), mediaType: "image/gif" }],
  ])("differs for files with different %s", async (_, other) => {
    const print = await jsonPrint({ images: [dataUrl(png(900))] });
    expect(await jsonPrint({ images: [dataUrl(other)] })).not.toBe(print);
  });

  it("does not depend on the boundary of a form, and is equal for a form and the same JSON body", async () => {
    const attachments = [{ name: "a.pdf", data: dataUrl(pdf()) }];
    expect(await formPrint("b1")).toBe(await formPrint("other-boundary"));
    expect(await formPrint("b1")).toBe(await jsonPrint({ attachments, message: "Hi" }));
    expect(await formPrint("b1")).not.toBe(await formPrint("b1", pdf(900)));
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, child]): [string, unknown] => [key, sorted(child)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
