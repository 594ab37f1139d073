import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTemporaryFile } from "../../../server/files/temporary-files.ts";
import { fileCalls } from "../../support/files/file-calls.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "innkeep-tiny-blocks-"));
});
afterAll(() => rm(folder, { recursive: true }));

const mebibyte = 1_048_576;

/** As many blocks as fit. */
const many = (block: Buffer, bytes: number): Buffer => Buffer.alloc(bytes - (bytes % block.length), block);

function box(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + content.length);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, content]);
}

const position = Buffer.from("gps");
const filmType = box("ftyp", Buffer.from("isom0000isom"));
const film = (...content: Buffer[]) =>
  Buffer.concat([filmType, box("moov", box("meta", Buffer.concat([Buffer.alloc(4), ...content])))]);
const pngHead = Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489", "hex");
const gifHead = Buffer.from("47494638396101000100000000", "hex");

const files: Readonly<Record<string, Buffer>> = {
  "a JPEG of segments": Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    many(Buffer.concat([Buffer.from([0xff, 0xe1, 0, 5]), position]), 2 * mebibyte),
  ]),
  "a PNG of texts": Buffer.concat([
    pngHead,
    many(Buffer.concat([Buffer.from("\0\0\0\u0003tEXt"), position, Buffer.alloc(4)]), 2 * mebibyte),
  ]),
  "a GIF of extensions": Buffer.concat([
    gifHead,
    many(
      Buffer.concat([Buffer.from("!\xff\x0bXMP DataXMP\x03", "latin1"), position, Buffer.alloc(1)]),
      2 * mebibyte,
    ),
  ]),
  "a film of keys": film(
    many(box("keys", Buffer.concat([Buffer.alloc(8), many(box("mdta", position), 11_000)])), 4 * mebibyte),
  ),
};

describe("a file with very many small blocks that contain a place", () => {
  // Reading and writing them one by one blocked the server for 10 to 40 seconds.
  it.each(Object.entries(files))("is read without delay: %s", async (_, bytes) => {
    const file = createTemporaryFile(folder, bytes.length);
    file.write(bytes);
    const calls = await fileCalls(() => file.finish());
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThan(200);
  });
});
