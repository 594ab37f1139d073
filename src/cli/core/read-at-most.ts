/** A text file is far smaller. The limit keeps an endless file from filling the memory. */
export const mostTextBytes = 67_108_864;

export interface ReadBytes {
  readonly bytes: Buffer;
  /** Whether the text is complete. */
  readonly whole: boolean;
}

/**
 * Reads a file, a pipe or a device, but hardly more than `mostTextBytes` of it. Rejects if the signal aborts while
 * it waits for the writer of a pipe.
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
 * The open descriptor of a path such as `/dev/fd/3`. A pipe that is opened once more may never end, and a socket
 * cannot be opened.
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

/**
 * Waits for the writer of a pipe as for a connection: a thread that opens a pipe without a writer cannot be
 * interrupted.
 */
async function* ofPipe(path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const { constants, openSync } = await import("node:fs");
  yield* ofStream(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), signal);
}

async function* ofStream(fd: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  const { Socket } = await import("node:net");
  yield* new Socket({ fd, readable: true, writable: false, signal });
}
