import { crc32, deflateSync } from "node:zlib";

type Colour = readonly [red: number, green: number, blue: number];

const [width, height] = [270, 480];
const ground: Colour = [250, 248, 245];
const accent: Colour = [28, 95, 77];
const ink: Colour = [214, 207, 195];

/** A PNG that looks like a list on a phone's screen: a bar on top, then lines with ticks. */
export function demoPicture(): Buffer {
  // One byte for the filter of each row, then three for each pixel.
  const rows = Buffer.alloc(height * (1 + 3 * width));
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) rows.set(colourAt(x, y), y * (1 + 3 * width) + 1 + 3 * x);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function colourAt(x: number, y: number): Colour {
  if (y < 56) return accent;
  const [line, within] = [Math.floor((y - 56) / 48), (y - 56) % 48];
  const length = 110 + ((line * 53) % 90);
  if (within > 15 && within < 33 && x > 20 && x < 38) return line % 3 === 0 ? accent : ink;
  return within > 19 && within < 29 && x > 54 && x < 54 + length ? ink : ground;
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
