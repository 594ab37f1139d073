/** A text file is far smaller; what has no end is not read until memory is full. */
export const mostTextBytes = 67_108_864;

export interface ReadBytes {
  readonly bytes: Buffer;
  /** Whether that is all. */
  readonly whole: boolean;
}

/**
 * Reads a file of any kind, a pipe or a device too, but hardly more than `mostTextBytes` of it. Rejects when the signal
 * aborts while it waits for a pipe's writer.
 */
export async function readAtMost(path: string, signal: AbortSignal): Promise<ReadBytes> {
  // Loaded only here: most commands read no file, and must start fast.
  const { stat } = await import("node:fs/promises");
  const file = await stat(path);
  const descriptor = descriptorOf(path);
  if (descriptor !== undefined && (file.isFIFO() || file.isSocket()))
    return collect(ofStream(descriptor, signal));
  return collect(file.isFIFO() ? ofPipe(path, signal) : ofFile(path));
}

/**
 * The open descriptor that a path such as `/dev/fd/3` stands for. A pipe that is opened again does not end where its writer
 * has ended before, and a socket cannot be opened.
 */
function descriptorOf(path: string): number | undefined {
  const number = /^\/(?:dev|proc\/self)\/fd\/(\d{1,9})$/.exec(path)?.[1];
  return number === undefined ? undefined : Number(number);
}

async function collect(chunks: AsyncIterable<Buffer>): Promise<ReadBytes> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of chunks) {
    pieces.push(piece);
    size += piece.length;
    if (size > mostTextBytes) return { bytes: Buffer.concat(pieces), whole: false };
  }
  return { bytes: Buffer.concat(pieces), whole: true };
}

async function* ofFile(path: string): AsyncGenerator<Buffer> {
  const { open } = await import("node:fs/promises");
  const handle = await open(path);
  try {
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(65_536));
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

/** A thread that opens a pipe which nobody writes waits in a way that no signal ends: this waits as for a connection. */
async function* ofPipe(path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const { constants, openSync } = await import("node:fs");
  yield* ofStream(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), signal);
}

async function* ofStream(fd: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  const { Socket } = await import("node:net");
  yield* new Socket({ fd, readable: true, writable: false, signal });
}
