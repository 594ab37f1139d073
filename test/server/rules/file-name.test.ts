import { describe, expect, it } from "vitest";
import { cleanFileName, nameFor } from "../../../server/files/file-names.ts";
import { fc } from "../../support/property.ts";

describe("a file name", () => {
  it.each([
    ["report.pdf", "report.pdf"],
    ["  Zażółć 1 (2).pdf ", "Zażółć 1 (2).pdf"],
    ["../../etc/passwd", "passwd"],
    ["C:\\Users\\ada\\crash.log", "crash.log"],
    ["/", "fallback"],
    ["a/", "fallback"],
    ["", "fallback"],
    [null, "fallback"],
    [undefined, "fallback"],
    [".", "fallback"],
    ["..", "fallback"],
    ["a/..", "fallback"],
    [".htaccess", ".htaccess"],
    ["a\u0000b\r\nc\td.pdf", "abcd.pdf"],
    ["invoice\u202efdp.exe", "invoicefdp.exe"],
    ["\u2066a\u2069\u200f\u061cb\u200b\ufeff.pdf", "ab.pdf"],
    [".\u0000.", "fallback"],
    ["a\u2028b\ud800c", "abc"],
    ["\u007f\u0085", "fallback"],
  ])("that is sent as %j is stored as %j", (given, kept) => {
    expect(cleanFileName(given, "fallback")).toBe(kept);
  });

  it.each([
    [199, 199],
    [200, 200],
    [201, 200],
    [5_000, 200],
  ])("of %i code points is stored with %i, including its extension", (given, kept) => {
    const name = cleanFileName(`${"😀".repeat(given - 4)}.pdf`, "fallback");
    expect([...name]).toHaveLength(kept);
    expect(name).toMatch(/\.pdf$/);
  });

  it("loses its extension if the extension is the largest part of the name", () => {
    expect(cleanFileName(`a.${"b".repeat(300)}`, "fallback")).toBe(`a.${"b".repeat(198)}`);
  });

  it("never contains a path separator, a control character or more than 200 code points", () => {
    const property = fc.property(fc.string({ unit: "binary", maxLength: 400 }), (given) => {
      const name = cleanFileName(given, "fallback");
      expect(name).not.toMatch(/[/\\\p{Cc}\p{Cf}\p{Cs}]|^\.*$/u);
      expect([...name].length).toBeLessThanOrEqual(200);
    });
    fc.assert(property, { numRuns: 2_000 });
  });
});

describe("the name of a file with a known type", () => {
  it.each([
    ["application/pdf", "x.html", "x.pdf"],
    ["application/pdf", "x.pdf", "x.pdf"],
    ["application/pdf", "X.PDF", "X.PDF"],
    ["application/pdf", "x.pdf.exe", "x.pdf"],
    ["application/pdf", "x", "x.pdf"],
    ["application/pdf", "x.", "x.pdf"],
    ["application/pdf", "x.html. ", "x.pdf"],
    ["application/pdf", "report 1.2", "report 1.2.pdf"],
    ["application/pdf", ".htaccess", ".htaccess.pdf"],
    ["image/jpeg", "me.jpeg", "me.jpeg"],
    ["image/jpeg", "me.png", "me.jpg"],
    ["image/png", "me.svg", "me.png"],
    ["video/mp4", "a.m4v", "a.m4v"],
    ["video/quicktime", "a.mp4", "a.mov"],
    ["application/pdf", `${"x".repeat(200)}`, `${"x".repeat(196)}.pdf`],
  ])("that is sent for %s as %j is stored as %j", (mediaType, given, name) => {
    expect(nameFor(mediaType, given)).toBe(name);
  });
});
