export const logHeaderLength = 32;
export const frameHeaderLength = 24;

/** The running checksum of a log. Each frame continues that of the frame before. */
export type Sums = readonly [number, number];

/** The log from one beginning to the next. SQLite gives each a new salt. */
export interface LogRun {
  /** The salt in hex: the name of the run. */
  readonly salt: string;
  readonly pageSize: number;
  readonly isLittleEndian: boolean;
  /** The checksum of the header, from which the first frame goes on. */
  readonly sums: Sums;
}

/** What a number of frames end with. */
export interface FramesEnd {
  readonly sums: Sums;
  /** The size of the database in pages after the last frame; 0 if that frame ends no transaction. */
  readonly databasePages: number;
}

/** A frame is not the one that SQLite has written. */
export class DamagedFrame extends Error {
  constructor(at: number) {
    super(`Frame ${at} of the log is damaged.`);
    this.name = "DamagedFrame";
  }
}

/** 0x377f0682 and 0x377f0683: whether checksums read the bytes from the lowest. */
const magics: Readonly<Record<number, boolean>> = { 931071618: true, 931071619: false };

/** Reads the header of a log. Undefined if it is incomplete or has changed. */
export function readLogHeader(header: Buffer): LogRun | undefined {
  if (header.length < logHeaderLength) return undefined;
  const isLittleEndian = magics[header.readUInt32BE(0)];
  if (isLittleEndian === undefined) return undefined;
  const sums = sumsOf(header, { from: 0, to: 24 }, [0, 0], isLittleEndian);
  if (sums[0] !== header.readUInt32BE(24) || sums[1] !== header.readUInt32BE(28)) return undefined;
  return {
    salt: header.toString("hex", 16, 24),
    pageSize: header.readUInt32BE(8),
    isLittleEndian,
    sums,
  };
}

export const frameLength = ({ pageSize }: Pick<LogRun, "pageSize">): number => frameHeaderLength + pageSize;

/** Where in the file of the log a frame begins. Frames are counted from 0. */
export const frameOffset = (run: Pick<LogRun, "pageSize">, frame: number): number =>
  logHeaderLength + frame * frameLength(run);

/** Checks whole frames that follow the checksum `before`. Throws DamagedFrame for one that SQLite has not written there. */
export function checkFrames(run: LogRun, before: Sums, frames: Buffer): FramesEnd {
  const length = frameLength(run);
  let sums = before;
  let databasePages = 0;
  for (let at = 0; at < frames.length; at += length) {
    const frame = frames.subarray(at, at + length);
    const number = at / length;
    if (frame.length < length || frame.toString("hex", 8, 16) !== run.salt) throw new DamagedFrame(number);
    sums = sumsOf(frame, { from: 0, to: 8 }, sums, run.isLittleEndian);
    sums = sumsOf(frame, { from: frameHeaderLength, to: length }, sums, run.isLittleEndian);
    if (sums[0] !== frame.readUInt32BE(16) || sums[1] !== frame.readUInt32BE(20))
      throw new DamagedFrame(number);
    databasePages = frame.readUInt32BE(4);
  }
  return { sums, databasePages };
}

/** The page that a frame holds, counted from 1, and its content. */
export function* pagesIn(frames: Buffer, pageSize: number): Generator<{ page: number; content: Buffer }> {
  const length = frameLength({ pageSize });
  for (let at = 0; at + length <= frames.length; at += length)
    yield {
      page: frames.readUInt32BE(at),
      content: frames.subarray(at + frameHeaderLength, at + length),
    };
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function sumsOf(bytes: Buffer, { from, to }: Span, before: Sums, isLittleEndian: boolean): Sums {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let [first, second] = before;
  for (let at = from; at < to; at += 8) {
    first = (first + view.getUint32(at, isLittleEndian) + second) >>> 0;
    second = (second + view.getUint32(at + 4, isLittleEndian) + first) >>> 0;
  }
  return [first, second];
}
