/** A text file is far smaller; what has no end is not read until memory is full. */
export const mostTextBytes = 67_108_864;

export interface ReadBytes {
  readonly bytes: Buffer;
  /** Whether that is all. */
  readonly whole: boolean;
}

/** Reads a file of any kind, a pipe or a device too, but hardly more than `most` bytes of it. */
export async function readAtMost(path: string, most: number = mostTextBytes): Promise<ReadBytes> {
  // Loaded only here: most commands read no file, and must start fast.
  const { open } = await import("node:fs/promises");
  const handle = await open(path);
  try {
    const pieces: Buffer[] = [];
    for (let size = 0; size <= most; ) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(65_536));
      if (bytesRead === 0) return { bytes: Buffer.concat(pieces), whole: true };
      pieces.push(buffer.subarray(0, bytesRead));
      size += bytesRead;
    }
    return { bytes: Buffer.concat(pieces), whole: false };
  } finally {
    await handle.close();
  }
}
