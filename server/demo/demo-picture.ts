import { crc32, deflateSync } from "node:zlib";

type Colour = readonly [red: number, green: number, blue: number];

const [width, height] = [270, 480];
const ground: Colour = [250, 248, 245];
const accent: Colour = [28, 95, 77];
const ink: Colour = [214, 207, 195];

/** A PNG that looks like a list on a phone's screen: a bar on top, then lines with ticks. */
export function demoPicture(): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(pixels())),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** The rows of the picture, each with one byte for its filter, then three for each pixel. */
function pixels(): Buffer {
  const stride = 1 + 3 * width;
  const rows = Buffer.alloc(height * stride);
  for (let y = 0; y < height; y += 1) {
    const paint = (colour: Colour, from: number, to: number) =>
      rows.fill(Uint8Array.from(colour), y * stride + 1 + 3 * from, y * stride + 1 + 3 * to);
    paint(y < 56 ? accent : ground, 0, width);
    const [line, within] = [Math.floor((y - 56) / 48), (y - 56) % 48];
    if (within > 15 && within < 33) paint(line % 3 === 0 ? accent : ink, 21, 38);
    if (within > 19 && within < 29) paint(ink, 55, 54 + 110 + ((line * 53) % 90));
  }
  return rows;
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
