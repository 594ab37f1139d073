import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { keepShown } from "../../server/files/positions/remove-positions.ts";
import { jpeg } from "../support/files/sample-files.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";

async function kept(bytes: Buffer) {
  const path = join(await temporaryFolder(), "shot.jpg");
  writeFileSync(path, bytes);
  const descriptor = openSync(path, "r+");
  const isWhole = keepShown(descriptor, bytes.length, "image/jpeg");
  closeSync(descriptor);
  return { isWhole, bytes: readFileSync(path) };
}

const { bytes } = jpeg();
const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]));
const scan = bytes.indexOf(Buffer.from([0xff, 0xda]));

it.each([
  ["in front of the frame", frame],
  ["in front of the scan", scan],
  ["in front of the end", bytes.length - 2],
])("a JPEG with bytes %s that readers ignore is stored as a picture without these bytes", async (_, at) => {
  const between = (text: string) =>
    Buffer.concat([bytes.subarray(0, at), Buffer.from(text, "latin1"), bytes.subarray(at)]);
  const { isWhole, bytes: after } = await kept(between("\0\xff\0lat=52.5"));
  expect(isWhole).toBe(true);
  if (at < bytes.length - 2) expect(after).toEqual(between("\0".repeat(11)));
});
