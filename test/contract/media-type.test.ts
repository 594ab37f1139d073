import { describe, expect, it } from "vitest";
import { detectMediaType, normaliseMediaType, signatureBytes } from "../../src/contract/files.ts";
import * as sample from "../support/files/sample-files.ts";

const { png, jpeg, webp, gif, mp4, webm, mov, pdf } = sample;
const ascii = (text: string) => Buffer.from(text, "latin1");
const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");
const ftyp = (...brands: string[]) =>
  Buffer.concat([
    hex("000000"),
    Buffer.of(12 + 4 * brands.length),
    ascii(`ftyp${brands[0]}\0\0\0\0`),
    ascii(brands.slice(1).join("")),
  ]);

describe("the media type that the server detects from bytes", () => {
  it.each([png, jpeg, webp, gif, mp4, webm, mov, pdf].map((build) => [build().mediaType, build().bytes]))(
    "is found for %s",
    (mediaType, bytes) => {
      expect(detectMediaType(Buffer.from(bytes))).toBe(mediaType);
    },
  );

  it.each([
    ["image/png", hex("89504e47 0d0a1a0a")],
    ["image/jpeg", hex("ffd8ff")],
    ["image/webp", ascii("RIFF\0\0\0\0WEBP")],
    ["image/gif", ascii("GIF87a")],
    ["image/gif", ascii("GIF89a")],
    ["application/pdf", ascii("%PDF-")],
    ["video/webm", hex("1a45dfa3 87 4282 84 7765626d")],
    ["video/mp4", ftyp("isom").subarray(0, 12)],
    ["video/quicktime", ftyp("qt  ").subarray(0, 12)],
  ])("is %s for the shortest valid signature", (mediaType, bytes) => {
    expect(detectMediaType(bytes)).toBe(mediaType);
    expect(detectMediaType(bytes.subarray(0, -1))).toBeNull();
    const moved = detectMediaType(Buffer.concat([ascii(" "), bytes]));
    expect(moved).toBe(mediaType === "application/pdf" ? mediaType : null);
  });

  it.each([
    [1_023, "application/pdf"],
    [1_024, null],
  ])("is found for a PDF with %d bytes before its signature: %s", (bytes, mediaType) => {
    const file = Buffer.concat([Buffer.alloc(bytes, 32), pdf().bytes]);
    expect(detectMediaType(file)).toBe(mediaType);
    expect(detectMediaType(file.subarray(0, signatureBytes))).toBe(mediaType);
  });

  it.each(["isom", "iso2", "iso6", "mp41", "mp42", "avc1", "M4V ", "dash", "MSNV"])(
    "is video/mp4 for the brand %j as the main or a compatible brand",
    (brand) => {
      expect(detectMediaType(ftyp(brand))).toBe("video/mp4");
      expect(detectMediaType(ftyp("xxxx", "yyyy", brand))).toBe("video/mp4");
    },
  );

  it.each([
    ["heic", "image/heic"],
    ["heix", "image/heic"],
    ["mif1", "image/heic"],
    ["avif", "image/avif"],
  ])("is not a video for the brand %j, even with known compatible brands: it is %s", (brand, mediaType) => {
    expect(detectMediaType(ftyp(brand, "isom", "mp42"))).toBe(mediaType);
  });

  it.each(["M4A ", "M4B ", "crx "])(
    "is unknown for the brand %j, even with known compatible brands",
    (brand) => {
      expect(detectMediaType(ftyp(brand, "isom", "mp42"))).toBeNull();
    },
  );

  it.each(["moov", "mdat", "wide", "free", "skip", "pnot"])(
    "is video/quicktime for an old film that begins with the box %s",
    (box) => {
      expect(detectMediaType(Buffer.concat([hex("00000008"), ascii(box)]))).toBe("video/quicktime");
      expect(detectMediaType(Buffer.concat([hex("00000005"), ascii(box)]))).toBeNull();
    },
  );

  it("does not depend on elements of the header before the DocType", () => {
    const header = "4286 81 01 42f7 81 01 ec 83 000000 4282 84 7765626d 4287 81 04";
    expect(detectMediaType(hex(`1a45dfa3 9b ${header}`))).toBe("video/webm");
  });

  it.each([
    ["no bytes", Buffer.alloc(0)],
    ["zeros", Buffer.alloc(512)],
    ["Matroska", hex("1a45dfa3 8b 4282 88 6d6174726f736b61")],
    ["an EBML element longer than all bytes", hex("1a45dfa3 93 4286 01ffffffffffffff")],
    ["RIFF with audio", ascii("RIFF\0\0\0\0WAVE")],
    ["an unknown brand", ftyp("3gp4", "3gp5")],
    ["GIF of another version", ascii("GIF88a")],
    ["SVG", ascii("<svg xmlns='http://www.w3.org/2000/svg'/>")],
    ["HTML", ascii("<!doctype html><script>alert(1)</script>")],
    ["a ZIP archive", ascii("PK\u0003\u0004")],
    ["a TIFF image", ascii("II*\0")],
  ])("is unknown for %s", (_, bytes) => {
    expect(detectMediaType(bytes)).toBeNull();
  });
});

describe("a declared media type", () => {
  it.each([
    ["image/png", "image/png"],
    ["IMAGE/PNG", "image/png"],
    [" image/png ; charset=binary", "image/png"],
    ["image/jpg", "image/jpeg"],
    ["image/JPG;q=1", "image/jpeg"],
    ["", null],
    [null, null],
    [undefined, null],
  ])("that is written as %j means %j", (declared, meant) => {
    expect(normaliseMediaType(declared)).toBe(meant);
  });
});
