import { closeSync, openSync, readSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import {
  checkFrames,
  type FramesEnd,
  frameLength,
  frameOffset,
  type LogRun,
  logHeaderLength,
  readLogHeader,
  type Sums,
} from "../store/engine/sqlite/log-frames.ts";
import type { LogMark } from "../store/engine/write-log.ts";

/** Frames of the log that follow each other. */
export interface LogPart extends FramesEnd {
  readonly run: LogRun;
  readonly from: number;
  readonly to: number;
  readonly frames: Buffer;
  /** Whether everything up to the mark is copied with this part. */
  readonly reachesMark: boolean;
}

/** How far the log was copied. */
export interface LogPosition {
  readonly run: LogRun | undefined;
  readonly frames: number;
  readonly sums: Sums;
}

/** The log does not go on where it was read last. Some of it is lost. */
export class BrokenLog extends Error {
  constructor(message: string) {
    super(message);
    this.name = "BrokenLog";
  }
}

/** Reads a log as it grows. */
export interface LogTail {
  /** The checked frames from the position to the mark, in parts. Throws BrokenLog if they do not go on where the last ones ended. */
  parts(mark: LogMark): AsyncGenerator<LogPart>;
  /** Says that the part need not be read again. */
  done(part: LogPart): void;
  /** Reads the rest into memory, because the log may begin again after it. False if it is too long or not whole. */
  takeRest(mark: LogMark): boolean;
  readonly position: LogPosition;
}

const partBytes = 4_194_304;
const mostRestBytes = 67_108_864;
/** This much is checked in one turn of the event loop, in about a millisecond. */
const checkedAtOnce = 262_144;

/** The position of a log that is empty and has not begun. */
export const atBegin: LogPosition = { run: undefined, frames: 0, sums: [0, 0] };

/** Unchecked frames in memory. */
interface Held {
  readonly run: LogRun;
  readonly from: number;
  readonly frames: Buffer;
}

/** Where a run may end: there the rest was taken into memory. */
interface End {
  readonly salt: string | undefined;
  readonly frames: number;
}

/** Creates the reader of the log at `path`. At `atBegin` the next run of the log is the expected one. */
export function createLogTail(path: string, start: LogPosition): LogTail {
  let position = start;
  let held: readonly Held[] = [];
  let taken: End | undefined = start.run ? undefined : { salt: undefined, frames: 0 };

  /** Where the next frames must be read. */
  function next(mark: LogMark): { readonly run: LogRun; readonly from: number } {
    const last = held.at(-1);
    const known = last ? { run: last.run, frames: endOf(last) } : position;
    if (known.run && known.run.salt === mark.run) {
      if (mark.frames < known.frames) throw new BrokenLog("the log is shorter than it was");
      return { run: known.run, from: known.frames };
    }
    if (taken?.salt !== known.run?.salt || taken?.frames !== known.frames)
      throw new BrokenLog("the log has begun again before it was copied");
    const begun = readLogHeader(readAt(path, { from: 0, length: logHeaderLength }));
    if (begun?.salt !== mark.run) throw new BrokenLog("the log has begun again while it was read");
    return { run: begun, from: 0 };
  }

  async function checked({ run, from, frames }: Held, mark: LogMark): Promise<LogPart> {
    const goesOn = position.run?.salt === run.salt && position.frames === from;
    if (!goesOn && from > 0) throw new BrokenLog("some frames of the log were not read");
    const end = await checkSlowly(run, goesOn ? position.sums : run.sums, frames);
    const to = from + frames.length / frameLength(run);
    const isLast = run.salt === mark.run ? to === mark.frames : mark.frames === 0 && held.length === 1;
    return { run, from, to, frames, ...end, reachesMark: isLast };
  }

  async function* parts(mark: LogMark): AsyncGenerator<LogPart> {
    for (let [first] = held; first; [first] = held)
      yield await checked({ ...first, frames: first.frames.subarray(0, partLength(first.run)) }, mark);
    if (mark.frames === 0) return;
    for (let { run, from } = next(mark); from < mark.frames; from = position.frames) {
      const length = Math.min((mark.frames - from) * frameLength(run), partLength(run));
      const frames = readAt(path, { from: frameOffset(run, from), length });
      yield await checked({ run, from, frames }, mark);
      // The rest was taken in the meantime: it comes with the next mark.
      if (held.length > 0) return;
    }
  }

  return {
    parts,
    get position() {
      return position;
    },
    done({ run, to, sums }) {
      position = { run, frames: to, sums };
      held = held.flatMap((each) => without(each, run, to));
    },
    takeRest(mark) {
      try {
        if (mark.frames > 0) {
          const { run, from } = next(mark);
          const length = (mark.frames - from) * frameLength(run);
          if (length > mostRestBytes) return false;
          const frames = readAt(path, { from: frameOffset(run, from), length });
          if (length > 0) held = [...held, { run, from, frames }];
        }
      } catch (error) {
        if (error instanceof BrokenLog) return false;
        throw error;
      }
      const last = held.at(-1);
      taken = { salt: (last?.run ?? position.run)?.salt, frames: last ? endOf(last) : position.frames };
      return true;
    },
  };
}

const endOf = ({ run, from, frames }: Held): number => from + frames.length / frameLength(run);

/** The length of whole frames in a part. */
const partLength = (run: LogRun): number => Math.floor(partBytes / frameLength(run)) * frameLength(run);

/** What is left of held frames when the run was copied up to the frame `to`. */
function without(held: Held, run: LogRun, to: number): Held[] {
  if (held.run.salt !== run.salt || to <= held.from) return [held];
  if (to >= endOf(held)) return [];
  return [{ run, from: to, frames: held.frames.subarray((to - held.from) * frameLength(run)) }];
}

async function checkSlowly(run: LogRun, before: Sums, frames: Buffer): Promise<FramesEnd> {
  const step = Math.max(1, Math.floor(checkedAtOnce / frameLength(run))) * frameLength(run);
  let end: FramesEnd = { sums: before, databasePages: 0 };
  for (let at = 0; at < frames.length; at += step) {
    if (at > 0) await turn();
    end = checkFrames(run, end.sums, frames.subarray(at, at + step));
  }
  return end;
}

function readAt(path: string, { from, length }: { readonly from: number; readonly length: number }): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  const descriptor = openSync(path, "r");
  try {
    for (let done = 0; done < length; ) {
      const count = readSync(descriptor, bytes, done, length - done, from + done);
      if (count === 0) throw new BrokenLog("the log is shorter than SQLite says");
      done += count;
    }
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}
