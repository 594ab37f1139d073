/** A block of EXIF data of the same length that contains only the orientation of the picture. */
export function orientationOnly(block: Buffer): Buffer {
  const clean = Buffer.alloc(block.length);
  const start = block.subarray(0, exifPrefix.length).equals(exifPrefix) ? exifPrefix.length : 0;
  exifPrefix.copy(clean, 0, 0, start);
  if (block.length - start >= directory.length) {
    directory.copy(clean, start);
    clean.writeUInt16LE(orientationOf(block.subarray(start)), start + orientationAt);
  }
  return clean;
}

export const exifPrefix = Buffer.from("Exif\0\0", "latin1");

// TIFF in little endian: one directory at 8 with one entry, 0x0112, one SHORT.
const directory = Buffer.from("49492a0008000000010012010300010000000100000000000000", "hex");
const orientationAt = 18;

/** The orientation of the picture, 1 to 8. The default is 1. */
function orientationOf(tiff: Buffer): number {
  const little = tiff.toString("latin1", 0, 2) === "II";
  const uint16 = (at: number) =>
    at + 2 > tiff.length ? 0 : little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at);
  const first = uint16(little ? 4 : 6) + uint16(little ? 6 : 4) * 65_536;
  const count = uint16(first);
  for (let at = first + 2; at < first + 2 + count * 12 && at < tiff.length; at += 12) {
    if (uint16(at) !== 0x0112) continue;
    const turned = uint16(at + 8);
    return turned >= 1 && turned <= 8 ? turned : 1;
  }
  return 1;
}
