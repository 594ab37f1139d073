export const blockSize = 512;

/** Returns the number of bytes that must be added to fill the last block of an entry. */
export const paddingOf = (size: number): number => (blockSize - (size % blockSize)) % blockSize;

/** Returns the header block for a file in a ustar archive. Only the owner can read the extracted file. */
export function tarHeader(name: string, size: number): Buffer {
  const block = Buffer.alloc(blockSize);
  block.write(name, 0, 100);
  writeOctal(block, 0o600, 100, 8);
  writeOctal(block, 0, 108, 8);
  writeOctal(block, 0, 116, 8);
  writeOctal(block, size, 124, 12);
  writeOctal(block, 0, 136, 12);
  block.write("0", 156);
  block.write("ustar\x0000", 257, "latin1");
  writeOctal(block, checksumOf(block), 148, 7);
  block.write(" ", 155);
  return block;
}

/**
 * Reads a header block that `tarHeader` created. Returns undefined for a block of zeros. Throws an Error for
 * other blocks.
 */
export function readTarHeader(block: Buffer): { readonly name: string; readonly size: number } | undefined {
  if (block.length === blockSize && block.every((byte) => byte === 0)) return undefined;
  const [name = ""] = block.toString("utf8", 0, 100).split("\0", 1);
  const size = Number.parseInt(block.toString("latin1", 124, 136), 8);
  if (size >= 0 && tarHeader(name, size).equals(block)) return { name, size };
  throw new Error("The file is not a backup, or it is damaged.");
}

function writeOctal(block: Buffer, value: number, at: number, length: number): void {
  block.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at, "latin1");
}

/** Returns the sum of all bytes of a header. The bytes of the checksum itself count as spaces. */
const checksumOf = (block: Buffer): number =>
  block.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);
