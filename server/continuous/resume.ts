import { closeSync, openSync, readSync } from "node:fs";
import type { Recipient } from "../secrets/age/age-keys.ts";
import {
  frameHeaderLength,
  frameOffset,
  type LogRun,
  logHeaderLength,
  readLogHeader,
} from "../store/engine/sqlite/log-frames.ts";
import type { LogMark } from "../store/engine/write-log.ts";
import { createChain } from "./chain.ts";
import type { Copier } from "./copier.ts";
import { type ReadLink, readLink } from "./link.ts";
import { createLogTail } from "./log-tail.ts";
import { generationsFolder, linksIn } from "./names.ts";
import type { Place } from "./places/place.ts";
import type { KeptGeneration } from "./retention.ts";

/** What an earlier process has copied last. */
interface LastCopy {
  readonly place: Place;
  readonly recipients: readonly Recipient[];
  /** The folder of the copies of files for these recipients. */
  readonly files: string;
  readonly generation: KeptGeneration;
}

/**
 * Goes on with the last generation, if the log still has the frames that were copied last: after a stop, and after a server was
 * killed. False if another process has written the log back since, or the keys have changed.
 */
export async function resumeLast(copier: Copier, logPath: string, last: LastCopy): Promise<boolean> {
  const { place, recipients, files, generation } = last;
  const link = await lastLink(place, generation.name);
  if (link?.header.kind !== "log" || link.header.files !== files) return false;
  const { header, hash } = link;
  if (header.encrypted !== recipients.length > 0) return false;
  let run: LogRun | undefined;
  const isNext = (mark: LogMark): boolean => {
    run = runIn(logPath);
    return (
      run?.salt === header.run && mark.frames >= header.to && endsWith(logPath, run, link) && header.to > 0
    );
  };
  const make = () => ({
    chain: createChain(place, recipients, {
      generation: generation.name,
      last: { number: header.number, hash },
    }),
    tail: createLogTail(logPath, { run, frames: header.to, sums: header.sums }),
  });
  return copier.resume(make, isNext);
}

async function lastLink(place: Place, generation: string): Promise<ReadLink | undefined> {
  const folder = `${generationsFolder}/${generation}`;
  const { files } = await place.list(folder);
  const last = linksIn(files.map(({ name }) => name)).at(-1);
  if (!last) return undefined;
  return readLink(last.name, await place.get(`${folder}/${last.name}`)).catch(() => undefined);
}

const runIn = (path: string): LogRun | undefined => readLogHeader(bytesAt(path, 0, logHeaderLength));

/** Whether the last frame that was copied is still the same one. Its checksum stands for all frames before it. */
function endsWith(path: string, run: LogRun, { header }: ReadLink): boolean {
  const frame = bytesAt(path, frameOffset(run, header.to - 1), frameHeaderLength);
  if (frame.length < frameHeaderLength) return false;
  return frame.readUInt32BE(16) === header.sums[0] && frame.readUInt32BE(20) === header.sums[1];
}

/** Fewer bytes if the file ends before. */
function bytesAt(path: string, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  try {
    const descriptor = openSync(path, "r");
    try {
      return bytes.subarray(0, readSync(descriptor, bytes, 0, length, from));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
}
